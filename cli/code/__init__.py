"""`ringyard code`: what a code gains where workers straggle."""

from .command import code_command

__all__ = ["code_command"]
