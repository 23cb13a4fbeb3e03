"""Dives into some servers leave the jobs on the others where they are."""

import numpy as np
import pytest

from ringyard.instances import Limits
from ringyard.instances.generate import generate
from ringyard.run import solve
from ringyard.search.makespan.annealing import nested
from ringyard.search.makespan.annealing.blocks import Blocks, cut, loads_of, tree_of
from ringyard.search.makespan.bounds.counting import best_bound
from ringyard.search.makespan.diving import block_dive
from ringyard.simulation.model import Ints

INSTANCE = generate("mobihoc", seed=8, jobs=160, servers=20)


def piled() -> tuple[Blocks, Ints]:
    blocks = cut(INSTANCE)
    assert blocks is not None
    return blocks, nested.pile(blocks, nested.large_first(blocks))


def sunk(floor: int, top: int) -> tuple[list[int], int]:
    """Return what the layouts carry that are offered, and what is returned."""
    blocks, _ = piled()
    offered = list[int]()
    rng = np.random.default_rng(0)

    def offer(where: Ints) -> None:
        assert (blocks.level[where] == blocks.rank).all()
        offered.append(nested.heaviest_of(blocks, where))

    return offered, block_dive.sink_parts(blocks, offer, Limits(threads=2), rng, floor, top)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let parts be of 60 jobs, so that there are several here."""
    monkeypatch.setattr(block_dive, "MOST_JOBS", 60)
    monkeypatch.setattr(block_dive, "FRUITLESS", 4)
    monkeypatch.setattr(block_dive, "DIVES_INTO_PARTS", 20)


@pytest.mark.parametrize("seed", range(5))
def test_a_part_carries_what_its_servers_carry(seed: int) -> None:
    blocks, where = piled()
    outer = np.random.default_rng(seed).permutation(tree_of(blocks).outer)[: 1 + seed]
    part = block_dive.part_of(blocks, outer, where)
    leaves = np.concatenate([np.arange(blocks.low[b], blocks.high[b]) for b in outer])
    there = loads_of(part.blocks, part.layout(where))
    assert there.tolist() == loads_of(blocks, where)[leaves].tolist()
    assert (part.numbers[part.layout(where)] == where[part.jobs]).all()


@pytest.mark.parametrize("seed", range(5))
def test_blocks_of_a_part_lie_as_they_do_among_all(seed: int) -> None:
    blocks, where = piled()
    outer = np.random.default_rng(seed).permutation(tree_of(blocks).outer)[: 1 + seed]
    part = block_dive.part_of(blocks, outer, where).blocks
    numbers = block_dive.part_of(blocks, outer, where).numbers
    for b, number in enumerate(numbers.tolist()):
        own, held = slice(part.low[b], part.high[b]), slice(blocks.low[number], blocks.high[number])
        assert part.server[own].tolist() == blocks.server[held].tolist()
        assert (part.at[part.level[b], own] == b).all()
        assert part.first[part.level[b]] <= b < part.first[part.level[b] + 1]
    assert part.sort.tolist() == blocks.sort[numbers].tolist()


@pytest.mark.slow
def test_layouts_that_are_offered_are_lighter_and_lighter() -> None:
    bound = int(best_bound(INSTANCE).value)
    offered, top = sunk(bound, bound + 40)
    assert offered == sorted(set(offered), reverse=True)
    assert bound <= top == offered[-1] < bound + 10


def test_what_cannot_be_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in (("DIVES", 2), ("TRIES", 1), ("STEPS", 2_000)):
        monkeypatch.setattr(block_dive, name, most)
    bound = int(best_bound(INSTANCE).value)
    assert sunk(bound - 3, bound) == ([], bound)


def test_jobs_beyond_a_part_stay_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against what every dive is given and returns."""
    kept = list[bool]()
    ended = block_dive._HorizonLayout._end

    def watched(self: block_dive._HorizonLayout, dive: block_dive._PartDive) -> None:
        before = self._where.copy()
        ended(self, dive)
        others = np.setdiff1d(np.arange(before.size), dive.part.jobs)
        kept.append((self._where[others] == before[others]).all())

    monkeypatch.setattr(block_dive._HorizonLayout, "_end", watched)
    bound = int(best_bound(INSTANCE).value)
    sunk(bound, bound + 1)
    assert kept
    assert all(kept)


@pytest.mark.parametrize("threads", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_the_same_seed_and_threads_give_the_same_schedule(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = generate("mobihoc", seed=8, jobs=60, servers=8)
    monkeypatch.setattr(block_dive, "MOST_JOBS", 30)
    monkeypatch.setattr(block_dive, "DIVES", threads)
    monkeypatch.setattr(block_dive, "DIVES_INTO_PARTS", 2)
    found = [solve(instance, "block-dive", seed=5, threads=threads) for _ in range(2)]
    assert found[0].schedule == found[1].schedule
    assert found[0].valid
    assert found[0].objective >= found[0].bound.value


def test_a_time_limit_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_dive, "MOST_JOBS", 60)
    answer = solve(INSTANCE, "block-dive", time_limit=0.5)
    assert answer.valid
