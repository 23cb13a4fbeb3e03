"""Policies of the `coded` family."""
