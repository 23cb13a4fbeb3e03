"""What a budget for rented GPUs buys: plans and trade-off curves as tables and figures."""
