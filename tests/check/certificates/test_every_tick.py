"""The rule `every tick`: it follows searches of traces, and nothing beyond the least mean."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from check.certificates.proofs import Lines, checked, claiming, mutated
from little import few
from trace_optimum import cluster, job, optimum, tiny

from ringyard.analysis.check.certificates.trace import ticks as every_tick
from ringyard.instances import ServerUplink, TraceInstance, digest
from ringyard.instances.catalogue import entries, load
from ringyard.policies.request import Request
from ringyard.search.trace import state_search

QUICK = (
    "tiny-trace-03x1",
    "tiny-trace-05x2",
    "tiny-trace-05x2-no-restart",
    "tiny-trace-05x2-uplinks",
    "tiny-trace-06x3",
)
SLOW = (
    "tiny-trace-06x2",
    "regional-tiny-trace",
    "tiny-trace-05x2-sharing",
    "tiny-trace-05x2-widths",
)
"""Instances with a least mean that nothing but a search proves."""


def saying(instance: TraceInstance, mean: Fraction | int) -> Lines:
    """Return the certificate that says that no schedule has a lower mean."""
    head = {"certificate": 1, "instance": digest(instance), "family": "trace"}
    step = {"rule": "every tick", "at_least": str(mean)}
    return [{**head, "claim": {"at_least": str(mean)}}, step]


def refusal(instance: TraceInstance, mean: Fraction) -> str:
    """Return why the certificate of a mean is refused, nothing if it is not."""
    refused = checked(instance, saying(instance, mean)).refused
    return refused.why if refused else ""


def tick_more(instance: TraceInstance, mean: Fraction) -> Fraction:
    """Return the next mean that there can be."""
    return mean + Fraction(instance.tick_s) / len(instance.jobs)


@pytest.mark.parametrize("name", few(4, (*QUICK, *SLOW)))
def test_the_least_mean_follows_and_no_more(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    instance, entry = load(name), entries()[name]
    assert isinstance(instance, TraceInstance)
    assert entry.closed
    best = entry.upper[0].value
    if name in QUICK:  # test_steps_taken.py follows the others.
        assert checked(instance, saying(instance, best)).accepted
    monkeypatch.setattr(every_tick, "MOST_WORK", 10**6)
    assert "exclude a mean below" in refusal(instance, tick_more(instance, best))


@pytest.mark.parametrize("seed", few(8, range(14)))
def test_what_follows_is_what_placing_everything_finds(seed: int) -> None:
    # `optimum` places every job in every tick through the judge's eyes, and shares nothing.
    instance = tiny(seed)
    best = optimum(instance)
    assert refusal(instance, tick_more(instance, best))
    why = refusal(instance, best)
    links = instance.contention is not None and any(one.communication for one in instance.jobs)
    assert not why or "takes more than" in why or (links and "exclude a mean below" in why)


@pytest.mark.parametrize("restart", [0, 1, 3])
@pytest.mark.parametrize("resume", [0, 2])
def test_stops_cost_what_the_judge_says(restart: int, resume: int) -> None:
    # A long job before short ones: whether it is stopped for them depends on what that costs.
    instance = replace(
        cluster([job("long", 2, 6), job("a", 1, 1, 1), job("b", 1, 2, 3)], 2),
        restart_s=Decimal(restart),
        resume_s=Decimal(resume),
    )
    best = state_search.run(instance, Request(options=state_search.Options())).bound
    assert best is not None
    assert not refusal(instance, best.value)
    assert refusal(instance, tick_more(instance, best.value))


def test_links_are_taken_to_be_free_and_so_less_follows() -> None:
    # Two rings of 3 on servers of 2 GPUs have to meet in the middle, or wait for each other.
    rings = [job(name, 3, 4, communication=Decimal(1)) for name in "ab"]
    alone = cluster(rings, 2, 2, 2)
    shared = replace(alone, contention=ServerUplink(share=Decimal(1), degradation=Decimal(1)))
    least, best = (
        state_search.run(one, Request(options=state_search.Options())).bound
        for one in (alone, shared)
    )
    assert least is not None
    assert best is not None
    assert least.value < best.value
    assert not refusal(alone, least.value)
    assert not refusal(shared, least.value)
    assert "exclude a mean below" in refusal(shared, tick_more(shared, least.value))


@pytest.mark.parametrize("name", few(1, QUICK[2::-1]))
def test_no_damaged_proof_goes_beyond_the_best_schedule(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance, best, rng = load(name), entries()[name].upper[0].value, Random(name)
    assert isinstance(instance, TraceInstance)
    lines = saying(instance, best)
    monkeypatch.setattr(every_tick, "MOST_WORK", 8_000)
    for _ in range(20):
        verdict = checked(instance, claiming(mutated(lines, rng), tick_more(instance, best)))
        assert not verdict.accepted
        assert all(value <= best for value in verdict.follows)


@pytest.mark.parametrize(
    ("name", "limit", "said"),
    [
        ("MOST_WORK", 100, "takes more than 100 steps"),
        ("MOST_SERVERS", 1, "more than 1 servers"),
        ("MOST_PLACES", 2, "has 3 places, and 1 to 2 are tried"),
    ],
)
def test_what_is_too_large_is_refused(
    name: str, limit: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = load("tiny-trace-05x2")
    assert isinstance(instance, TraceInstance)
    monkeypatch.setattr(every_tick, name, limit)
    assert said in refusal(instance, Fraction(27, 5))
