"""Which problem families are there, and where is what each of them brings?

A family is one record, in a file of its own. Nothing else lists families: code that needs a noun, a
judge, a bound, a method or a chart asks the record. Those of other packages are found by entry
points of the group ``ringyard.families``, or in modules that the environment names.
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
