"""The judge of `shuffle` plans."""
