"""The problem families: one record for each, which names everything that the family has.

Nothing else lists families. Code that needs an instance type, a judge, a bound, a method or a chart
takes it from the record. Families of other packages are found by entry points of the
group ``ringyard.families``, or in modules that the environment names.
"""

from .family import Family, Recipe, Suite
from .method import CorpusProgram, Method, Program
from .registry import FAMILIES, family_of, register

__all__ = [
    "FAMILIES",
    "CorpusProgram",
    "Family",
    "Method",
    "Program",
    "Recipe",
    "Suite",
    "family_of",
    "register",
]
