"""`ringyard shrink`: the smallest instance on which methods contradict each other."""

from .command import shrink_command

__all__ = ["shrink_command"]
