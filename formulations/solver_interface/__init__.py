"""The interface to solvers: one is chosen, called within caps, and its claims are checked."""
