"""The judge of `rental` plans: exact, from the raw data alone."""
