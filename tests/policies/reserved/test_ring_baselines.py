"""FIFO, LAS and DRF of rings: who gets how many workers, slot by slot."""

from decimal import Decimal
from typing import Any

import pytest
from reserved_small import GPU, machine, make_instance, ring, tiny

import ringyard
from ringyard.instances import ReservedInstance
from ringyard.instances.generate import generate
from ringyard.policies.request import Request
from ringyard.policies.reserved import DRF, FIFO, LAS


def workers(module: Any, instance: ReservedInstance) -> dict[str, list[int]]:
    """Return the workers of each ring in every slot; the judge must find nothing wrong."""
    found = module.run(instance, Request()).schedule
    assert ringyard.check(instance, found).valid
    counts = {job.name: [0] * instance.horizon_slots for job in instance.jobs}
    for plan in found.plans:
        for entry in plan.plan:
            counts[plan.job][entry.slot] = sum(n for _, n in entry.workers)
    return counts


RINGS = [
    ring("late", 2, arrival_slot=1),
    ring("first", 3, budget=((GPU, Decimal(8)),)),
    ring("second", 3),
]
INSTANCE = make_instance([machine("m", 4)], RINGS, slots=4)


def test_the_first_to_arrive_take_all_until_their_budget_is_spent() -> None:
    assert workers(FIFO, INSTANCE) == {
        "first": [3, 3, 2, 0],
        "second": [1, 1, 2, 3],
        "late": [0, 0, 0, 1],
    }


def test_the_ring_that_has_had_least_goes_first() -> None:
    """After slot 0 with 3 and 1: late (0), second (1); then late (2), first (3), second (3)."""
    assert workers(LAS, INSTANCE) == {
        "first": [3, 0, 2, 0],
        "second": [1, 2, 0, 3],
        "late": [0, 2, 2, 1],
    }


def test_workers_go_round_by_dominant_share() -> None:
    """A worker of wide takes 2 of 8 GPUs: it gets one for two of narrow."""
    rings = [ring("narrow", 9), ring("wide", 9, worker=((GPU, Decimal(2)),))]
    assert workers(DRF, make_instance([machine("m", 8)], rings)) == {"narrow": [4], "wide": [2]}


def test_a_ring_that_cannot_grow_leaves_the_rest_to_others() -> None:
    """Both begin on m; with a second worker a moves to n, where it stays: no link carries it."""
    links = [machine("m", 2, 1), machine("n", 4, 1)]
    rings = [ring("a", 9, 2), ring("b", 9, 2)]
    assert workers(DRF, make_instance(links, rings)) == {"a": [4], "b": [2]}


@pytest.mark.parametrize("module", [FIFO, LAS, DRF], ids=["ring-fifo", "ring-las", "ring-drf"])
def test_whatever_comes_passes_the_judge(module: Any) -> None:
    for seed in range(15):
        workers(module, tiny(seed))
    workers(module, generate("gadget", seed=1, jobs=20, machines=10, slots=12))
