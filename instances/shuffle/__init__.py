"""Nouns of the `shuffle` family: the instance, its answer, and how instances are drawn."""
