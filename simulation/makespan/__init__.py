"""What happens to the rings of a `makespan` schedule."""
