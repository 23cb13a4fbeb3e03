"""Updates on their way over a network, moment by moment."""
