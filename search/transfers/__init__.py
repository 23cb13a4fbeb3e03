"""Bounds, and searches, of the `transfers` family."""
