"""`ringyard run`: a campaign, and its graph."""

from .command import run_command

__all__ = ["run_command"]
