"""`ringyard check`: a schedule, or every one of a folder, before the judge."""

from .command import check_command

__all__ = ["check_command"]
