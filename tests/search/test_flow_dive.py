"""The flow of free blocks: its program says what nested blocks can do, and dives find it."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, milp

import ringyard
from ringyard.instances import Left, Stop
from ringyard.instances.generate import generate
from ringyard.policies.request import Request
from ringyard.run import solve
from ringyard.search.makespan import flow_dive, flow_round, nested
from ringyard.search.makespan.blocks import Blocks, cut
from ringyard.search.makespan.flow import LEFT_OUT, SPLIT, all_free, flow_program, tree_of
from ringyard.simulation.model import Ints


def mix(seed: int, jobs: int, servers: int) -> Blocks:
    blocks = cut(generate("mobihoc", seed=seed, jobs=jobs, servers=servers))
    assert blocks is not None
    return blocks


def going() -> flow_round.Effort:
    """Return all the effort that is wanted."""
    return flow_round.Effort(np.zeros(1, np.bool_))


def all_layouts(blocks: Blocks) -> list[Ints]:
    """Return every way to put each job into a block of its size."""
    places = [range(blocks.first[r], blocks.first[r + 1]) for r in blocks.rank]
    return [np.array(where) for where in product(*places)]


def fits(blocks: Blocks, horizon: int) -> bool:
    """Say whether whole numbers solve the program of all jobs without leaving one out."""
    tree = tree_of(blocks)
    jobs = range(blocks.rank.size)
    program = flow_program(blocks, tree, all_free(tree, horizon), jobs, np.random.default_rng(0))
    matrix = program.matrix
    found = milp(
        matrix.cost,
        integrality=np.ones(matrix.cost.size),
        bounds=(matrix.lower, np.minimum(matrix.upper, 100)),
        constraints=LinearConstraint(matrix.a, matrix.row_lower, matrix.row_upper),
    )
    assert found.success
    return float(found.x[program.group == LEFT_OUT].sum()) < 0.5


@pytest.mark.parametrize("seed", range(4))
def test_the_program_fits_at_the_least_layout_and_not_a_slot_before(seed: int) -> None:
    """Of all layouts of a few jobs, tried one by one."""
    blocks = mix(seed, 3 + seed % 2, 1 + seed % 3)
    best = min(nested.heaviest_of(blocks, where) for where in all_layouts(blocks))
    assert fits(blocks, best)
    assert not fits(blocks, best - 1)


@pytest.mark.parametrize("seed", range(4))
def test_what_a_dive_finds_ends_by_the_horizon(seed: int) -> None:
    blocks = mix(seed, 40, 10)
    piled = nested.heaviest_of(blocks, nested.pile(blocks, nested.large_first(blocks)))
    where = flow_round.dive(blocks, piled, seed, going())
    assert where is not None
    assert nested.heaviest_of(blocks, where) <= piled
    assert (blocks.level[where] == blocks.rank).all()


def test_no_dive_ends_before_the_longest_job() -> None:
    blocks = mix(2, 30, 6)
    longest = int(blocks.slots.min(axis=1).max())
    assert flow_round.dive(blocks, longest - 1, 0, going()) is None


def test_it_meets_a_bound_that_annealing_does_not() -> None:
    """The optimum of mobihoc-20-s3 is its bound, 417; annealing stays at 421 for minutes."""
    blocks = cut(ringyard.load("mobihoc-20-s3"))
    assert blocks is not None
    found = (flow_round.dive(blocks, 417, seed, going()) for seed in range(4))
    where = next(one for one in found if one is not None)
    assert nested.heaviest_of(blocks, where) == 417


def test_a_dive_that_is_halted_finds_nothing() -> None:
    blocks = mix(2, 40, 6)
    assert flow_round.dive(blocks, 10**4, 0, flow_round.Effort(np.ones(1, np.bool_))) is None


def test_a_dive_without_steps_finds_nothing() -> None:
    blocks = mix(2, 40, 6)
    assert flow_round.dive(blocks, 10**4, 0, flow_round.Effort(np.zeros(1, np.bool_), 0)) is None


def test_splits_give_back_all_gpus() -> None:
    blocks = mix(1, 12, 4)
    tree = tree_of(blocks)
    for block, parts in enumerate(tree.inside):
        size = blocks.high[block] - blocks.low[block]
        assert not parts or sum(blocks.high[c] - blocks.low[c] for c in parts) == size
    program = flow_program(blocks, tree, all_free(tree, 300), range(12), np.random.default_rng(0))
    assert {SPLIT, LEFT_OUT} <= set(program.group.tolist())


def test_the_method_gives_valid_schedules_not_below_the_bound() -> None:
    instance = generate("mobihoc", seed=3, jobs=40, servers=6)
    answer = solve(instance, "flow-dive")
    assert answer.valid
    assert answer.objective >= answer.bound.value


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_seed_and_threads_give_the_same_schedule(threads: int) -> None:
    instance = generate("mobihoc", seed=11, jobs=40, servers=4)
    found = [solve(instance, "flow-dive", seed=5, threads=threads).schedule for _ in range(2)]
    assert found[0] == found[1]


def test_it_stops_at_the_bound() -> None:
    roomy = generate("mobihoc", seed=0, jobs=6, servers=10)
    outcome = flow_dive.run(roomy, Request())
    assert (outcome.stop, outcome.left) == (Stop.DONE, Left.FEASIBLE)


@pytest.mark.parametrize(
    ("name", "word"),
    [("small-06x3", "divide"), ("large-20000-s0", "columns"), ("hand-timing-continuous", "slots")],
)
def test_what_it_refuses(name: str, word: str) -> None:
    reason = flow_dive.refuses(ringyard.load(name))
    assert reason is not None
    assert word in reason
    assert reason.startswith("flow-dive")
