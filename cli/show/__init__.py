"""`ringyard show`: the problem in a screenful, a file for each family."""

from .command import show_command

__all__ = ["show_command"]
