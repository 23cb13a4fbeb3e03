"""The judge of `transfers` plans."""
