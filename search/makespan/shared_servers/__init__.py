"""Servers that rings share in fixed patterns, called cells in options."""
