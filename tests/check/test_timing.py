"""Equations (6) to (9) against numbers worked out by hand."""

from fractions import Fraction
from typing import Any

import pytest
from check.cases import Entry, job, make_instance, plan, ring, shared

from ringyard.analysis.check import check
from ringyard.instances import MakespanInstance, Schedule, ServerUplink

ORACLE = {
    "gradient_gb": "0.002",
    "forward_s_per_sample": "0.0001",
    "batch_samples": 32,
    "backward_s": "0.004",
}
PLACES = {
    "one server": [{"s0": 4}],
    "two servers": [{"s0": 2, "s1": 2}],
    "two rings": [{"s0": 2, "s1": 2}, {"s0": 2, "s1": 2}],
}


def oracle(place: str, iterations: int, progress: str) -> tuple[MakespanInstance, Schedule]:
    places = PLACES[place]
    jobs = [job(f"j{i}", 4, iterations, **ORACLE) for i in range(len(places))]
    instance = make_instance(
        jobs,
        [4, 4],
        intra_bandwidth_gb_s=10,
        inter_bandwidth_gb_s=1,
        reduce_gb_s=1,
        contention=shared(degradation="0.5"),
        overhead_s="0.001",
        progress=progress,
    )
    return instance, plan(*((f"j{i}", 0, gpus) for i, gpus in enumerate(places)))


@pytest.mark.parametrize(
    ("place", "tau"), [("one server", "0.01"), ("two servers", "0.0137"), ("two rings", "0.0182")]
)
def test_seconds_per_iteration(place: str, tau: str) -> None:
    verdict = check(*oracle(place, 1, "continuous"))
    assert verdict.valid
    assert set(verdict.ends.values()) == {Fraction(tau)}


@pytest.mark.parametrize(
    ("place", "phi"), [("one server", 100), ("two servers", 72), ("two rings", 54)]
)
def test_whole_iterations_per_slot(place: str, phi: int) -> None:
    assert check(*oracle(place, phi, "floor")).makespan == 1
    assert check(*oracle(place, phi + 1, "floor")).makespan == 2
    assert check(*oracle(place, 3 * phi, "floor")).makespan == 3


def test_greedy_counterexample_takes_7_and_the_optimum_6() -> None:
    jobs = [job(f"j{i}", 1, f) for i, f in enumerate((3, 3, 2, 2, 2))]
    instance = make_instance(jobs, [1, 1])
    one, other = {"s0": 1}, {"s1": 1}
    greedy = plan(
        ("j0", 0, one), ("j1", 0, other), ("j2", 3, one), ("j3", 3, other), ("j4", 5, one)
    )
    best = plan(
        ("j0", 0, one), ("j1", 3, one), ("j2", 0, other), ("j3", 2, other), ("j4", 4, other)
    )
    verdict = check(instance, greedy)
    assert verdict.valid
    assert verdict.makespan == 7
    assert verdict.mean_completion == Fraction(3 + 3 + 5 + 5 + 7, 5)
    assert check(instance, best).valid
    assert check(instance, best).makespan == 6


@pytest.mark.parametrize(
    ("overhead", "gpus", "gamma"),
    [
        ("paper", {"s0": 4}, 1),
        ("paper", {"s0": 3, "s1": 1}, 2),
        ("paper", {"s0": 2, "s1": 1, "s2": 1}, 3),
        ("step", {"s0": 4}, 0),
        ("step", {"s0": 3, "s1": 1}, 1),
        ("step", {"s0": 2, "s1": 1, "s2": 1}, 1),
        ("max_workers_per_server", {"s0": 4}, 0),
        ("max_workers_per_server", {"s0": 1, "s1": 3}, 3),
        ("max_workers_per_server", {"s0": 2, "s1": 1, "s2": 1}, 2),
    ],
)
def test_overhead_counts_servers_steps_or_workers(
    overhead: str, gpus: dict[str, int], gamma: int
) -> None:
    instance = make_instance(
        [job("j", 4, 1, backward_s=1)],
        [4, 4, 4],
        overhead=overhead,
        overhead_s="0.25",
        progress="continuous",
    )
    assert check(instance, plan(("j", 0, gpus))).makespan == 1 + Fraction(gamma, 4)


def test_every_term_of_equation_8() -> None:
    one = job(
        "j",
        3,
        1,
        gradient_gb="0.6",
        batch_samples=5,
        forward_s_per_sample="0.03",
        backward_s="0.007",
    )
    fields = {"intra_bandwidth_gb_s": 8, "inter_bandwidth_gb_s": 2, "reduce_gb_s": 5}
    instance = make_instance([one], [3, 3], progress="continuous", overhead_s="0.0001", **fields)
    rest = Fraction("0.4") / 5 + Fraction("0.15") + Fraction("0.007")
    inside = check(instance, plan(("j", 0, {"s0": 3})))
    assert inside.makespan == Fraction("0.8") / 8 + rest + Fraction("0.0001")
    across = check(instance, plan(("j", 0, {"s0": 1, "s1": 2})))
    assert across.makespan == Fraction("0.8") / 2 + rest + Fraction("0.0002")


def test_a_slot_may_have_any_length() -> None:
    instance = make_instance(
        [job("j", 1, 6, backward_s=2)], [1], slot_s="2.5", progress="continuous"
    )
    assert check(instance, plan(("j", 0, {"s0": 1}))).makespan == Fraction(24, 5)


def rings_on_one_server(count: int, model: ServerUplink) -> tuple[MakespanInstance, Schedule]:
    """Let `count` rings of one iteration each share the uplink of s0."""
    jobs = [ring(f"r{i}", 2, 1) for i in range(count)]
    instance = make_instance(jobs, [count] + [1] * count, contention=model, progress="continuous")
    return instance, plan(*((f"r{i}", 0, {"s0": 1, f"s{i + 1}": 1}) for i in range(count)))


@pytest.mark.parametrize(
    ("count", "share", "degradation", "slowdown"),
    [
        (1, 1, 5, 1),
        (2, 1, 0, 2),
        (3, 1, 0, 3),
        (3, 1, "0.5", 4),
        (2, "0.5", 5, 1),
        (3, "0.5", 0, "1.5"),
        (3, "0.5", 1, 2),
        (3, "0.25", 1, 1),
        (5, "0.25", 1, "1.5"),
    ],
)
def test_rings_on_a_server_slow_down_by_the_formula(
    count: int, share: Any, degradation: Any, slowdown: Any
) -> None:
    instance, schedule = rings_on_one_server(count, shared(share, degradation))
    verdict = check(instance, schedule)
    assert {span.slowdown for span in verdict.spans} == {Fraction(slowdown)}
    assert set(verdict.ends.values()) == {(Fraction(slowdown) + 1) / 2}


def first_slowdowns(instance: MakespanInstance, *entries: Entry) -> dict[str, Fraction]:
    spans = check(instance, plan(*entries)).spans
    return {span.job: span.slowdown for span in reversed(spans)}


def test_contention_is_the_most_on_any_server_not_the_sum() -> None:
    jobs = [ring("long", 3, 8), ring("a", 2, 2), ring("b", 2, 2), ring("c", 2, 2)]
    instance = make_instance(jobs, [2, 3, 1, 3])
    across: list[Entry] = [
        ("long", 0, {"s0": 1, "s1": 1, "s2": 1}),
        ("a", 0, {"s0": 1, "s3": 1}),
        ("b", 0, {"s1": 1, "s3": 1}),
    ]
    slow = first_slowdowns(instance, *across, ("c", 0, {"s1": 1, "s3": 1}))
    assert slow == {"long": 3, "a": 3, "b": 3, "c": 3}
    slow = first_slowdowns(instance, *across, ("c", 0, {"s3": 2}))
    assert slow == {"long": 2, "a": 2, "b": 2, "c": 1}
    slow = first_slowdowns(instance, *across[:2], ("b", 0, {"s1": 2}), ("c", 0, {"s3": 2}))
    assert slow == {"long": 2, "a": 2, "b": 1, "c": 1}


def test_a_ring_counts_by_the_gpus_it_asks_for() -> None:
    # 3 of 5 GPUs on one server: spread there by (6), however wrong the gang; 5 or 6 are not.
    instance = make_instance([ring("a", 5, 1), ring("b", 2, 1)], [6, 1])
    other = ("b", 0, {"s0": 1, "s1": 1})
    assert first_slowdowns(instance, ("a", 0, {"s0": 3}), other) == {"a": 2, "b": 2}
    assert first_slowdowns(instance, ("a", 0, {"s0": 5}), other) == {"a": 1, "b": 1}
    assert first_slowdowns(instance, ("a", 0, {"s0": 6}), other) == {"a": 1, "b": 1}
