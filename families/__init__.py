"""The problem families: one record for each, with all parts of the family.

This is the only list of families. Code that needs an instance type, a judge, a bound, a method or a
chart reads it from the record. Families of other packages are found by entry points of the group
``ringyard.families``, or in modules named by an environment variable.
"""

from .family import Family, Recipe, Suite
from .method import ConstraintProgram, CorpusProgram, Method, Program
from .registry import FAMILIES, extension_program, family_of, register

__all__ = [
    "FAMILIES",
    "ConstraintProgram",
    "CorpusProgram",
    "Family",
    "Method",
    "Program",
    "Recipe",
    "Suite",
    "extension_program",
    "family_of",
    "register",
]
