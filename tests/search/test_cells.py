"""Cells: which rings share servers, what their blocks promise, and whether the engine agrees."""

from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import combinations
from math import inf, isinf
from pathlib import Path

import numpy as np
import pytest

import ringyard
from ringyard.analysis.check import check
from ringyard.formulations.program import Caps
from ringyard.formulations.solver_interface.solve import solve as solve_program
from ringyard.instances import (
    NO_LIMITS,
    MakespanInstance,
    ServerUplink,
    TerminationReason,
    load_instance,
)
from ringyard.instances.generate import generate
from ringyard.policies.request import Request
from ringyard.run import solve
from ringyard.search.makespan.annealing import nested
from ringyard.search.makespan.annealing.blocks import NEVER
from ringyard.search.makespan.bounds.counting import best_bound
from ringyard.search.makespan.shared_servers import cells, choice
from ringyard.search.makespan.shared_servers.blocks import BlockSorts, blocks_with_bundle, plan_of
from ringyard.search.makespan.shared_servers.cells import Racer, race
from ringyard.search.makespan.shared_servers.choice import (
    IN_TURN,
    PatternChoice,
    choice_program,
    choose,
    group_jobs,
    servers_needed,
)
from ringyard.search.makespan.shared_servers.patterns import (
    PatternBlock,
    ServerPattern,
    patterns_of,
)
from ringyard.simulation import build_model, evaluate

CASES = Path(__file__).parents[1] / "cases"

SHAPES = [((1, 2, 3, 5, 6, 7), 4), ((2, 3), 2), ((1, 3, 4, 9), 6), ((3, 5), 3)]
"""Sizes of jobs, and GPUs of a server."""


@pytest.fixture(autouse=True)
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let annealing and the choice of patterns end soon."""
    monkeypatch.setattr(cells, "MOST_SERVERS", 3)
    monkeypatch.setattr(choice, "NODES", 5)
    monkeypatch.setattr(cells, "SEEDS", 2)
    monkeypatch.setattr(cells, "ROUNDS", 1)
    monkeypatch.setattr(cells, "MOVES", 500)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let patterns have two servers at most."""
    monkeypatch.setattr(cells, "patterns_for", partial(cells.patterns_for, most=2))


def all_cells(sizes: tuple[int, ...], gpus: int) -> list[ServerPattern]:
    return [cell for servers in range(1, 5) for cell in patterns_of(sizes, gpus, servers)]


def knot(seed: int, **options: object) -> MakespanInstance:
    instance = generate("knot", seed=seed, jobs=16, servers=8, **options)
    assert isinstance(instance, MakespanInstance)
    return instance


def apart(one: PatternBlock, other: PatternBlock) -> bool:
    return one.high <= other.low or other.high <= one.low


def held(block: PatternBlock, gpus: int) -> set[int]:
    return {leaf // gpus for leaf in range(block.begin, block.end)}


@pytest.mark.parametrize(("sizes", "gpus"), SHAPES)
def test_blocks_of_a_cell_are_nested_by_size_or_apart(sizes: tuple[int, ...], gpus: int) -> None:
    for cell in all_cells(sizes, gpus):
        for one, other in combinations(cell.blocks, 2):
            large, small = sorted((one, other), key=lambda block: -block.gpus)
            inside = large.low <= small.low and small.high <= large.high
            assert apart(one, other) or (inside and large.gpus > small.gpus)
        assert all(b.low <= b.begin and b.end <= b.high for b in cell.blocks)
        assert 0 <= cell.servers * gpus - sum(cell.lanes) < min(gpus, *sizes)


@pytest.mark.parametrize(("sizes", "gpus"), SHAPES)
def test_whole_lanes_are_blocks_without_idle_leaves_that_cover_the_lanes(
    sizes: tuple[int, ...], gpus: int
) -> None:
    for cell in all_cells(sizes, gpus):
        lanes = [cell.blocks[i] for i in cell.whole_lanes()]
        assert sorted(block.gpus for block in lanes) == sorted(cell.lanes)
        assert all(block.high - block.low == block.gpus for block in lanes)
        assert all(apart(*pair) for pair in combinations(lanes, 2))


@pytest.mark.parametrize(("sizes", "gpus"), SHAPES)
def test_no_more_rings_meet_than_a_cell_says(sizes: tuple[int, ...], gpus: int) -> None:
    """Of all sets of blocks that can be at work at once, tried one by one."""
    for cell in all_cells(sizes, gpus)[:12]:
        most = dict.fromkeys(cell.blocks, 0)
        for count in range(1, 5):
            for some in combinations(cell.blocks, count):
                if all(apart(*pair) for pair in combinations(some, 2)):
                    rings = [block for block in some if len(held(block, gpus)) > 1]
                    for ring in rings:
                        there = (
                            sum(server in held(one, gpus) for one in rings)
                            for server in held(ring, gpus)
                        )
                        most[ring] = max(most[ring], *there)
        assert tuple(most.values()) == cell.rings, cell.lanes


@pytest.mark.parametrize(
    ("share", "overhead"),
    [
        ("0.5", "step"),
        *(
            pytest.param(share, overhead, marks=pytest.mark.slow)
            for share, overhead in (
                ("1", "paper"),
                ("1", "step"),
                ("1", "max_workers_per_server"),
                ("0.5", "paper"),
                ("0.5", "max_workers_per_server"),
            )
        ),
    ],
)
def test_no_job_takes_longer_than_its_block_says(share: str, overhead: str) -> None:
    """Jobs in random blocks: loads are ends, or the engine has rings that met fewer others."""
    instance = replace(knot(3, share=Decimal(share)), overhead=overhead)
    bound = float(best_bound(instance).value)
    chosen = cells.patterns_for(instance, bound, NO_LIMITS, most=2)[0]
    blocks, rng, model = chosen.bundled.blocks, np.random.default_rng(0), build_model(instance)
    sizes = np.array([job.gpus for job in instance.jobs])
    for _ in range(20):
        levels = blocks.rank
        where = rng.integers(blocks.first[levels], blocks.first[levels + 1])
        plan = plan_of(chosen.bundled, sizes, where)
        result = evaluate(model, plan)
        assert result.excess <= 0
        took, rest = np.array(result.end) - np.array(plan.start), chosen.bundled.rest
        slots = blocks.slots[np.arange(where.size), blocks.sort[where]]
        assert (took[rest] <= slots[: rest.size]).all()
        assert result.makespan <= nested.heaviest_of(blocks, where)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_layouts_never_need_fewer_servers_than_the_program(seed: int) -> None:
    """A layout is a point of the first program at the horizon that it keeps."""
    instance = knot(seed)
    chosen = cells.patterns_for(instance, float(best_bound(instance).value), NO_LIMITS)[0]
    blocks = chosen.bundled.blocks
    top = nested.heaviest_of(blocks, nested.pile(blocks, nested.large_first(blocks)))
    listed, groups = _listed(instance)
    needed = servers_needed(listed, groups, top).servers
    assert needed <= len(instance.cluster.servers) + 1e-6


def test_chosen_cells_fit_on_the_servers_and_their_slots_are_the_least_of_parts() -> None:
    instance = knot(1)
    listed, groups = _listed(instance)
    servers = len(instance.cluster.servers)
    horizon = float(best_bound(instance).value)
    needed = servers_needed(listed, groups, horizon).servers
    until = horizon * max(1.0, needed / servers)
    for in_turn in (False, True):
        found = choose(listed, groups, servers, until, NO_LIMITS, in_turn=in_turn)
        assert found is not None
        assert sum(one.pattern.servers for one in found.all_the_time()) <= servers
        assert found.slots >= until


def test_cells_that_are_for_no_job_of_a_size_do_not_do_the_jobs() -> None:
    listed, groups = _listed(knot(1))
    some = [one for one in listed if one.pattern.servers == 1]
    assert isinf(servers_needed(some, groups, 700.0).servers)
    assert choose(some, groups, 8, 700.0, NO_LIMITS, in_turn=True) is None


def test_servers_cut_in_turn_save_slots_and_neither_cut_is_for_a_short_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cells, "MOST_SERVERS", 5)
    monkeypatch.setattr(choice, "NODES", 100)
    instance = generate("knot", seed=1, jobs=32, servers=9)
    listed, groups = _listed(instance)
    horizon = float(best_bound(instance).value)
    some = [one for one in listed if one.pattern.lanes in ((1, 7), (3, 5), (5, 7), (5, 5, 5, 5))]
    until = horizon * max(1.0, servers_needed(some, groups, horizon).servers / 9)
    without = choose(some, groups, 9, until, NO_LIMITS)
    found = choose(some, groups, 9, until, NO_LIMITS, in_turn=True)
    assert without is not None
    assert found is not None
    assert not without.first
    assert found.slots < without.slots
    first, then = (sum(one.pattern.servers for one in part) for part in (found.first, found.then))
    assert 0 < first <= then <= IN_TURN
    assert until / 4 - 1 <= found.until <= until * 3 / 4 + 1


def test_what_is_promised_holds_with_the_shares_of_the_program() -> None:
    """At its point all jobs, at their fastest, fit into the leaves and what is beyond."""
    listed, groups = _listed(knot(1))
    program = choice_program(listed, groups, 700.0, 8, True)
    point = solve_program(program.matrix, caps=Caps(nodes=20)).point
    assert point is not None
    counts = np.round(point).astype(int)
    late = {turn.pattern: 0.0 for turn in program.turns}
    for turn in program.turns:
        late[turn.pattern] += counts[turn.then] * turn.times * (1 - point[program.until])
    capacity = sum(
        (counts[c] + late.get(c, 0.0)) * sum(one.pattern.lanes) for c, one in enumerate(listed)
    )
    early = sum(
        counts[turn.first]
        * turn.times
        * point[program.until]
        * sum(listed[turn.pattern].pattern.lanes)
        for turn in program.turns
    )
    beyond = program.matrix.cost[program.beyond] @ point[program.beyond]
    least = sum(group.gpus * int(group.slots[group.slots < NEVER].min()) for group in groups)
    assert least <= 700 * (capacity + early) + beyond + 1e-3


def test_a_bundle_ends_in_time_and_all_others_after_it() -> None:
    """Eight lanes of rings of 5 go first on ten servers, and pairs of servers come after them."""
    instance = knot(0)
    ring = next(one for one in instance.jobs if one.gpus == 5)
    rings = tuple(
        replace(ring, name=f"r{i}", iterations=ring.iterations * (20 + i) // 20) for i in range(28)
    )
    servers = tuple(replace(instance.cluster.servers[0], name=f"s{i}") for i in range(10))
    instance = replace(instance, cluster=replace(instance.cluster, servers=servers), jobs=rings)
    assert isinstance(instance.contention, ServerUplink)
    sorts, sizes = BlockSorts(instance, instance.contention), np.full(28, 5)
    pair, fours = (sorts.sorted(next(patterns_of([5], 4, count)), 4) for count in (2, 5))
    slots = sorts.slots()
    twice = 2 * int(np.median(slots.max(axis=1)))
    chosen = PatternChoice([], [fours] * 2, [pair] * 5, twice, twice)
    bundled = blocks_with_bundle(chosen, slots, sizes, 4, 10)
    assert bundled.bundle is not None
    first = sorted(bundled.bundle.jobs)
    assert sorted([*first, *bundled.rest.tolist()]) == list(range(28))
    assert bundled.bundle.slots <= twice
    assert bundled.bundle.idle == 8 * 5 * bundled.bundle.slots - 5 * int(
        slots[first].max(axis=1).sum()
    )
    where = nested.pile(bundled.blocks, nested.large_first(bundled.blocks))
    plan = plan_of(bundled, sizes, where)
    result = evaluate(build_model(instance), plan)
    assert result.excess <= 0
    assert max(result.end[j] for j in first) <= bundled.bundle.slots
    assert min(plan.start[bundled.rest]) >= bundled.bundle.slots
    assert result.makespan <= nested.heaviest_of(bundled.blocks, where)


@pytest.mark.slow
def test_races_keep_the_best_of_all_and_aim_below_it() -> None:
    """A choice that promises no less than the best has no turn."""
    chosen = cells.patterns_for(knot(1), 1.0, NO_LIMITS)
    offered: list[int] = []
    racers = [
        Racer(
            one.bundled.blocks,
            one.slots,
            lambda where, blocks=one.bundled.blocks: offered.append(
                nested.heaviest_of(blocks, where)
            ),
        )
        for one in chosen
    ]
    assert len(racers) > 1
    assert race(racers, 1.0, NO_LIMITS, np.random.default_rng(0)) is TerminationReason.DONE
    assert not offered
    race(racers, inf, NO_LIMITS, np.random.default_rng(0))
    assert min(offered) == min(one.top for one in racers)
    assert all(one.top >= one.floor for one in racers if not isinf(one.top))


def _listed(instance: MakespanInstance):
    assert isinstance(instance.contention, ServerUplink)
    sorts, jobs = BlockSorts(instance, instance.contention), [job.gpus for job in instance.jobs]
    sizes = sorted(set(jobs))
    listed = [
        sorts.sorted(cell, 4)
        for servers in range(1, cells.MOST_SERVERS + 1)
        for cell in patterns_of(sizes, 4, servers)
    ]
    return listed, group_jobs(np.array(jobs), sorts.slots())


def fives(jobs: int) -> MakespanInstance:
    """Rings of 5 GPUs that hardly slow one another down, on five servers of 4."""
    base = knot(0)
    job = replace(next(one for one in base.jobs if one.gpus == 5), gradient_gb=Decimal("0.0001"))
    servers = base.cluster.servers[:5]
    return replace(
        base,
        cluster=replace(base.cluster, servers=servers),
        jobs=tuple(replace(job, name=f"r{i}") for i in range(jobs)),
    )


def test_four_rings_of_five_share_five_servers_of_four() -> None:
    """All 20 GPUs are at work: no schedule of 28 such rings ends before seven rounds."""
    instance = fives(28)
    found = solve(instance, "cells")
    assert found.valid
    lone = solve(fives(1), "gang-lpt").objective
    assert found.objective <= 7 * lone * 102 / 100
    assert {len(one.gpus) for one in found.schedule.assignments} == {2}


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("share", ["0.5", pytest.param("1", marks=pytest.mark.slow)])
def test_schedules_are_valid_and_not_below_their_bound(share: str) -> None:
    instance = knot(2, share=Decimal(share))
    found = cells.run(instance, Request())
    assert found.schedule is not None
    verdict = check(instance, found.schedule)
    assert verdict.valid
    assert verdict.makespan >= found.bound.value


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("small-06x3-release", "released"),
        ("small-06x3-continuous", "slots"),
        ("hand-fluid-starved", "uplinks"),
    ],
)
def test_refusals_say_why(name: str, word: str) -> None:
    assert word in cells.refuses(ringyard.load(name))


@pytest.mark.parametrize("name", ["49-rings-on-four-servers", "65-rings-on-nine-servers"])
def test_without_time_for_cells_there_is_a_list_schedule_and_the_time_limit_is_told(
    name: str,
) -> None:
    instance = load_instance(CASES / f"cells-{name}.json")
    listed = solve(instance, "gang-lpt", time_limit=1e-9)
    answer = solve(instance, "cells", time_limit=1e-9)
    assert answer.outcome.termination is TerminationReason.TIME_LIMIT
    assert answer.valid
    assert answer.objective <= listed.objective
    assert "hold jobs of all sizes" not in answer.outcome.note
