"""Schedulers of the `makespan` family, one a file."""
