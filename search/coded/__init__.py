"""Bounds, and searches, of the `coded` family."""
