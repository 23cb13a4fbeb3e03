"""Theorems about methods as objects, checked against runs."""

from .guarantee import FactorVerdict, Guarantee, Hypothesis, rule
from .hypotheses import Facts, facts
from .theorems import GUARANTEES, guarantees_of, methods_with

__all__ = [
    "GUARANTEES",
    "FactorVerdict",
    "Facts",
    "Guarantee",
    "Hypothesis",
    "facts",
    "guarantees_of",
    "methods_with",
    "rule",
]
