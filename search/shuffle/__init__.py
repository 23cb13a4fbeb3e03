"""Bounds, and searches, of the `shuffle` family."""
