"""Certificates of bounds of all families but `makespan`: accepted, and never beyond a schedule.

What a schedule is worth is the catalogue's, confirmed by the judge; so no proof may exclude it.
"""

import json
import subprocess
import sys
from fractions import Fraction
from functools import cache
from random import Random

import pytest
from check.certificates.proofs import checked, claiming, lines_of, mutated
from family_draws import DRAWN, drawn
from little import few

from ringyard.families import FAMILIES, family_of
from ringyard.instances import NO_LIMITS, Bound, Instance, TransfersInstance
from ringyard.instances.catalogue import entries, load
from ringyard.search.transfers.slow_bounds import counted

STRONGER = "online", "trace", "shuffle"
"""Families with rules for bounds that are asked for with time."""

LONG = ("hand-shuffle-pentagon", "hand-shuffle-dear")
"""Instances on which following many proofs takes seconds."""

TINY = (
    "boa-two-types",
    "rental-small-s0",
    "rental-whole-s2",
    "tiny-fleet-4",
    "tiny-fleet-4-fractions",
    "hand-online-trap",
    "hand-online-servers",
    "hand-online-sigmoid",
    "hand-online-turn",
    "pdors-small-03x2x4",
    "hand-gadget-root",
    "hand-gadget-later",
    "gadget-small-04x3x5",
    "hand-shuffle-cycle",
    "hand-shuffle-dear",
    "hand-shuffle-pentagon",
    "tiny-shuffle-12x5",
    "tiresias-example",
    "tiny-trace-05x2-sharing",
    "tiny-trace-05x2-widths",
    "regional-tiny-trace",
    "coded-10",
    "coded-rows",
    "coded-pareto",
    "coded-bimodal",
    "hand-transfers-moore",
    "hand-transfers-replica",
    "hand-transfers-stale",
    "tiny-transfers-s0",
    "tiny-transfers-s3",
)
LARGER = (
    "rental-stepped",
    "regional-pdors-small",
    "rental-pollux",
    "fleet-pollux",
    "gadget-small-12x6x10",
    "shuffle-120x5-dear",
    "coded-measured",
    "transfers-s0",
    "transfers-racks-s0",
    "transfers-stale-s0",
)


@cache
def instance_of(name: str) -> Instance:
    """Return an instance of the catalogue."""
    return load(name)


@cache
def bounds_of(name: str) -> tuple[Bound, ...]:
    """Return all bounds on an instance that have a certificate."""
    instance = instance_of(name)
    family = family_of(instance)
    found = list(family.bounds(instance))
    if family.kind in STRONGER:
        found += family.asked(instance, NO_LIMITS, None).found
    if isinstance(instance, TransfersInstance):
        found.append(counted(instance, NO_LIMITS))
    return tuple(bound for bound in found if bound.proof)


@pytest.mark.parametrize(
    "name",
    [
        *(*TINY, *LARGER[:-2], "transfers-stale-s0"),
        pytest.param("transfers-racks-s0", marks=pytest.mark.slow),
    ],
)
def test_every_bound_is_followed_to_its_value(name: str) -> None:
    instance = instance_of(name)
    side = -1 if family_of(instance).maximize else 1
    assert bounds_of(name)
    for bound in bounds_of(name):
        lines = lines_of(instance, bound)
        verdict = checked(instance, lines)
        assert verdict.accepted, verdict.refused
        (value,) = verdict.follows
        # What is irrational is rounded in the bound, and more finely by the checker.
        assert 0 <= side * (value - bound.value) <= abs(bound.value) / 10**9, bound.name
        assert checked(instance, claiming(lines, bound.value + side)).refused


@cache
def proved_of(kind: str, index: int) -> tuple[tuple[Instance, Bound], ...]:
    """Return a random instance with each of its bounds that have a certificate."""
    family = FAMILIES[kind]
    instance = drawn(kind, 11, index) if index % 2 and kind in DRAWN else family.drawn(11, index)
    return tuple((instance, bound) for bound in family.bounds(instance) if bound.proof)


@pytest.mark.parametrize("kind", [kind for kind, one in FAMILIES.items() if one.proofs])
@pytest.mark.parametrize("index", few(8, range(20)))
def test_bounds_of_random_instances_are_followed_to_their_values(kind: str, index: int) -> None:
    side = -1 if FAMILIES[kind].maximize else 1
    for instance, bound in proved_of(kind, index):
        verdict = checked(instance, lines_of(instance, bound))
        assert verdict.accepted
        (value,) = verdict.follows
        # Beside near ties, the makers of bounds of `online` round to their disadvantage.
        near = 1 if index % 2 and kind == "online" else Fraction(1, 10**9)
        assert 0 <= side * (value - bound.value) <= abs(bound.value) * near, bound.name


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n in LONG else []) for n in TINY]
)
def test_no_damaged_proof_excludes_a_schedule(name: str) -> None:
    instance, rng, best = instance_of(name), Random(name), entries()[name].upper[0].value
    side = -1 if family_of(instance).maximize else 1
    proofs = [lines_of(instance, bound) for bound in bounds_of(name)]
    for _ in range(70):
        verdict = checked(instance, claiming(mutated(rng.choice(proofs), rng), best + side))
        assert verdict.refused is not None
        assert all(side * value <= side * best for value in verdict.follows)


@pytest.mark.parametrize("name", TINY)
def test_another_instance_is_refused(name: str) -> None:
    lines = lines_of(instance_of(name), bounds_of(name)[0])
    assert checked(instance_of("rental-pollux"), lines).refused


PROGRAM = """
import json, sys
from ringyard.instances.catalogue import load
from ringyard.analysis.check.certificates.checking import check_certificate
from ringyard.analysis.check.certificates.reading import read_certificate
for name, text in json.load(sys.stdin):
    assert check_certificate(load(name), read_certificate(text, name)).accepted
json.dump(sorted(sys.modules), sys.stdout)
"""


def test_no_rule_needs_what_makes_proofs() -> None:
    texts = [
        (name, "\n".join(map(json.dumps, lines_of(instance_of(name), bound))))
        for name in TINY
        for bound in bounds_of(name)
    ]
    program = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        program, input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stdout)
    own = [name.split(".") for name in loaded if name.startswith("ringyard.")]
    rooms = {name[1] for name in own}
    assert rooms <= {"analysis", "families", "instances", "interrupts", "version", "extensions"}
    assert all(name[2:3] in ([], ["check"]) for name in own if name[1] == "analysis")
    assert not {"numpy", "scipy", "numba", "highspy"} & set(loaded)
    assert {f"ringyard.analysis.check.certificates.{kind}" for kind in ("coded", "shuffle")} <= {
        *loaded
    }
