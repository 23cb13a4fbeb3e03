"""The judge of `coded` plans."""
