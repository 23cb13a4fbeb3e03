"""`ringyard rent`: what a budget for rented GPUs buys."""

from .command import rent_command

__all__ = ["rent_command"]
