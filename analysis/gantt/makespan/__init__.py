"""The chart of a `makespan` schedule."""
