"""The programs of the `makespan` family: one a file, with its rows, data and twin."""
