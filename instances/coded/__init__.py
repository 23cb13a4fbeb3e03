"""Nouns of the `coded` family: the instance, its answer, and how instances are drawn."""
