"""Diving: fractions of columns are rounded job by job, from large jobs down."""
