"""Each scheduler of the family on a case small enough to be worked out by hand."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from check.fleet.logs import fleet, job
from rental_small import amdahl, power, stream, table

import ringyard
from ringyard.instances import FleetInstance, FleetLog, RefusedError
from ringyard.policies.fleet import pollux
from ringyard.simulation.fleet import FleetSetting, FleetView, Terms

LINEAR = power(1)


def asking(name: str, gpus: int, curve: Any = LINEAR) -> Any:
    return stream(name, 1, (1, curve), asks=gpus)


def cluster(types: list[Any], *jobs: Any, gpus: int = 4, **more: Any) -> FleetInstance:
    """The budget is for so many GPUs over 100 ticks, by which all jobs are done."""
    return fleet(types, *jobs, budget_gpus=gpus, span_s=100, **more)


def log_of(instance: FleetInstance, method: str) -> FleetLog:
    answer = ringyard.solve(instance, method)
    assert answer.valid, answer.outcome.note
    return answer.schedule


def ran(instance: FleetInstance, method: str) -> dict[str, list[tuple[int, float]]]:
    """Return by job the starts of its runs, and their GPUs."""
    log = log_of(instance, method)
    return {one.job: [(int(r.start_s), float(r.gpus)) for r in one.runs] for one in log.jobs}


NARROW, WIDE = asking("narrow", 2), asking("wide", 3)
QUEUE = job("a", "narrow", 8), job("b", "wide", 9), job("c", "narrow", 8, arrival=1)


def test_static_fifo_lets_nobody_pass() -> None:
    instance = cluster([NARROW, WIDE], *QUEUE)
    assert ran(instance, "static-fifo") == {"a": [(0, 2)], "b": [(4, 3)], "c": [(7, 2)]}


def test_static_las_lets_those_pass_that_fit_until_there_is_room() -> None:
    instance = cluster([NARROW, WIDE], *QUEUE)
    assert ran(instance, "static-las") == {"a": [(0, 2)], "b": [(4, 3)], "c": [(1, 2), (7, 2)]}


def test_static_las_puts_back_who_had_its_share() -> None:
    """`a` has had 2 x 10 at 10; `b` then runs until it is done, as it is short."""
    instance = cluster([NARROW], job("a", "narrow", 40), job("b", "narrow", 12, arrival=3), gpus=2)
    got = ran(instance, "static-las:threshold_gpu_s=20:interval_s=5")
    assert got == {"a": [(0, 2), (16, 2)], "b": [(10, 2)]}


def test_a_static_cluster_is_rented_from_first_to_last() -> None:
    log = log_of(cluster([NARROW, WIDE], *QUEUE), "static-fifo")
    assert [(lease.start_s, lease.stop_s, lease.gpus) for lease in log.leases] == [(0, 100, 4)]


def test_who_asks_for_more_than_the_cluster_gets_all_of_it() -> None:
    instance = cluster([asking("huge", 50)], job("a", "huge", 8))
    assert ran(instance, "static-fifo") == {"a": [(0, 4)]}


@pytest.mark.parametrize("method", ["as-asked", "static-fifo", "static-fair", "static-las"])
def test_nobody_has_more_than_a_million_gpus(method: str) -> None:
    instance = cluster([asking("huge", 10**7)], job("a", "huge", 8), gpus=10**8)
    assert ran(instance, method) == {"a": [(0, 10**6)]}


@pytest.mark.parametrize(
    ("widths", "jobs", "parts"),
    [
        ("whole", 3, [2, 1, 1]),
        ("any", 3, [1.334, 1.333, 1.333]),
        ("any", 2, [2, 2]),
        ("whole", 6, [1, 1, 1, 1]),
    ],
)
def test_static_fair_gives_equal_parts(widths: str, jobs: int, parts: list[float]) -> None:
    made = (job(f"j{i}", "narrow", 20) for i in range(jobs))
    got = ran(cluster([NARROW], *made, widths=widths), "static-fair")
    assert [runs[0][1] for runs in got.values() if runs[0][0] == 0] == parts


def test_as_asked_gives_what_is_asked_for_or_says_what_it_would_cost() -> None:
    instance = cluster([NARROW, WIDE], *QUEUE)
    assert ran(instance, "as-asked") == {"a": [(0, 2)], "b": [(0, 3)], "c": [(1, 2)]}
    root = cluster([asking("root", 4, power(0.5))], job("a", "root", 3600), gpus=1)
    answer = ringyard.solve(root, "as-asked")
    assert (answer.status, answer.schedule) == ("unknown", None)
    # Half an hour on four GPUs, where 100 seconds of one are paid for.
    assert answer.outcome.note.endswith("within the budget: it spends 2.00 of 0.03")


def test_equal_width_spends_the_budget_on_one_width_for_all() -> None:
    """On four GPUs each the jobs need 2 and 8/5 of their work: in all 60,000 + 96,000."""
    types = [asking("root", 1, power(0.5)), asking("table", 1, table(1, 1.5, 2, 2.5))]
    instance = fleet(
        types, job("a", "root", 30_000), job("b", "table", 60_000), budget_gpus=1.56, span_s=100_000
    )
    got = ran(instance, "equal-width")
    assert got == {"a": [(0, pytest.approx(4, rel=0.001))], "b": got["a"]}


def test_boa_gives_the_widths_of_the_paper() -> None:
    """Two types of as much work each, and a budget of five times that (arXiv 2406.15560)."""
    types = [stream("amdahl", 1, (1, amdahl(0.8))), stream("root", 1, (1, power(0.5)))]
    jobs = job("a", "amdahl", 36_000), job("b", "root", 36_000)
    got = ran(fleet(types, *jobs, span_s=90_000, budget_gpus=2), "boa")
    assert got == {
        "a": [(0, pytest.approx(6, rel=0.002))],
        "b": [(0, pytest.approx(9, rel=0.002))],
    }


def test_boa_integer_keeps_to_epochs_only_where_changes_are_free() -> None:
    types = [stream("a", 1, (1, LINEAR), (1, LINEAR))]
    instance = fleet(types, job("j", "a", 5, 5), rescale_s=1)
    with pytest.raises(RefusedError, match="use boa"):
        ringyard.solve(instance, "boa-integer")
    short = fleet([asking("b", 1, power(0.5))], job("j", "b", 500), rescale_s=1)
    assert ringyard.solve(short, "boa-integer").valid
    with pytest.raises(RefusedError, match="use split=random"):
        ringyard.solve(short, "boa-integer:split=within")


def view(kinds: list[int]) -> FleetView:
    zeros = np.zeros(len(kinds), np.int64)
    return FleetView(
        now=0,
        jobs=np.arange(len(kinds)),
        kind=np.array(kinds),
        epoch=zeros,
        milli=zeros,
        attained=zeros,
        started=zeros.astype(bool),
        rented=0,
        ready=0,
        terms=Terms(),
    )


@pytest.mark.parametrize("waste", [0.05, 0.3, 0.6])
@pytest.mark.parametrize("seed", range(4))
def test_pollux_shares_out_best_and_rents_what_is_efficient(seed: int, waste: float) -> None:
    """Against all ways to share out GPUs, for speed-ups whose gains fall."""
    rng, most = np.random.default_rng(seed), 5
    curves = [falling(rng, most) for _ in range(3)]
    types = [asking(f"t{i}", 1, curve) for i, curve in enumerate(curves)]
    instance = fleet(types, job("j", "t0", 10))
    policy = pollux._Pollux(instance, pollux.Options(most_gpus=most), waste)
    policy.begin(FleetSetting(types=instance.types, terms=Terms(), tick_h=1 / 3600, whole=True))
    said = policy.decide(view([0, 1, 2]))
    held = said.milli // 1000
    assert held.sum() * 1000 == said.rent
    speeds = [[0, *(float(p.speed) for p in curve.points)] for curve in curves]

    def slowness(widths: Any) -> float:
        return sum(1 / own[k] for own, k in zip(speeds, widths, strict=True))

    def best(gpus: int) -> tuple[int, ...]:
        ways = product(range(1, most + 1), repeat=3)
        return min((way for way in ways if sum(way) == gpus), key=slowness)

    def efficiency(gpus: int) -> float:
        return sum(own[k] for own, k in zip(speeds, best(gpus), strict=True)) / gpus

    assert tuple(held) == best(int(held.sum()))
    efficient = [gpus for gpus in range(4, 3 * most + 1) if efficiency(gpus) >= 1 - waste]
    assert held.sum() == max(efficient, default=3)


def falling(rng: np.random.Generator, most: int) -> Any:
    """Return a table whose steps grow smaller."""
    steps = np.sort(rng.uniform(0.1, 1, most - 1))[::-1]
    return table(1, *(1 + np.cumsum(steps)))


@pytest.mark.parametrize(
    ("age", "before", "moves", "held"),
    [
        (0, 0, "counted", (4, 1)),
        (60, 0, "counted", (4, 1)),
        (60, 0, "free", (3, 2)),
        (6000, 0, "counted", (3, 2)),
        (1200, 0, "counted", (3, 2)),
        (1200, 1, "counted", (4, 1)),
    ],
)
def test_pollux_moves_a_job_where_that_is_worth_its_stall(
    age: int, before: int, moves: Any, held: tuple[int, ...]
) -> None:
    """Five GPUs, one job on four of them, another comes; square roots.

    Three and two are best, where the last GPU lowers slowness by 1/sqrt(2) - 1/sqrt(3) = 0.130. To
    stay costs 1/2 + 4 * 0.130 = 1.019, to move 1/(sqrt(3) w) + 3 * 0.130: less if w is above 0.916.
    After 1200 s it is 1200/1260 = 0.952, and with a move before 1140/1260 = 0.905.
    """
    instance, terms = fleet([asking("a", 1, power(0.5))], job("j", "a", 10)), Terms(rescale=60)
    policy = pollux._Pollux(instance, pollux.Options(most_gpus=4, moves=moves), 0.5)
    policy.begin(FleetSetting(types=instance.types, terms=terms, tick_h=1 / 3600, whole=True))
    first = replace(view([0]), terms=terms)
    assert policy.decide(first).milli.tolist() == [4000]
    policy._moves[0] = before
    late = Terms(rescale=60, provision=1)
    now = {"now": age, "terms": late, "ready": 5000, "milli": np.array([4000, 0])}
    both = replace(view([0, 0]), started=np.array([True, False]), **now)
    assert tuple(policy.decide(both).milli // 1000) == held


@pytest.mark.parametrize(("known", "gpus"), [("epoch", 1), ("first", 8)])
def test_pollux_believes_the_goodput_of_the_first_epoch_if_told_so(known: Any, gpus: int) -> None:
    """The job is in its second epoch, in which more GPUs gain nothing."""
    types = [stream("a", 1, (1, LINEAR), (1, table(1, 1)))]
    instance = fleet(types, job("j", "a", 40, 40))
    policy = pollux._Pollux(instance, pollux.Options(most_gpus=8, known=known), 0.25)
    policy.begin(FleetSetting(types=instance.types, terms=Terms(), tick_h=1 / 3600, whole=True))
    second = replace(view([0]), epoch=np.array([1]))
    assert policy.decide(second).milli.tolist() == [1000 * gpus]


def test_pollux_stays_as_it_is_between_rounds() -> None:
    """`b` comes at 3 and waits for the round at 10."""
    instance = cluster([asking("a", 1)], job("a", "a", 40), job("b", "a", 4, arrival=3), gpus=50)
    got = ran(instance, "pollux:interval_s=10:most_gpus=2")
    assert [start for start, _ in got["b"]] == [10]
