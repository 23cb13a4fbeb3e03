"""Schedulers of the `makespan` family."""
