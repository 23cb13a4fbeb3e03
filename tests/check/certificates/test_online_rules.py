"""The rule `prices` of `online` at any prices, against what makes bounds of them."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from check.certificates.proofs import Lines, checked, lines_of
from formulations.online.tiny import tiny
from numpy.random import default_rng

from ringyard.instances import NO_LIMITS, OnlineInstance
from ringyard.search.online.asks import market, parts_of
from ringyard.search.online.bounds import combinatorial_bounds
from ringyard.search.online.price_search import evaluate
from ringyard.simulation.online.model import online_model

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


@pytest.mark.parametrize("number", NUMBERS)
def test_hopes_are_those_of_the_maker(number: int) -> None:
    instance = in_regions(tiny(number, jobs=3, machines=3, slots=5))
    for bound in combinatorial_bounds(instance):
        (follows,) = checked(instance, lines_of(instance, bound)).follows
        assert bound.value * (1 - Fraction(1, 10**9)) <= follows <= bound.value
