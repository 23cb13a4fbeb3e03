"""Chosen configurations cost as little as the best of all choices, which are enumerated."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from ringyard.formulations.trace.configurations import Configuration, cheapest

WAITING = 1.1


def drawn(seed: int) -> tuple[list[Configuration], list[int]]:
    """Return up to 5 jobs with up to 4 configurations each, on 2 kinds that share a third pool."""
    rng = np.random.default_rng(seed)
    room = [int(gpus) for gpus in rng.integers(1, 7, 2)]
    room.append(int(rng.integers(max(room), sum(room) + 1)))
    choices = []
    for job in range(int(rng.integers(1, 6))):
        for _ in range(int(rng.integers(1, 5))):
            pools = (int(rng.integers(2)), 2)
            gpus, cost = int(rng.integers(1, 6)), float(rng.uniform(-0.5, 1.5))
            choices.append(Configuration(job, gpus, pools, cost))
    return choices, room


def cost_of(chosen: Sequence[Configuration], room: Sequence[int], jobs: int) -> float:
    """Return the cost of a choice, infinite if it does not fit."""
    used = [sum(one.gpus for one in chosen if pool in one.pools) for pool in range(len(room))]
    if any(gpus > most for gpus, most in zip(used, room, strict=True)):
        return float("inf")
    return sum(one.cost for one in chosen) + WAITING * (jobs - len(chosen))


@pytest.mark.parametrize("seed", range(60))
def test_the_choice_costs_as_little_as_the_best_of_all(seed: int) -> None:
    choices, room = drawn(seed)
    numbers = sorted({one.job for one in choices})
    own = [[None, *(one for one in choices if one.job == job)] for job in numbers]
    every = ([one for one in picked if one is not None] for picked in product(*own))
    best = min(cost_of(picked, room, len(numbers)) for picked in every)
    chosen = [choices[c] for c in cheapest(choices, room, WAITING)]
    assert len({one.job for one in chosen}) == len(chosen)
    assert cost_of(chosen, room, len(numbers)) == pytest.approx(best)


def test_nobody_runs_where_nothing_fits_or_waiting_is_cheaper() -> None:
    wide, dear = Configuration(0, 3, (0,), 0.5), Configuration(1, 1, (0,), WAITING)
    assert cheapest([wide, dear], [2], WAITING) == []
    assert cheapest([], [2], WAITING) == []
