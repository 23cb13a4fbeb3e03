"""`check_bound`: our own bounds keep to it, and it finds what is wrong with others."""

from itertools import count
from typing import Any

import pytest

from ringyard.families import FAMILIES
from ringyard.instances import Limits
from ringyard.instances.catalogue import load
from ringyard.testing import check_bound


@pytest.mark.parametrize("draws", [1, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "family",
    [
        pytest.param(f, marks=[pytest.mark.slow] if f in ("fleet", "online") else [])
        for f in FAMILIES
    ],
)
def test_quick_bounds_of_every_family_keep_to_what_is_possible(family: str, draws: int) -> None:
    def quick(instance: Any, limits: Limits) -> Any:
        return FAMILIES[family].bounds(instance, limits)

    assert check_bound(quick, family, draws=draws, time_limit=1.0).tried


NUMBERS = count()


@pytest.mark.parametrize(
    ("bound", "told"),
    [
        (lambda instance: 10**6, r"hand-lpt: <lambda> claims 1000000, but \d+ is possible"),
        (lambda instance: "7", "expected a finite number, a Bound, or a list of them"),
        (lambda instance: float("inf"), "expected a finite number"),
        (lambda instance: 1 / 0, "ZeroDivisionError"),
        (lambda instance: None, "it gives no bound for any instance"),
        (lambda instance, limits: 0 if limits.over() else -1, None),
        (lambda instance: -next(NUMBERS), "two calls give different bounds"),
        (lambda instance, limits: 10**6 if limits.over() else 0, "claims 1000000"),
    ],
)
def test_a_wrong_bound_is_found(bound: Any, told: str | None) -> None:
    one = load("hand-lpt")
    if told is None:
        assert check_bound(bound, "makespan", instances=[one]).tried == 1
        return
    with pytest.raises(AssertionError, match=told):
        check_bound(bound, "makespan", instances=[one])


def test_a_bound_on_a_utility_is_to_be_above() -> None:
    with pytest.raises(AssertionError, match="is possible"):
        check_bound(lambda instance: 0, "online", draws=1, time_limit=1.0)
