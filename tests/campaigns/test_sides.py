"""Which side of an open instance is weak: blind instances, and what a row says."""

from typing import Any

import pytest

from ringyard import load
from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.instances import Limits, validate
from ringyard.papers import sides
from ringyard.run import ContradictionError, solve
from ringyard.search.makespan.bounds.counting import tasks_of
from ringyard.search.makespan.bounds.load import gpus_needed, load_bound

FIRST = Settings(points=1)


def row(objective: int | None, bound: int | None) -> dict[str, Any]:
    """Return what a run gave, if it gave anything."""
    kind = None if bound is None else "dual"
    return {
        "valid": objective is not None,
        "objective": objective,
        "bound": bound,
        "bound_kind": kind,
    }


def weak(objective: int | None, bound: int | None) -> str:
    """Return the last cell of the first open instance, if all runs gave that."""
    table = sides.report(FIRST, lambda _: row(objective, bound)).tables["sides"]
    return str(table.rows[0][-1])


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Take seconds out of it: remember at which slots fractions were asked for, and find none."""
    slots: list[int] = []

    def none_found(_: object, horizon: int, __: int) -> None:
        slots.append(horizon)

    monkeypatch.setattr(sides, "in_fractions", none_found)
    return slots


def fractions() -> str:
    """Return what is said of fractions of the first open instance."""
    table = sides.report(FIRST, lambda _: row(None, 1)).tables["sides"]
    return str(table.rows[0][-2])


def test_fractions_are_asked_for_at_the_bound(asked: list[int]) -> None:
    (entry,) = sides._open(FIRST)
    _, bound = sides._ends(entry)
    assert (fractions(), asked) == ("none found", [bound] * sides.DIVES)


def test_the_rounding_that_comes_farthest_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = dict(enumerate([16, None, 8]))
    monkeypatch.setattr(sides, "in_fractions", lambda _, __, seed: sizes[seed])
    assert fractions() == "up to 8 GPUs"


@pytest.mark.parametrize("name", ["small-06x3", "knot-full-s0", "hand-contend-floor"])
def test_jobs_of_a_blind_instance_take_their_least_slots_in_one_server(name: str) -> None:
    instance = load(name)
    blind = sides.blind(instance)
    validate(blind)
    assert [(one.gpus, one.slots) for one in tasks_of(blind)] == [
        (one.gpus, one.slots) for one in tasks_of(instance)
    ]
    assert [one.gpus for one in blind.cluster.servers] == [
        sum(one.gpus for one in instance.cluster.servers)
    ]


def test_blind_to_servers_rings_no_longer_meet() -> None:
    """Two rings that lose 3 of 5 slots to each other are done after 4: the notes say so."""
    instance = load("hand-contend")
    assert solve(instance, "enumeration").objective == 7
    assert solve(sides.blind(instance), "enumeration").objective == 4


def test_the_side_follows_from_what_blind_schedules_do() -> None:
    (entry,) = sides._open(FIRST)
    best, bound = sides._ends(entry)
    assert weak(bound, bound) == "above"
    assert weak(None, bound) == "unknown"
    assert weak(bound + 1, bound) == "unknown"
    assert sides.report(FIRST, lambda _: row(best + 9, bound)).tables["sides"].rows[0][4] == best
    assert weak(None, bound + 1) == "below"
    assert weak(bound - 1, bound - 1) == "servers"
    with pytest.raises(ContradictionError, match=f"a valid {best}, and no blind"):
        weak(None, best + 1)


def test_what_is_not_certified_raises_nothing() -> None:
    (entry,) = sides._open(FIRST)
    best, bound = sides._ends(entry)

    def answers(run: Run) -> dict[str, Any]:
        found = row(None, bound)
        return {**found, "bound": best + 9, "bound_kind": "solver"} if run.horizon else found

    table = sides.report(FIRST, answers).tables["sides"]
    assert table.rows[0][3] == bound


def test_the_questions_are_about_the_bound_and_a_slot_before_the_best() -> None:
    (entry,) = sides._open(FIRST)
    best, bound = sides._ends(entry)
    horizons = [run.horizon for run in sides.runs(FIRST)]
    assert horizons == [*dict.fromkeys((bound, best - 1)), None]


def test_a_load_bound_is_where_gpus_begin_to_suffice() -> None:
    instance = load("small-08x3")
    bound = load_bound(instance, Limits())
    assert bound is not None
    gpus, value = sum(one.gpus for one in instance.cluster.servers), int(bound.value)
    assert gpus_needed(instance, value - 1) > gpus
    assert gpus_needed(instance, value) <= gpus + 1e-6
