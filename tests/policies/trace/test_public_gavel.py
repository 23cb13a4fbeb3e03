"""`gavel` ends every job when the rounds of Gavel's simulator do."""

from random import Random

import numpy as np
import pytest
from check.trace.small import job, make_instance
from little import few
from policies.trace.played import ends

from policies.trace import public_gavel
from ringyard.formulations.trace.shares import lexicographic_shares
from ringyard.instances import TraceInstance
from ringyard.search.trace.gavel import claims_of

rules = pytest.mark.parametrize("rule", public_gavel.RULES)


def drawn(seed: int) -> TraceInstance:
    """Return jobs of up to some rounds, on few GPUs, with rushes and idle times."""
    rng, jobs = Random(seed), []
    at = 500 * (seed % 2)
    gpus = rng.choice([2, 4, 8])
    for k in range(rng.randint(8, 16)):
        width = rng.choice([w for w in (1, 1, 2, 4) if w <= gpus])
        jobs.append(job(f"j{k}", width, rng.randint(100, 6000), arrival=at, model="m"))
        at += rng.choice([rng.randint(1, 300), rng.randint(300, 2500), rng.randint(2500, 9000)])
    return make_instance({"a": gpus}, *jobs)


@pytest.mark.parametrize("seed", few(1, range(8)))
@rules
def test_made_up_traces(rule: str, seed: int) -> None:
    instance = drawn(seed)
    assert ends(instance, f"gavel:shares={rule}") == public_gavel.ends(instance, rule)


@rules
def test_shares_that_may_be_computed_in_every_round_give_other_ends(rule: str) -> None:
    instance = drawn(2)
    often = ends(instance, f"gavel:shares={rule}:least_s=0")
    assert often == public_gavel.ends(instance, rule, least=0)
    assert often != public_gavel.ends(instance, rule)


def test_whole_steps_alone_count_as_had() -> None:
    """Rounds have 51, 6 and 2 of them, and 3, 6 and 70 s that do not count."""
    there = {1: 7.0, 2: 59.0, 4: 145.0}
    here = ",".join(f'"m@{gpus}":{step}' for gpus, step in there.items())
    others = 0
    for seed in range(4):
        instance = drawn(seed)
        found = ends(instance, f"gavel:steps={{{here}}}")
        assert found == public_gavel.ends(instance, "las", steps=there)
        others += found != public_gavel.ends(instance, "las")
    assert others


def test_who_comes_waits_for_shares_even_beside_idle_gpus() -> None:
    """Shares of 4000 are thought over from 5920 on, so in the round that begins at 6160."""
    jobs = (job("a", 1, 1000), job("b", 1, 9000, arrival=4000), job("c", 1, 10, arrival=4001))
    instance = make_instance({"s": 4}, *jobs)
    assert ends(instance, "gavel:shares=fifo") == {"a": 1000, "b": 13000, "c": 6170}


def test_a_round_is_over_when_all_its_jobs_have_ended_not_when_one_has() -> None:
    """The third job gets a GPU at 360, not at 100; the fourth at 410, with the end of the round."""
    jobs = (job("a", 1, 100), job("b", 1, 360), job("c", 2, 50), job("d", 1, 5))
    found = ends(make_instance({"s": 2}, *jobs), "gavel:shares=fifo")
    assert found == {"a": 100, "b": 360, "c": 410, "d": 415}


def test_no_share_can_grow_without_one_that_is_no_larger_in_level() -> None:
    """All time is given away, or all have all of it; who has less than 1 is at the level."""
    for seed in range(50):
        rng = Random(seed)
        claims = [
            (rng.choice([1, 2, 4]), rng.uniform(1, 9), rng.uniform(1, 9), rng.uniform(0, 5))
            for _ in range(rng.randint(1, 9))
        ]
        gpus = np.array([float(gpus) for gpus, *_ in claims])
        shares = lexicographic_shares(claims_of([claim[1:] for claim in claims]), gpus, 6).tolist()
        used = sum(gpus * share for (gpus, *_), share in zip(claims, shares, strict=True))
        levels = [
            (work / share + age) / alone
            for (_, work, alone, age), share in zip(claims, shares, strict=True)
        ]
        below = [level for level, share in zip(levels, shares, strict=True) if share < 1]
        assert used == pytest.approx(6) if below else used <= 6
        assert below == pytest.approx([max(below, default=0.0)] * len(below))
