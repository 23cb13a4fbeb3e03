"""Theorems held against runs, on named instances and on random ones."""
