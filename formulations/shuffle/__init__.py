"""Sums of rows for several workers, in algebra."""
