"""Widths of jobs under a budget, in algebra."""
