"""Runs of every method of which a theorem speaks, checked against it. Of `torture.py`.

Indices take turns: a random tiny instance of each problem family, and rigid jobs for the rules of
`lists.py`, plain lists for which theorems are proved.
"""

from fractions import Fraction
from random import Random
from typing import Any

from list_rules import RULES, drawn
from little import little_work

from ringyard.analysis.guarantees import guarantees_of
from ringyard.campaigns.verifying.theorems import NEEDED, verify
from ringyard.families import FAMILIES
from ringyard.methods import all_methods

SLOW = ("cp-sat", "branch-and-bound")
"""Methods that take seconds; other campaigns check them against the rest."""

FEW = {"makespan": 4, "trace": 3, "fleet": 3, "transfers": 4}
"""Jobs, or updates, at most; instances with more are drawn again."""


def one(index: int) -> dict[str, Any]:
    """Check a run, or a list, against its theorems; return what came of it as a row."""
    turns = (*((kind, name) for kind in FAMILIES for name in _claimed(kind)), *_lists())
    kind, name = turns[index % len(turns)]
    number = index // len(turns)
    if kind == "lists":
        ratio = RULES[name](drawn(Random(index))) or Fraction(0)
        broken = f"{name}: {float(ratio)} times what is proved"
        return {"what": f"list {name}", "fault": broken if ratio > 1 else None}
    instance = _instance(kind, number)
    with little_work():
        found = verify(instance, [name], seed=number)
    told = [f"{one.guarantee.name} {one.verdict}" for one in found if one.factor is not None]
    wrong = [
        f"{name} breaks {one.guarantee.name} on {instance.name}" for one in found if one.broken
    ]
    return {"what": ", ".join(told) or "silent", "fault": "; ".join(wrong) or None}


def _claimed(kind: str) -> list[str]:
    """Return the methods of a family of which something is proved."""
    own = [method.name for method in all_methods(kind) if method.name not in SLOW]
    proved = (name for name in own if any(one.proved for one in guarantees_of(name)))
    return [text for name in proved for text in NEEDED.get(name, (name,))]


def _lists() -> list[tuple[str, str]]:
    return [("lists", name) for name in RULES]


def _instance(kind: str, number: int) -> Any:
    """Return the next instance from a number on that is small enough."""
    at = 1_000_000 + 1_000 * number
    while True:
        instance = FAMILIES[kind].drawn(0, at)
        if len(getattr(instance, "updates", getattr(instance, "jobs", ()))) <= FEW.get(kind, 5):
            return instance
        at += 1
