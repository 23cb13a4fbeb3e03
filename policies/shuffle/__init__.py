"""Policies of the `shuffle` family."""
