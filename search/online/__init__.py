"""Bounds and searches for the sum of utilities."""
