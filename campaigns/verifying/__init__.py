"""Theorems checked against runs, on named instances and on random ones."""
