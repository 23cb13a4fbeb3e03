"""Theorems about methods as objects, checked against runs."""

from .guarantee import FactorVerdict, Guarantee, Hypothesis, rule
from .hypotheses import Facts, facts
from .theorems import GUARANTEES, find_guarantee, guarantees_of, methods_with

__all__ = [
    "GUARANTEES",
    "FactorVerdict",
    "Facts",
    "Guarantee",
    "Hypothesis",
    "facts",
    "find_guarantee",
    "guarantees_of",
    "methods_with",
    "rule",
]
