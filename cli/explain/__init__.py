"""`ringyard explain`: why no schedule ends by a slot."""

from .command import explain_command

__all__ = ["explain_command"]
