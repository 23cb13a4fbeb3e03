"""BlockPatterns say what nested blocks can do, and dives over them find it."""

from collections import Counter, defaultdict
from itertools import combinations, product

import numpy as np
import pytest
from little import few

import ringyard
from ringyard.instances import Limits, SolutionStatus, TerminationReason
from ringyard.instances.generate import generate
from ringyard.policies.request import Request
from ringyard.run import solve
from ringyard.search.makespan.annealing import nested
from ringyard.search.makespan.annealing.blocks import Blocks, Pool, cut, tree_of
from ringyard.search.makespan.diving import block_dive, dive
from ringyard.search.makespan.diving.columns import ASKED, Covering, Taken
from ringyard.search.makespan.diving.patterns import BlockPatterns, PatternPiece
from ringyard.simulation.model import Ints


def mix(seed: int, jobs: int, servers: int) -> Blocks:
    blocks = cut(generate("mobihoc", seed=seed, jobs=jobs, servers=servers))
    assert blocks is not None
    return blocks


def going() -> dive.Effort:
    """Return all the effort that is wanted."""
    return dive.Effort(np.zeros(1, np.bool_))


def held_by(pattern: list[PatternPiece]) -> list[int]:
    """Return the groups of all jobs in it."""
    return [group for piece in pattern for group in piece.jobs]


def all_layouts(blocks: Blocks) -> list[Ints]:
    """Return every way to put each job into a block of its size."""
    places = [range(blocks.first[r], blocks.first[r + 1]) for r in blocks.rank]
    return [np.array(where) for where in product(*places)]


def pool_of(blocks: Blocks, free: dict[int, int]) -> Pool:
    """Return free blocks, with the slots that are left on each."""
    kind, pool = tree_of(blocks).kind, defaultdict[tuple[int, int], list[int]](list)
    for block, slots in free.items():
        pool[kind[block], slots].append(block)
    return pool


def covered(blocks: Blocks, horizon: int) -> bool:
    """Return True if fractions of patterns cover all jobs by the horizon."""
    tree = tree_of(blocks)
    patterns = BlockPatterns(blocks, tree, horizon)
    left = np.array([len(group) for group in patterns.groups])
    covering = Covering(patterns, np.random.default_rng(0))
    free = pool_of(blocks, dict.fromkeys(tree.outer, horizon))
    return covering.point(free, left, 1_000, lambda: False) is not None


@pytest.mark.parametrize("seed", range(4))
def test_the_one_pattern_that_is_missing_is_found_among_many_blocks(seed: int) -> None:
    """Each block has room for one job, and there are more than are filled anew at a time."""
    blocks = mix(seed, 160, 20)
    patterns = BlockPatterns(blocks, tree_of(blocks), 10**3)
    left = np.where(patterns.level == 0, [len(group) for group in patterns.groups], 0)
    slots = [s for s, times in zip(patterns.area, left, strict=True) for _ in range(times)]
    assert len(slots) > ASKED
    pool = pool_of(blocks, dict(enumerate(slots)))
    covering = Covering(patterns, np.random.default_rng(seed))
    kind = tree_of(blocks).kind[0]
    for group in np.flatnonzero(left)[1:].tolist():
        covering.learn(PatternPiece(kind, int(patterns.slots[kind][group]), (1,), (group,)))
    assert covering.point(pool, left, 10**3, lambda: False) is not None


def test_a_chain_gets_a_block_of_more_slots_where_there_is_none_of_as_few() -> None:
    blocks = mix(2, 40, 6)
    diving = dive._Dive(blocks, 10**4, np.random.default_rng(0), going())
    kind, group = tree_of(blocks).kind[0], len(diving._patterns.groups) - 1
    chain = PatternPiece(kind, 90, (1,), (group,))
    assert diving._possible([chain]) == []
    diving._pool = pool_of(blocks, {0: 100, 1: 95, 2: 89})
    there = [chain._replace(free=slots) for slots in (95, 100)]
    assert diving._possible([chain] * 3)[:2] == there[: len(diving._patterns.groups[group])]
    taken = [Taken(chain._replace(free=101), 1.0)]
    assert list(diving._chains(taken, 0)) == []


@pytest.mark.parametrize("seed", few(2, (2, 3, 0, 1)))
def test_all_jobs_are_covered_where_a_layout_ends_and_not_below_the_area(seed: int) -> None:
    """Of all layouts of a few jobs, tried one by one."""
    blocks = mix(seed, 3 + seed % 2, 1 + seed % 3)
    best = min(nested.heaviest_of(blocks, where) for where in all_layouts(blocks))
    assert covered(blocks, best)
    size = (blocks.high - blocks.low)[blocks.first[blocks.rank]]
    area = int((blocks.slots.min(axis=1) * size).sum())
    below = max(-(-area // blocks.server.size), int(blocks.slots.min(axis=1).max())) - 1
    assert not covered(blocks, below)
    assert dive.in_fractions(blocks, best, 0) is not None
    assert dive.in_fractions(blocks, below, 0) is None


def test_roundings_that_go_through_leave_only_the_smallest_jobs_in_fractions() -> None:
    roomy = mix(0, 40, 10)
    assert dive.in_fractions(roomy, 10**4, 0) == 1


def test_where_no_job_comes_out_whole_the_largest_stay_in_fractions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No chain is carried out, so that even the largest jobs are in fractions."""
    monkeypatch.setattr(dive._Dive, "_chains", lambda *_: ())
    blocks = mix(0, 40, 10)
    largest = int((blocks.high - blocks.low)[blocks.first[blocks.rank]].max())
    assert dive.in_fractions(blocks, 10**4, 0) == largest


@pytest.mark.parametrize("seed", range(6))
def test_no_chain_is_worth_more_than_the_best_pattern_of_a_leaf(seed: int) -> None:
    """Against all sets of jobs of the smallest size."""
    blocks = mix(seed, 14, 2)
    tree = tree_of(blocks)
    patterns = BlockPatterns(blocks, tree, 300)
    rng = np.random.default_rng(seed)
    kind = next(kind for kind in tree.kinds if not tree.parts[kind])
    prices = np.where(patterns.level == 0, rng.integers(1, 100, len(patterns.groups)), 0.0)
    left = np.array([len(group) for group in patterns.groups])
    own = [g for g, group in enumerate(patterns.groups) if prices[g] for _ in group]
    slots = patterns.slots[kind]
    for free in (60, 150, 300):
        sets = (some for n in range(len(own) + 1) for some in combinations(own, n))
        fit = [sum(prices[g] for g in some) for some in sets if slots[list(some)].sum() <= free]
        pattern = patterns.best((kind, free), prices, left.copy())
        assert patterns.worth([(kind, free)], prices, left) == [max(fit)]
        assert sum(prices[g] for piece in pattern for g in piece.chain) == max(fit)
        assert all(patterns.needs(piece) <= free == piece.free for piece in pattern)


@pytest.mark.parametrize("seed", range(4))
def test_no_pattern_holds_a_job_twice_or_takes_more_slots_than_there_are(seed: int) -> None:
    blocks = mix(seed, 40, 10)
    tree = tree_of(blocks)
    patterns = BlockPatterns(blocks, tree, 200)
    left = np.array([len(group) for group in patterns.groups])
    prices = np.random.default_rng(seed).random(left.size) * patterns.area
    for kind in tree.kinds:
        rest = left.copy()
        pattern = patterns.best((kind, 170), prices, rest)
        held = Counter(held_by(pattern))
        assert all(rest[g] == left[g] - held[g] for g in range(left.size))
        assert all(held[g] <= left[g] for g in held)
        assert all(patterns.needs(piece) <= piece.free <= 170 for piece in pattern)
        (most,) = patterns.worth([(kind, 170)], prices, left)
        assert sum(prices[g] * times for g, times in held.items()) <= most + 1e-6
        twice = patterns.best((kind, 170), prices, left.copy(), twice=True)
        assert prices[held_by(twice)].sum() == pytest.approx(most)


@pytest.mark.parametrize("seed", range(4))
def test_the_pieces_of_a_pattern_cover_its_jobs_in_one_block(seed: int) -> None:
    """All of them together, but not if one is not known."""
    blocks = mix(seed, 60, 4)
    tree = tree_of(blocks)
    patterns, block = BlockPatterns(blocks, tree, 400), tree.outer[-1]
    every = np.array([len(group) for group in patterns.groups])
    pattern = patterns.best((tree.kind[block], 400), patterns.area.astype(float), every)
    left = np.bincount(held_by(pattern), minlength=every.size)
    assert len(pattern) > 3
    for missing in (None, *pattern):
        covering = Covering(patterns, np.random.default_rng(0))
        for piece in pattern:
            if piece != missing:
                covering.learn(piece)
        point = covering.point(pool_of(blocks, {block: 400}), left, 1, lambda: False)
        assert (point is None) == (missing is not None)


@pytest.mark.parametrize("seed", range(4))
def test_the_piece_of_a_small_block_is_its_chain_and_its_parts(seed: int) -> None:
    blocks = mix(seed, 60, 4)
    tree = tree_of(blocks)
    patterns = BlockPatterns(blocks, tree, 400)
    left = np.array([len(group) for group in patterns.groups])
    pieces = patterns.best((tree.kinds[0], 400), patterns.area.astype(float), left)
    large = [piece for piece in pieces if not patterns.small[piece.kind]]
    assert all(piece.chain == piece.jobs and not list(patterns.parts(piece)) for piece in large)
    todo = [piece for piece in pieces if patterns.small[piece.kind]]
    for one in todo:
        parts = list(patterns.parts(one))
        assert tuple(part.kind for part in parts) == tree.parts[one.kind]
        assert sum((part.jobs for part in parts), one.chain) == one.jobs
        assert {patterns.level[g] for g in one.chain} <= {patterns.levels[one.kind]}
        inside = max((patterns.needs(part) for part in parts), default=0)
        assert patterns.needs(one) == patterns.slots[one.kind][list(one.chain)].sum() + inside
        todo += parts
    assert len(todo) > len(pieces)


@pytest.mark.parametrize("seed", range(4))
def test_what_a_layout_has_in_free_blocks_covers_all_jobs_at_once(seed: int) -> None:
    """No patterns are asked for, unless the layout ends too late."""
    blocks = mix(seed, 60, 6)
    where = nested.pile(blocks, nested.large_first(blocks))
    heaviest = nested.heaviest_of(blocks, where)
    for horizon in (heaviest, heaviest - 1):
        diving = dive._Dive(blocks, horizon, np.random.default_rng(0), going())
        assert diving.begin(where, blocks.at.shape[0])
        assert (diving.point(1) is None) == (horizon < heaviest)


@pytest.mark.parametrize("seed", range(4))
def test_what_a_dive_finds_ends_by_the_horizon(seed: int) -> None:
    blocks = mix(seed, 40, 10)
    piled = nested.heaviest_of(blocks, nested.pile(blocks, nested.large_first(blocks)))
    where = dive.dive(blocks, piled, seed, going()).where
    assert where is not None
    assert nested.heaviest_of(blocks, where) <= piled
    assert (blocks.level[where] == blocks.rank).all()


def test_no_dive_ends_before_the_longest_job() -> None:
    blocks = mix(2, 30, 6)
    longest = int(blocks.slots.min(axis=1).max())
    assert dive.dive(blocks, longest - 1, 0, going()).where is None


def test_there_are_no_dives_whose_tables_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = mix(2, 40, 6)
    layout = nested.pile(blocks, nested.large_first(blocks))
    assert dive.dive_from(blocks, layout, 10**4, 0, going(), 9) is not None
    monkeypatch.setattr("ringyard.search.makespan.diving.patterns.MOST_WORTHS", 10**5)
    assert dive.dive_from(blocks, layout, 10**4, 0, going(), 9) is None
    rng, offers = np.random.default_rng(0), list[Ints]()
    assert block_dive.sink(blocks, offers.append, Limits(), rng, 100, 10**4) == 10**4
    assert offers == []


@pytest.mark.parametrize("ahead", [1, 2])
def test_dives_go_on_past_their_part_of_the_time_only_for_the_last_slot(
    monkeypatch: pytest.MonkeyPatch, ahead: int
) -> None:
    blocks, rng, offers = mix(2, 40, 6), np.random.default_rng(0), list[Ints]()
    where = nested.pile(blocks, nested.large_first(blocks))
    monkeypatch.setattr(block_dive, "dive", lambda *_: dive.Dived(where))
    load = nested.heaviest_of(blocks, where)
    over, top = Limits(time_s=0.0), load + ahead
    found = block_dive.sink(blocks, offers.append, over, rng, load, top, Limits())
    assert (found, len(offers)) == ((load, 1) if ahead == 1 else (top, 0))


@pytest.mark.parametrize("covered", [False, True])
def test_a_dive_is_futile_only_where_no_fractions_cover_all_jobs(
    monkeypatch: pytest.MonkeyPatch, covered: bool
) -> None:
    blocks = mix(0, 160, 15)

    def run(diving: dive._Dive) -> None:
        diving.least = 1 if covered else None

    monkeypatch.setattr(dive._Dive, "run", run)
    longest = int(blocks.slots.min(axis=1).max())
    dived = dive.dive(blocks, longest, 0, going())
    assert (dived.where, dived.futile) == (None, not covered)


@pytest.mark.parametrize("later", [0, 1])
def test_a_dive_finds_a_point_at_once_from_the_pieces_of_another(later: int) -> None:
    """They end before a later horizon, too."""
    blocks, horizon = cut(ringyard.load("mobihoc-20-s2")), 353
    assert blocks is not None
    effort = dive.Effort(np.zeros(1, np.bool_), 4_000)
    known = dive.dive(blocks, horizon, 0, effort).pieces
    layout, until = nested.pile(blocks, nested.large_first(blocks)), horizon + later
    for pieces in (known, ()):
        diving = dive._Dive(blocks, until, np.random.default_rng(0), going())
        assert diving.begin(layout, blocks.at.shape[0])
        for piece in pieces:
            diving.learn(piece._replace(free=piece.free + until))
        assert (diving.point(1) is not None) == bool(pieces)
    assert known


@pytest.mark.slow
def test_it_meets_a_bound_that_annealing_does_not() -> None:
    """The optimum of mobihoc-10-s2 is its bound, 638; annealing stays at 640 for minutes."""
    blocks = cut(ringyard.load("mobihoc-10-s2"))
    assert blocks is not None
    found = (dive.dive(blocks, 638, seed, going()).where for seed in range(8))
    where = next(one for one in found if one is not None)
    assert nested.heaviest_of(blocks, where) == 638


@pytest.mark.parametrize("effort", [(True, 1), (False, 0)])
def test_a_dive_that_is_halted_or_has_no_steps_finds_nothing(effort: tuple[bool, int]) -> None:
    halted, steps = effort
    blocks = mix(2, 40, 6)
    going = dive.Effort(np.full(1, halted), steps)
    assert dive.dive(blocks, 10**4, 0, going).where is None


def test_the_method_gives_valid_schedules_not_below_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(block_dive, "DIVES", 1)
    instance = generate("mobihoc", seed=3, jobs=40, servers=6)
    answer = solve(instance, "block-dive")
    assert answer.valid
    assert answer.objective >= answer.bound.value


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_seed_and_threads_give_the_same_schedule(threads: int) -> None:
    instance = generate("mobihoc", seed=11, jobs=40, servers=4)
    found = [solve(instance, "block-dive", seed=5, threads=threads).schedule for _ in range(2)]
    assert found[0] == found[1]


def test_it_stops_at_the_bound() -> None:
    roomy = generate("mobihoc", seed=0, jobs=6, servers=10)
    outcome = block_dive.run(roomy, Request())
    assert (outcome.termination, outcome.status) == (
        TerminationReason.DONE,
        SolutionStatus.FEASIBLE,
    )


@pytest.mark.parametrize(
    ("name", "word"),
    [("small-06x3", "divide"), ("hand-timing-continuous", "slots")],
)
def test_what_it_refuses(name: str, word: str) -> None:
    reason = block_dive.refuses(ringyard.load(name))
    assert reason is not None
    assert word in reason
    assert reason.startswith("block-dive")
