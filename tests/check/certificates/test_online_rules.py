"""The rule `prices` of `online` at any prices, against what makes bounds of them."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from check.certificates.proofs import Lines, changed, checked, lines_of
from formulations.online.tiny import tiny
from numpy.random import default_rng

from ringyard.analysis.check.certificates.online import buyer_of, by_parts
from ringyard.instances import NO_LIMITS, OnlineInstance
from ringyard.search.online.bounds import combinatorial_bounds
from ringyard.search.online.dual_bound import evaluate
from ringyard.search.online.pricing import market, parts_of
from ringyard.simulation.online import online_model

NUMBERS = range(20)
UNIT = 16


@cache
def priced(number: int, mixed: bool) -> tuple[OnlineInstance, Lines, Fraction]:
    """Return an instance, the certificate of some prices, and the bound that the maker has."""
    instance, rng = in_regions(tiny(number, jobs=3, machines=3, slots=5)), default_rng(number)
    units = online_model(instance).units
    shape = instance.horizon_slots, len(instance.machines), len(instance.resources)
    prices = rng.integers(0, (3, 20, 80)[number % 3], shape)
    if number % 2:
        prices[2:] = prices[1]
    offered = market(instance, np.arange(shape[1]))
    parts = [0] * len(instance.jobs) if mixed else parts_of(instance)
    jobs = tuple(replace_parts(ask, some) for ask, some in zip(offered.jobs, parts, strict=True))
    found = evaluate(replace(offered, jobs=jobs), prices / UNIT / units, NO_LIMITS)
    assert found is not None
    starts = [0, 1] if number % 2 else [*range(shape[0])]
    step: dict[str, Any] = {"rule": "prices", "unit": UNIT, "parts": parts, "starts": starts}
    step["rows"] = [prices[t].ravel().tolist() for t in starts]
    head = lines_of(instance, combinatorial_bounds(instance)[0])[0]
    return instance, [head, step], found.value


def in_regions(instance: OnlineInstance) -> OnlineInstance:
    """Let the first job use the first two machines only."""
    regions = ("a", "a", "b")
    pairs = zip(instance.machines, regions, strict=True)
    machines = tuple(replace(machine, region=region) for machine, region in pairs)
    bound = replace(instance.jobs[0], allowed_regions=("a",))
    return replace(instance, machines=machines, jobs=(bound, *instance.jobs[1:]))


def replace_parts(ask: Any, parts: int) -> Any:
    """Return a job that is priced by a table of so many parts, or by envelopes."""
    return ask._replace(parts=parts)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("mixed", [False, True])
def test_it_is_what_the_maker_has_but_for_rounding(number: int, mixed: bool) -> None:
    instance, lines, value = priced(number, mixed)
    (follows,) = checked(instance, lines).follows
    assert abs(follows - value) <= Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda step: step["rows"][1].append(0), "a row for each start, with"),
        (lambda step: step["rows"].append(step["rows"][0]), "a row for each start, with"),
        (lambda step: step.update(starts=[0, 0]), "starts must begin with 0 and increase"),
        (lambda step: step.update(starts=[0, 5]), "starts must begin with 0 and increase"),
        (lambda step: step.update(starts=[1, 2]), "starts must begin with 0 and increase"),
    ],
)
def test_rows_of_another_shape_are_refused(change: Callable[[Any], object], said: str) -> None:
    instance, lines, _ = priced(1, True)
    refused = checked(instance, changed(lines, change)).refused
    assert refused is not None
    assert said in refused.why


def test_a_table_of_as_many_parts_as_are_allowed_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    instance, lines, _ = priced(3, False)
    buyers = [buyer_of(instance, job) for job in instance.jobs]
    pairs = zip(buyers, lines[1]["parts"], strict=True)
    most = max(Fraction(one.work * parts, one.fast) for one, parts in pairs)
    monkeypatch.setitem(by_parts.__globals__, "MOST_PARTS", most)
    assert checked(instance, lines).follows
    monkeypatch.setitem(by_parts.__globals__, "MOST_PARTS", most - 1)
    assert "too many for the table" in str(checked(instance, lines).refused)


def test_a_machine_has_room_for_what_all_its_resources_hold() -> None:
    # Three times a half of what has 1.75; nothing where a resource is not there.
    instance = tiny(0, jobs=1, machines=2, slots=2)
    halves = (("gpu", Decimal("0.5")),)
    both = (*halves, ("disk", Decimal("0.25")))
    first, second = (
        replace(machine, capacity=(("gpu", Decimal("1.75")),), hosts="workers")
        for machine in instance.machines
    )
    second = replace(second, capacity=(("gpu", Decimal(1)), ("disk", Decimal("0.3"))))
    for takes, rooms in ((halves, [3, 2]), (both, [0, 1])):
        job = replace(instance.jobs[0], worker=takes, server=(), batch_samples=9)
        small = replace(instance, machines=(first, second), jobs=(job,))
        assert [room.workers for room in buyer_of(small, job).rooms] == rooms


@pytest.mark.parametrize("number", NUMBERS)
def test_hopes_are_those_of_the_maker(number: int) -> None:
    instance = in_regions(tiny(number, jobs=3, machines=3, slots=5))
    for bound in combinatorial_bounds(instance):
        (follows,) = checked(instance, lines_of(instance, bound)).follows
        assert bound.value * (1 - Fraction(1, 10**9)) <= follows <= bound.value
