"""Rented GPUs under a budget: plans, trade-off curves, and long runs of them."""
