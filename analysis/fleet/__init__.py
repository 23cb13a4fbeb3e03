"""What a run of rented GPUs came to: times, spend, and how sure their long-run averages are."""
