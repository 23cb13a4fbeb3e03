"""Methods that are not of this package: how they are named, loaded, called and understood.

A function from an instance to a plan, or one under `policy` that decides as things happen, is a
method wherever one can be named: ``ringyard solve X --method my_file.py:my_function``.
"""

from .declared import policy
from .entry_points import register

__all__ = ["policy", "register"]
