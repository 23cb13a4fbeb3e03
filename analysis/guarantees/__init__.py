"""Theorems about methods as objects, checked against runs."""

from .facts import Facts, facts
from .guarantee import Guarantee, Hypothesis
from .theorems import GUARANTEES, guarantees_of, methods_with
from .verdict import FactorVerdict, rule

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
