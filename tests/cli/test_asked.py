"""A bound that cannot be computed costs that bound, and never the answer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from little import little_work

from ringyard.families import FAMILIES
from ringyard.instances import (
    Bound,
    BoundKind,
    Limits,
    MakespanInstance,
    MissingError,
    RefusedError,
)
from ringyard.instances.catalogue import load, load_as
from ringyard.run import solve
from ringyard.search.asked_bounds import AskedBounds

CASES = Path(__file__).parents[1] / "cases"
CROWDED = ["crowded-rings-stand-still", "crowded-rings-stand-still-2"]

STRONGER = {
    "makespan": ("hand-contend", "ringyard.formulations.makespan.server_bound.server_bound"),
    "online": ("hand-online-packing", "ringyard.search.online.dual_bound.dual_bound"),
    "trace": ("tiresias-example", "ringyard.search.trace.plan_bound.plan_bound"),
    "shuffle": ("hand-shuffle-cycle", "ringyard.search.shuffle.bounds.bound_by_search"),
    "transfers": ("hand-transfers-stale", "ringyard.search.transfers.slow_bounds.counted"),
}
"""The families with bounds that take their time: an instance, and a function that gives one."""


def fails(error: Exception) -> Callable[..., Any]:
    def bound(*given: Any) -> Any:
        del given
        raise error

    return bound


def number(value: int) -> Bound:
    return Bound(value=value, kind=BoundKind.DUAL, name="n", argument="")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CROWDED)
def test_where_crowded_rings_stand_still_the_bound_has_small_numbers(
    ringyard: Callable[..., Any], name: str
) -> None:
    """Runs of 2^26 slots were in the program; the first instance has an optimum of 4 slots."""
    file = CASES / f"{name}.json"
    done = ringyard("bound", file, "--time-limit", 3600, "--json")
    assert "server configurations" in {one["name"] for one in done.json["all"]}
    rings = load_as(MakespanInstance, file)
    answer, best = solve(rings), solve(rings, "enumeration")
    assert (answer.status, answer.objective) == ("optimal", best.objective)
    assert name != CROWDED[0] or answer.objective == 4


def test_every_family_with_stronger_bounds_is_here() -> None:
    assert {kind for kind, family in FAMILIES.items() if _asks(family)} == set(STRONGER)


def _asks(family: Any) -> bool:
    return family.slow_bounds is not None


@pytest.mark.parametrize("kind", STRONGER)
@pytest.mark.parametrize("error", [RefusedError("HiGHS says unknown"), MissingError("get it")])
def test_a_failure_is_said_and_costs_one_bound(
    monkeypatch: pytest.MonkeyPatch,
    ringyard: Callable[..., Any],
    kind: str,
    error: Exception,
) -> None:
    name, function = STRONGER[kind]
    monkeypatch.setattr(function, fails(error))
    instance, family = load(name), FAMILIES[kind]
    asked = family.slow_bounds(instance, Limits(), None)
    assert any(str(error) in reason for reason in asked.missing)
    assert family.strong(instance, Limits(), None) == asked.best
    assert not family.better(asked.best.value, family.bounds(instance)[0].value) or family.maximize
    done = ringyard("bound", name, "--time-limit", 3600, "--json")
    assert str(error) in done.err
    assert solve(instance).valid


def test_a_fault_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(STRONGER["makespan"][1], fails(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        FAMILIES["makespan"].strong(load("hand-contend"), Limits(), None)


def test_the_best_is_the_tightest_and_the_first_of_equals() -> None:
    for most, best in ((False, 3), (True, 1)):
        asked = AskedBounds(number(2), maximize=most)
        assert [asked.ask("b", lambda n=n: number(n), "nothing") for n in (1, 3, 2)] == [True] * 3
        assert asked.best.value == best
    asked = AskedBounds(number(2))
    assert not asked.ask("b", lambda: None, "slots")
    assert asked.missing == ["b: needs slots"]
    assert asked.ask("b", lambda: number(2), "nothing")
    assert asked.best is asked.first


def test_a_phase_that_is_refused_on_the_way_ends_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The portfolio goes on with what is left."""
    refused = fails(RefusedError("no program"))
    monkeypatch.setattr(
        "ringyard.search.makespan.exact.branch_and_bound.improve",
        lambda *a, **k: refused(*a, *k.values()),
    )
    with little_work():
        answer = solve(load("hand-contend"), "portfolio")
    assert (answer.valid, answer.objective) == (True, 7)
