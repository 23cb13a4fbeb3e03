"""`ringyard shrink`: the smallest case in which something is wrong."""

from .command import shrink_command

__all__ = ["shrink_command"]
