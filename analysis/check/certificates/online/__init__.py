"""Rules of `online`: each returns what no schedule of an instance is worth more than."""

from .counting import each_alone, knapsack
from .prices import prices

RULES = {"each alone": each_alone, "knapsack": knapsack, "prices": prices}
"""By name: what follows from an instance and a step."""
