"""How many GPUs a job of each type gets, for the least mean completion time under a budget."""
