"""Checks of methods, families, solvers and bounds, for the tests of those who bring them.

Each looks for everything that it can find and raises one `AssertionError` that says it all.
"""

from .bound import check_bound
from .family import check_family
from .method import MethodReport, check_method
from .report import CheckReport
from .solver import check_solver

__all__ = [
    "CheckReport",
    "MethodReport",
    "check_bound",
    "check_family",
    "check_method",
    "check_solver",
]
