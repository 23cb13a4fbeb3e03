"""Nouns of the `reserved` family: the instance, its answer, and how instances are drawn."""
