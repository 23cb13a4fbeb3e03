"""The GPUs of a job of each type, for the least mean completion time under a budget."""
