"""Theorems about methods as objects, checked against runs."""

from .guarantee import FactorVerdict, Guarantee, Hypothesis, rule
from .theorems import all_guarantees, find_guarantee, guarantees_of

__all__ = [
    "FactorVerdict",
    "Guarantee",
    "Hypothesis",
    "all_guarantees",
    "find_guarantee",
    "guarantees_of",
    "rule",
]
