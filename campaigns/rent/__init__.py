"""What a budget for rented GPUs buys: plans, trade-off curves, and long runs of them."""
