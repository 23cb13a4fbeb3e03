"""The hand-* instances: each optimum on record is the optimum; siblings differ by one feature."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from ringyard.analysis.check import check
from ringyard.instances import (
    Assignment,
    Limits,
    MakespanInstance,
    Schedule,
    SolutionStatus,
    digest,
    load_instance,
)
from ringyard.instances.catalogue import DATA, best_schedule
from ringyard.instances.reading.encode import plain
from ringyard.search.makespan.bounds.counting import combinatorial_bounds
from ringyard.search.makespan.exact.enumeration import enumerate_best, refuses

ALL = {path.stem: load_instance(path) for path in sorted((DATA / "hand").glob("*.json"))}
HAND = {name: one for name, one in ALL.items() if isinstance(one, MakespanInstance)}
SMALL = [name for name, one in HAND.items() if refuses(one) is None]
LARGE = [name for name, one in HAND.items() if one.progress != "continuous" and name not in SMALL]
BASE = {
    name: max(shorter, key=len)
    for name in HAND
    if (shorter := [other for other in HAND if name.startswith(f"{other}-")])
}


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Yield the paths at which two plain values differ."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{path}[{i}]")
    elif one != other:
        yield path


@pytest.mark.parametrize("name", LARGE)
def test_where_jobs_are_too_many_to_enumerate_a_bound_is_met(name: str) -> None:
    assert best_schedule(name).makespan == combinatorial_bounds(HAND[name])[0].value


@pytest.mark.parametrize("name", SMALL)
def test_the_schedule_on_record_is_optimal(name: str) -> None:
    outcome = enumerate_best(HAND[name], Limits())
    assert outcome.status is SolutionStatus.OPTIMAL
    assert check(HAND[name], outcome.schedule).makespan == outcome.value
    assert best_schedule(name).makespan == outcome.value
    assert all(bound.value <= outcome.value for bound in combinatorial_bounds(HAND[name]))


@pytest.mark.parametrize("name", HAND)
def test_the_schedule_on_record_is_legal_and_the_optimum_argued(name: str) -> None:
    schedule = best_schedule(name)
    assert schedule.digest == digest(HAND[name])
    assert check(HAND[name], schedule).valid
    assert "Lower bound" in HAND[name].notes
    assert str(schedule.makespan) in HAND[name].notes


@pytest.mark.parametrize(("name", "base"), BASE.items())
def test_siblings_differ_in_one_field(name: str, base: str) -> None:
    about = HAND[name].ABOUT
    found = differences(plain(HAND[name], without=about), plain(HAND[base], without=about))
    assert len(list(found)) == 1


def test_idling_strictly_helps_under_contention_only() -> None:
    for name, gap in (("hand-idling", True), ("hand-idling-half", False)):
        idling = enumerate_best(HAND[name], Limits())
        busy = enumerate_best(HAND[name], Limits(), no_idling=True)
        assert (idling.value < busy.value) == gap


def test_keeping_gpus_for_a_release_strictly_helps() -> None:
    for name, gap in (("hand-reserve-release", True), ("hand-reserve", False)):
        idling = enumerate_best(HAND[name], Limits())
        busy = enumerate_best(HAND[name], Limits(), no_idling=True)
        assert (idling.value < busy.value) == gap


def test_blocking_rings_never_end_unless_one_waits() -> None:
    assert enumerate_best(HAND["hand-contend-floor"], Limits(), no_idling=True).schedule is None


def test_the_argument_for_the_continuous_optimum_holds() -> None:
    """All three rings overlap; then two contend, and that pair cannot be done earlier."""
    instance = HAND["hand-timing-continuous"]
    makespan = check(instance, best_schedule("hand-timing-continuous")).makespan
    whole, spread, contended = Fraction("0.010"), Fraction("0.0137"), Fraction("0.0182")
    iterations = instance.jobs[0].iterations
    assert makespan - iterations * whole < iterations * whole
    slowdowns = [side_by_side(instance, pieces) for pieces in placements(instance)]
    assert slowdowns
    assert all(sorted(found)[-2] >= Fraction("2.5") for found in slowdowns)
    assert 1 / spread < 2 / contended
    assert makespan == 2 * iterations / (2 / contended)


def placements(instance: MakespanInstance) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield all ways to place the rings of an instance, all of one size, side by side."""
    sizes = [server.gpus for server in instance.cluster.servers]
    ways = [
        counts
        for counts in product(*(range(size + 1) for size in sizes))
        if sum(counts) == instance.jobs[0].gpus
    ]
    for pieces in product(ways, repeat=len(instance.jobs)):
        used = map(sum, zip(*pieces, strict=True))
        if all(count <= size for count, size in zip(used, sizes, strict=True)):
            yield pieces


def side_by_side(instance: MakespanInstance, pieces: tuple[tuple[int, ...], ...]) -> list[Fraction]:
    """Return how much each ring, so placed, is slowed while all of them run."""
    names = [server.name for server in instance.cluster.servers]
    entries = tuple(
        Assignment(
            job=job.name,
            start_slot=Decimal(0),
            gpus=tuple((name, count) for name, count in zip(names, counts, strict=True) if count),
        )
        for job, counts in zip(instance.jobs, pieces, strict=True)
    )
    verdict = check(instance, Schedule(instance=instance.name, assignments=entries))
    return [span.slowdown for span in verdict.spans if span.start == 0]
