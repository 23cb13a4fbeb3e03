"""Nouns of the `online` family: the instance, its answer, and how instances are drawn."""
