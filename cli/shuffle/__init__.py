"""`ringyard shuffle`: what coded shuffling sends."""

from .command import shuffle_command

__all__ = ["shuffle_command"]
