"""Nouns of the `trace` family: the instance, its answer, and how instances are drawn."""
