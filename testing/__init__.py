"""Checks of methods, programs, families, solvers and bounds, for tests of extension authors.

Each check finds as many errors as possible and raises one `AssertionError` with all of them.
"""

from .bound import check_bound
from .family import check_family
from .formulation import check_formulation
from .method import MethodReport, check_method
from .report import CheckReport
from .solver import check_solver

__all__ = [
    "CheckReport",
    "MethodReport",
    "check_bound",
    "check_family",
    "check_formulation",
    "check_method",
    "check_solver",
]
