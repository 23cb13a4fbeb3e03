"""Ends at slot boundaries, and as close to one as numbers of a file can be."""

import random
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from agreement import differences
from near_ties import doubling, near_ties

import ringyard
from ringyard.instances import Cluster, MakespanInstance, RingJob, Server
from ringyard.simulation import progress as exact
from ringyard.simulation.state import RUN


@pytest.mark.parametrize("seed", range(8))
def test_engine_and_judge_agree(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        assert differences(*near_ties(rng)) == []


@pytest.mark.parametrize("seed", range(2))
def test_engine_and_judge_agree_where_many_rings_share_links(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        assert differences(*near_ties(rng, crowded=True)) == []


@pytest.mark.parametrize(
    "backward_s",
    ["1.0101006297", "1.010100629702", "1." + 10 * "01", "1." + 12 * "01", "1." + 11 * "01" + "02"],
)
def test_errors_of_shares_that_grow_from_ring_to_ring_are_known(backward_s: str) -> None:
    """The last ring has 7 iterations, and ends with slot 7 up to 100/99 s, else with slot 8.

    In floating point it is late from 1.0101006297015359 s on.
    """
    instance, schedule = doubling()
    last = replace(instance.jobs[-1], backward_s=Decimal(backward_s))
    one = replace(instance, jobs=(*instance.jobs[:-1], last))
    assert differences(one, schedule) == []


def test_fractions_are_asked_where_nothing_else_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def counted(*question: Any) -> bytes:
        nonlocal asked
        asked += question[2] is RUN
        return known(*question)

    known: Callable[..., bytes] = exact._bytes
    monkeypatch.setattr(exact, "_bytes", counted)
    rng = random.Random(0)
    for _ in range(300):
        differences(*near_ties(rng))
    assert 0 < asked < 300


@pytest.mark.parametrize(("more", "end"), [("0", 4), ("1e-10", 5), ("1e-15", 5), ("1e-18", 5)])
def test_an_end_beyond_a_boundary_is_an_end_in_the_next_slot(more: str, end: int) -> None:
    """Two rings of one GPU on each of two servers; four iterations take 4 (1 + more) slots."""
    instance = MakespanInstance(
        name="edge",
        cluster=Cluster(
            servers=(Server(name="s0", gpus=1), Server(name="s1", gpus=1)),
            intra_bandwidth_gb_s=Decimal(1),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=None,
        ),
        jobs=tuple(
            RingJob(name=name, gpus=2, iterations=4, backward_s=1 + Decimal(more)) for name in "ab"
        ),
    )
    answer = ringyard.solve(instance, "gang-lpt")
    assert answer.valid
    assert answer.objective == 2 * end


def test_without_a_speed_of_reduction_adding_gradients_takes_no_time() -> None:
    """Ring of 2 GPUs, gradient of 1 GB: 1 s of transfer, and 0.5 s of adding at 1 GB/s."""
    job = RingJob(name="a", gpus=2, iterations=2, gradient_gb=Decimal(1))
    for speed, slots in ((Decimal(1), 3), (None, 2)):
        one = Cluster(
            servers=(Server(name="s0", gpus=2),),
            intra_bandwidth_gb_s=Decimal(1),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=speed,
        )
        answer = ringyard.solve(MakespanInstance(name="one", cluster=one, jobs=(job,)), "gang-lpt")
        assert answer.valid
        assert answer.objective == slots
