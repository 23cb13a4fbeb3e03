"""The simulation of the rings of a `makespan` schedule."""
