"""How strong relaxations are, what they cost, and what is rounded from them."""
