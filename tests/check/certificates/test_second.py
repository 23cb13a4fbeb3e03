"""The two checkers of `makespan` agree: on true proofs, and on those that were changed."""

import ast
import json
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random

import pytest
from check.certificates import second
from check.certificates.proofs import Lines, changed, checked, lines_of, mutated

from ringyard.families import family_of
from ringyard.instances import NO_LIMITS, MakespanInstance
from ringyard.instances.catalogue import load
from ringyard.instances.reading.encode import to_text

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))

from forged_instances import rings
from forgeries import Forger, forged

NAMED = (
    "hand-exclusion",
    "hand-contend-floor",
    "hand-fluid",
    "hand-timing-continuous",
    "small-04x2",
    "small-06x3",
    "small-06x3-floor",
    "small-06x3-release",
    "small-06x3-step",
    "small-06x3-max-workers",
    "small-06x3-half",
    "small-06x3-continuous",
    "small-08x5",
    "knot-full-s0",
)
RANDOM = 20
RULES = "loads", "servers"
CHANGED = 40
"""Of every instance."""


@cache
def instance_of(name: str | int) -> MakespanInstance:
    """Return an instance of the catalogue, or a random one by its number; without regions."""
    if isinstance(name, str):
        found = load(name)
    elif name % 2:
        found = family_of(load("small-04x2")).drawn(27, name)
    else:
        found = replace(rings(27, name), progress="fractional")
    assert isinstance(found, MakespanInstance)
    return replace(found, jobs=tuple(replace(job, allowed_regions=None) for job in found.jobs))


@cache
def proofs_of(name: str | int) -> tuple[Lines, ...]:
    """Return the proofs of an instance by the two rules."""
    instance = instance_of(name)
    found = family_of(instance).asked(instance, NO_LIMITS, None).found
    proofs = [lines_of(instance, bound) for bound in found if bound.proof]
    return tuple(lines for lines in proofs if lines[1]["rule"] in RULES)


def first_says(instance: MakespanInstance, lines: Lines) -> Fraction | None:
    """Return what follows from the first step by the checker of the package; None if nothing."""
    follows = checked(instance, lines[:2]).follows
    return follows[0] if follows else None


def second_says(instance: MakespanInstance, lines: Lines) -> Fraction | None:
    """Return what follows by the second."""
    text = "\n".join(map(json.dumps, lines[:2]))
    try:
        return second.check(to_text(instance), text)[1][0]
    except second.Refused:
        return None


@pytest.mark.parametrize("name", [*NAMED, *range(RANDOM)])
def test_both_follow_true_proofs_to_the_same_value(name: str | int) -> None:
    instance = instance_of(name)
    for lines in proofs_of(name):
        value = first_says(instance, lines)
        assert value is not None
        assert second_says(instance, lines) == value


@pytest.mark.parametrize("name", [*NAMED[:-1], *range(RANDOM)])
def test_both_say_the_same_of_changed_proofs(name: str | int) -> None:
    instance, rng = instance_of(name), Random(str(name))
    for lines in proofs_of(name):
        by = Forger(
            rng=rng,
            best=Fraction(1),
            side=1,
            names=(),
            rules=RULES,
            own=list(proofs_of(name)),
            others=[lines],
        )
        for turn in range(CHANGED // len(proofs_of(name))):
            other = mutated(lines, rng) if turn % 2 else forged(lines, by)[1]
            other = [lines[0], *other[1:2]]
            if len(other) == 2 and other[1]["rule"] in RULES and "regions" not in other[1]:
                assert second_says(instance, other) == first_says(instance, other), other[1]


def test_both_rules_have_proofs_that_follow_and_changed_ones_that_do_not() -> None:
    rules = {lines[1]["rule"] for name in (*NAMED, *range(RANDOM)) for lines in proofs_of(name)}
    assert rules == {*RULES}
    instance = instance_of("small-04x2")
    (loads,) = (lines for lines in proofs_of("small-04x2") if lines[1]["rule"] == "loads")
    # The worked example of docs/concepts/certificates.md: no two of its three jobs fit into 10.
    assert second_says(instance, loads) == 11
    for change in {"by": 11}, {"prices": []}, {"prices": [[0, 4, 2, 9]]}, {"grain": 0}:
        other = changed(loads, lambda step, change=change: step.update(change))  # type: ignore[misc]
        assert second_says(instance, other) is None


def test_it_imports_nothing_of_the_first() -> None:
    tree = ast.parse(Path(second.__file__).read_text(encoding="utf-8"))
    froms = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names = {
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }
    assert froms | names <= {"fractions", "functools", "json", "math", "pathlib", "sys", "typing"}
