"""`ringyard corpus`: programs for solvers, what is known of them, and points from elsewhere."""

from .listing import corpus_command

__all__ = ["corpus_command"]
