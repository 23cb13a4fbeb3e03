"""`ringyard export`: programs, points and traces for other tools."""

from .command import export_command

__all__ = ["export_command"]
