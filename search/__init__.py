"""Bounds, and Ringyard's own algorithms."""
