"""What does a person type and read? A file or a folder for each command."""

from .app import main

__all__ = ["main"]
