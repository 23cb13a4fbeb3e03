"""Diving: fractions of columns are rounded job by job, from large jobs down."""

MOST_JOBS = 500
"""Most jobs of a dive. More take minutes."""
