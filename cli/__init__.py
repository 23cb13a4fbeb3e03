"""What does a person type and read? One file for each command."""

from .app import main

__all__ = ["main"]
