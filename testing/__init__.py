"""Checks of what others bring: methods and families, for use in tests of their own.

Each looks for everything that it can find and raises one `AssertionError` that says it all.
"""

from .family import check_family
from .method import MethodReport, check_method

__all__ = ["MethodReport", "check_family", "check_method"]
