"""What the programs of `makespan` are put together from."""
