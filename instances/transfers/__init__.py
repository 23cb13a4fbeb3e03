"""Nouns of the `transfers` family: the instance, its answer, and how instances are drawn."""
