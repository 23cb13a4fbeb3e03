"""Bounds and searches of the `makespan` family."""
