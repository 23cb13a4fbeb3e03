"""Nouns of the `makespan` family: the instance, its answer, and how instances are drawn."""
