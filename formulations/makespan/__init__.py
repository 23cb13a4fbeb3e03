"""The programs of the `makespan` family, each in a file of its own."""
