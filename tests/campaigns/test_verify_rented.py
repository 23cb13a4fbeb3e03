"""BOA's widths: within what rounding allows wherever the theorem speaks, and silent elsewhere."""

from dataclasses import replace
from decimal import Decimal

import pytest

from ringyard.analysis.guarantees import FactorVerdict
from ringyard.analysis.guarantees.rental_facts import least_and_planned
from ringyard.campaigns.verifying.theorems import (
    VerifiedRun,
    VerifiedRuns,
    claimed_policies,
    random_runs,
    verify,
)
from ringyard.instances import FleetInstance
from ringyard.instances.catalogue import load
from ringyard.instances.generate import generate


def rows(instance: object, method: str = "boa") -> dict[str, VerifiedRun]:
    return {row.guarantee.name: row for row in verify(instance, [method])}


def path(seed: int, kind: str = "fleet-power", **options: object) -> FleetInstance:
    """Return jobs on terms under which the theorem speaks."""
    made: FleetInstance = generate(kind, seed=seed, types=2, jobs=6, **options)
    return made


@pytest.mark.parametrize(
    ("name", "speaking"),
    [
        ("boa-two-types", {"fixed-width", "two-widths"}),
        ("rental-small-s0", {"fixed-width", "two-widths"}),
        ("rental-whole-s0", {"two-widths"}),
        ("rental-stepped", {"two-widths"}),
        ("boa-two-types-fleet", {"fixed-width"}),
    ],
)
def test_it_speaks_where_its_hypotheses_are_met(name: str, speaking: set[str]) -> None:
    found = rows(load(name))
    assert {name for name, row in found.items() if row.factor is not None} == speaking
    assert {found[name].verdict for name in speaking} <= {FactorVerdict.HOLDS}


def test_it_is_silent_where_a_change_of_width_costs_time() -> None:
    instance = generate("rental-power", seed=1, types=2, epochs=2, rescale_s=Decimal(60))
    found = rows(instance)
    assert {row.factor for row in found.values()} == {None}
    assert found["two-widths"].remark == "needs free changes of width: rescale_s is 60"


@pytest.mark.parametrize("seed", range(6))
def test_paths_are_within_what_ticks_allow(seed: int) -> None:
    tick_s = Decimal((1, 2, 5)[seed % 3])
    epochs = 1 + seed % 2
    row = rows(
        path(seed, "fleet-amdahl" if seed > 2 else "fleet-power", tick_s=tick_s, epochs=epochs)
    )["fixed-width"]
    assert row.verdict is FactorVerdict.HOLDS
    assert 1 < row.ratio <= row.factor


def test_the_allowance_is_no_more_than_ticks() -> None:
    factors = [rows(path(1, tick_s=Decimal(tick)))["fixed-width"].factor for tick in (1, 5, 10)]
    assert factors == sorted(factors)
    assert 1 < factors[0] < 1.02


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"provision_s": Decimal(60)}, "GPUs at once: they arrive 60 s after"),
        ({"node_gpus": 4}, "leased in nodes of 4"),
        ({"billing_s": Decimal(3600)}, "billed by 3600 s"),
        ({"widths": "whole"}, "fractions of GPUs"),
    ],
)
def test_it_names_the_premise_that_is_not_met(change: dict[str, object], why: str) -> None:
    row = rows(replace(load("boa-two-types-fleet"), **change))["fixed-width"]
    assert (row.factor, row.verdict) == (None, FactorVerdict.INCONCLUSIVE)
    assert why in row.remark


def test_it_is_silent_without_the_paths_loads_or_room_for_ticks() -> None:
    fleet = load("boa-two-types-fleet")
    row = rows(fleet, "boa:loads=expected")["fixed-width"]
    assert row.remark == "needs known loads: loads is 'expected'"
    least, planned = least_and_planned(fleet)
    assert planned > least
    tight = replace(fleet, budget_gpus=Decimal(f"{least * 1.0001:.6f}"))
    row = rows(tight)["fixed-width"]
    assert row.factor is None
    assert "a budget above the minimum" in row.remark or row.value is None


@pytest.mark.parametrize("family", ["rental", pytest.param("fleet", marks=pytest.mark.slow)])
def test_random_instances_break_nothing(family: str) -> None:
    assert "boa" in claimed_policies(family)
    found = VerifiedRuns()
    for part in random_runs(range(8), ["boa"], family):
        found.join(part)
    assert found.broken == []
    assert not any(tally.verdicts[FactorVerdict.INCONCLUSIVE] for tally in found.tallies.values())
