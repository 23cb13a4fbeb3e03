"""`ringyard verify`: runs checked against what is proved of their methods."""

from .command import verify_command

__all__ = ["verify_command"]
