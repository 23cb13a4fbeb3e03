"""Nouns of the `fleet` family: the instance, its answer, and how instances are drawn."""
