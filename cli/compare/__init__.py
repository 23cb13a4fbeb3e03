"""`ringyard compare`: several methods on the same instances."""

from .command import compare_command

__all__ = ["compare_command"]
