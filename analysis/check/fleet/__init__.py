"""The judge of `fleet` logs: exact, from the raw data alone."""
