"""`ringyard whatif`: a trace replayed under other policies and clusters."""

from .command import whatif_command

__all__ = ["whatif_command"]
