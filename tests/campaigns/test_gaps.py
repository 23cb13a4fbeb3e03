"""Gaps of other families: which values and bounds count, and what is taken from instances."""

from functools import cache
from typing import Any

import pytest

from ringyard import load
from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import BOUND, Run
from ringyard.instances import validate
from ringyard.instances.catalogue import entries
from ringyard.papers import gaps
from ringyard.run import ContradictionError, solve

ALL = Settings()


def row(run: Run, value: float, bound: float) -> dict[str, Any]:
    """Return what a run gave: the search a value, the other one a bound."""
    asked = run.method == BOUND
    return {
        "instance": run.instance.name,
        "method": run.method,
        "valid": not asked,
        "objective": None if asked else value,
        "bound": bound,
        "bound_kind": "dual",
        "certificate": "made up",
    }


def line(name: str, value: float, bound: float) -> tuple[Any, ...]:
    return gaps._line(entries()[name], ALL, lambda run: row(run, value, bound))


@pytest.mark.parametrize("name", ["elastic-100-s0", "pdors-s0"])
def test_the_better_of_record_and_run_counts_on_either_side(name: str) -> None:
    entry = entries()[name]
    best, bound = float(entry.upper[0].value), float(entry.lower[0].value)
    outward = 1.5 if bound < best else 0.5
    assert line(name, best * outward, bound / outward)[2:5] == (
        entry.upper[0].method,
        best,
        bound,
    )
    middle = (best + bound) / 2
    found = line(name, middle, middle)
    assert found[2:] == (gaps.SEARCHES[entry.kind], middle, middle, 0.0)
    with pytest.raises(ContradictionError):
        line(name, bound / outward, best * outward)


def test_a_gap_is_a_part_of_the_smaller_side() -> None:
    assert gaps._apart(150.0, 100.0) == gaps._apart(100.0, 150.0) == pytest.approx(50.0)


@pytest.mark.parametrize("gone", gaps.GONE, ids=lambda gone: f"{gone.name} {gone.without}")
def test_what_is_without_something_is_an_instance_of_its_own(gone: gaps.GoneRule) -> None:
    validate(gone.instance)
    assert (gone.instance == load(gone.name)) == (not gone.without)


@cache
def least(name: str) -> Any:
    return solve(load(name), "enumeration").objective


@pytest.mark.parametrize(
    "rule",
    [
        "never stale",
        *(pytest.param(rule, marks=pytest.mark.slow) for rule in ("never due", "no copies")),
    ],
)
@pytest.mark.parametrize("seed", [0, pytest.param(3, marks=pytest.mark.slow)])
def test_transfers_without_a_rule_have_no_worse_an_optimum(seed: int, rule: str) -> None:
    name = f"tiny-transfers-s{seed}"
    assert solve(gaps.RULES[rule](load(name)), "enumeration").objective <= least(name)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 3])
def test_transfers_without_groups_have_no_better_an_optimum(seed: int) -> None:
    """Groups are no rule: without them there are fewer plans."""
    name = f"tiny-transfers-s{seed}"
    assert solve(gaps.RULES["no groups"](load(name)), "enumeration").objective >= least(name)


def test_a_trace_without_a_rule_has_no_worse_an_optimum() -> None:
    trace = load("tiny-trace-05x2")
    best = solve(trace, "state-search").objective
    for change in (gaps.free_stops, gaps.one_server):
        assert solve(change(trace), "state-search").objective <= best


def test_closed_instances_are_not_run_again() -> None:
    asked = {run.instance.name for run in gaps.runs(ALL)}
    shown = {one.name for one in gaps._chosen(ALL)}
    assert {name for name in shown if not entries()[name].closed} == asked & shown
    assert {one.kind for one in entries().values() if one.name in shown} == set(gaps.SEARCHES)
