"""Nouns of the `rental` family: the instance, its answer, and how instances are drawn."""
