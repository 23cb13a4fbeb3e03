"""The rule `every schedule`: it follows searches, and nothing beyond the least makespan."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from check.cases import plan
from check.certificates.proofs import Lines, checked, claiming, mutated
from check.tiny import instances
from hypothesis import given
from hypothesis.strategies import randoms

from ringyard.analysis.check.certificates.makespan import every
from ringyard.analysis.check.certificates.makespan.every import RingPaces
from ringyard.analysis.check.makespan import check_makespan
from ringyard.instances import (
    Cluster,
    Instance,
    Limits,
    MakespanInstance,
    RefusedError,
    RingJob,
    Schedule,
    Server,
    ServerUplink,
    digest,
)
from ringyard.instances.catalogue import entries, load
from ringyard.policies.request import Request
from ringyard.search.makespan.exact import branch_and_bound, enumeration

LONG = ("hand-timing-floor", "small-06x3-continuous")
"""Of these, on which following many proofs takes seconds."""

SEARCHED = (
    "hand-fluid-starved",
    "hand-fluid-tight",
    "hand-spread",
    "hand-spread-slow",
    "hand-timing-floor",
    "small-06x3-continuous",
)
"""Instances with a least makespan that nothing but a search proves."""

OTHERS = (
    "hand-contend-degraded",
    "hand-overhead-max-workers",
    "hand-idling",
    "small-04x2",
    "small-06x3-release",
)


def saying(instance: Instance, before: Fraction | int | str) -> Lines:
    """Return the certificate that says that no schedule ends before a moment."""
    head = {"certificate": 1, "instance": digest(instance), "family": "makespan"}
    step = {"rule": "every schedule", "before": str(before)}
    return [{**head, "claim": {"at_least": str(before)}}, step]


def best_of(name: str) -> Fraction:
    """Return the least makespan of an instance of the catalogue."""
    assert entries()[name].closed
    return entries()[name].upper[0].value


def refusal(instance: Instance, lines: Lines) -> str:
    """Return why a certificate is refused, nothing if it is not."""
    refused = checked(instance, lines).refused
    return refused.why if refused else ""


@pytest.mark.parametrize("name", [*SEARCHED, *OTHERS])
def test_the_least_makespan_follows_and_no_more(name: str) -> None:
    instance, best = load(name), best_of(name)
    assert checked(instance, saying(instance, best)).accepted
    later = best + (1 if best.denominator == 1 else Fraction(1, 10**6))
    assert "that all jobs end before" in refusal(instance, saying(instance, later))


def test_rings_may_take_turns_beside_idle_gpus() -> None:
    # Two rings of 3 have to share the middle server, where together they take 30 slots, and one by
    # one 11 each. First a short job needs a GPU there, from slot 11 on another: so the first ring
    # holds one of the two, and the second takes the one that was idle. It waits for the link only.
    ring = RingJob(name="a", gpus=3, iterations=10, gradient_gb=Decimal("0.75"))
    middle = RingJob(
        name="c",
        gpus=1,
        iterations=11,
        backward_s=Decimal(1),
        release_slot=Decimal(11),
        allowed_regions=("middle",),
    )
    instance = MakespanInstance(
        name="turns",
        cluster=Cluster(
            servers=tuple(
                Server(name=one, gpus=2, region=one) for one in ("left", "middle", "right")
            ),
            intra_bandwidth_gb_s=Decimal(10),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=Decimal(1000),
        ),
        jobs=(
            replace(ring, allowed_regions=("left", "middle")),
            replace(ring, name="b", allowed_regions=("middle", "right")),
            middle,
            replace(middle, name="d", iterations=3, release_slot=Decimal(0)),
        ),
        contention=ServerUplink(degradation=Decimal(1)),
    )
    assert checked(instance, saying(instance, 22)).accepted
    assert "that all jobs end before 23" in refusal(instance, saying(instance, 23))


def test_what_is_the_same_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = load("small-06x3")
    monkeypatch.setattr(every, "MOST_WORK", 24_000)
    assert checked(instance, saying(instance, 12)).accepted


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n in LONG else []) for n in SEARCHED]
)
def test_no_damaged_proof_goes_beyond_the_best_schedule(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance, best, rng = load(name), best_of(name), Random(name)
    lines = saying(instance, best)
    monkeypatch.setattr(every, "MOST_WORK", 8_000)
    for _ in range(20):
        verdict = checked(instance, claiming(mutated(lines, rng), best + 1))
        assert not verdict.accepted
        assert all(value <= best for value in verdict.follows)


@given(instances())
def test_what_follows_is_never_above_what_an_exact_search_finds(instance: MakespanInstance) -> None:
    best = searched(instance)
    if best is None:
        return
    assert not checked(instance, saying(instance, best + Fraction(1, 100))).accepted
    if isinstance(instance.contention, ServerUplink) and instance.progress != "continuous":
        why = refusal(instance, saying(instance, best))
        assert not why or "takes more than" in why


def searched(instance: MakespanInstance) -> Fraction | None:
    """Return a makespan that is the least, or in continuous time one that can be."""
    exact = branch_and_bound if instance.progress == "continuous" else enumeration
    try:
        outcome = exact.run(instance, Request(limits=Limits()))
    except RefusedError:
        return None
    if outcome.schedule is None:
        return None
    return check_makespan(instance, outcome.schedule).objective


@given(instances(), randoms(use_true_random=False))
def test_no_schedule_that_the_judge_accepts_is_missed(
    instance: MakespanInstance, rng: Random
) -> None:
    instance = replace(instance, jobs=instance.jobs[:3])
    ends = [
        verdict.objective
        for verdict in (check_makespan(instance, drawn(instance, rng)) for _ in range(30))
        if verdict.valid and verdict.objective is not None
    ]
    if ends:
        assert not checked(instance, saying(instance, min(ends) + Fraction(1, 100))).accepted


@given(instances(), randoms(use_true_random=False))
def test_a_job_alone_takes_what_the_judge_says(instance: MakespanInstance, rng: Random) -> None:
    paces = RingPaces(instance)
    for number, job in enumerate(instance.jobs):
        schedule = drawn(replace(instance, jobs=(job,)), rng)
        (entry,) = schedule.assignments
        ends = check_makespan(replace(instance, jobs=(job,)), schedule).ends
        held = dict(entry.gpus)
        pieces = tuple(held.get(server.name, 0) for server in paces.servers)
        taken = ends[job.name] - Fraction(entry.start_slot) if job.name in ends else None
        assert paces.alone(number, pieces) == taken


def drawn(instance: MakespanInstance, rng: Random) -> Schedule:
    """Draw early starts and GPUs; a server may be overbooked."""
    held = [server.name for server in instance.cluster.servers for _ in range(server.gpus)]
    return plan(
        *(
            (
                job.name,
                int(job.release_slot) + rng.choice([0, 0, 1, 2, 3]),
                Counter(rng.sample(held, job.gpus)),
            )
            for job in instance.jobs
        )
    )


def test_a_search_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = load("hand-spread")
    monkeypatch.setattr(every, "MOST_WORK", 20)
    assert "takes more than 20 steps" in refusal(instance, saying(instance, 6))
    monkeypatch.setattr(every, "MOST_SERVERS", 1)
    assert "more than 1 servers" in refusal(instance, saying(instance, 6))


@pytest.mark.parametrize("before", ["x", "-1", "1/0"])
def test_what_is_no_moment_is_refused(before: Any) -> None:
    instance = load("hand-spread")
    lines = claiming(saying(instance, before), 6)
    assert "before is" in refusal(instance, lines)


def test_far_moments_do_not_keep_the_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = load("small-06x3")
    monkeypatch.setattr(every, "MOST_WORK", 8_000)
    assert refusal(instance, saying(instance, 10**50))
