"""The command line: one file or folder per command."""

from .app import main

__all__ = ["main"]
