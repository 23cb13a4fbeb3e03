"""`ringyard import`: foreign traces, profiles and points."""

from .trace import import_command

__all__ = ["import_command"]
