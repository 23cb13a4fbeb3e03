"""The corpus: programs by name, what is known of each, and exact answers about foreign points."""
