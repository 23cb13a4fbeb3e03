"""How good can it get, and how do we know? Bounds and our own algorithms."""
