"""The corpus: programs by name, known facts about each, and exact answers about foreign points."""
