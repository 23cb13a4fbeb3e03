"""A time limit that is over before it begins: what is done even so can be counted."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from injected import change
from looks import looks

import ringyard
from ringyard.analysis.check import check
from ringyard.families import FAMILIES
from ringyard.instances import Limits, TerminationReason
from ringyard.instances import outcome as clock
from ringyard.instances.catalogue import load
from ringyard.policies.rental import boa, resize
from ringyard.policies.rental.dual import streams_of
from ringyard.policies.rental.resize import Resizer
from ringyard.policies.request import Request
from ringyard.policies.shuffle import _LackCover, run_greedy_cover
from ringyard.policies.trace.optimus import Optimus
from ringyard.policies.transfers.orders import run_fair
from ringyard.search.makespan import rounding
from ringyard.search.makespan.annealing import nested
from ringyard.search.makespan.annealing.block_annealing import anneal, pile
from ringyard.search.makespan.annealing.block_moves import move_odds
from ringyard.search.makespan.annealing.blocks import cut
from ringyard.search.online import order_search
from ringyard.search.rental import bounds as least_cost
from ringyard.search.rental.programs import ConvexOptions, run_convex
from ringyard.search.reserved import bounds as gains

SMALL = {
    "makespan": ("small", {}),
    "online": ("pdors-small", {}),
    "reserved": ("gadget-small", {}),
    "trace": ("tiny-trace", {}),
    "rental": ("rental-mixed", {"types": 3}),
    "fleet": ("tiny-fleet", {}),
    "shuffle": ("tiny-shuffle", {}),
    "coded": ("coded", {}),
    "transfers": ("tiny-transfers", {}),
}
"""A generator of each family, with options."""


def over() -> Limits:
    return Limits(time_s=0.0)


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[str]:
    """Return a list that grows with every call of a function."""
    calls, real = list[str](), getattr(owner, name)

    def call(*given: Any, **named: Any) -> Any:
        calls.append(name)
        return real(*given, **named)

    monkeypatch.setattr(owner, name, call)
    return calls


@pytest.mark.parametrize("kind", FAMILIES)
def test_every_family_has_a_bound_in_no_time(kind: str) -> None:
    """What it has without a limit, or a part of it."""
    generator, options = SMALL[kind]
    family, instance = FAMILIES[kind], ringyard.generate(generator, seed=1, **options)
    known = {(bound.name, bound.value) for bound in family.bounds(instance)}
    found = family.bounds(instance, over())
    assert found
    assert {(bound.name, bound.value) for bound in found} <= known


def test_the_first_bound_gets_half_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given = list[Any]()
    known = FAMILIES["coded"].bounds

    def bounds(instance: Any, limits: Limits) -> Any:
        given.append(limits.time_s)
        return known(instance, limits)

    change(monkeypatch, "coded", bounds=bounds)
    ringyard.solve(ringyard.generate("coded", seed=1), time_limit=60.0)
    ringyard.solve(ringyard.generate("coded", seed=1))
    assert given == [30.0, None]


def test_a_bound_that_a_campaign_asks_for_is_held_to_its_limit() -> None:
    instance = load("gadget-small-08x4x8")
    assert FAMILIES["reserved"].strong(instance, over(), None).name == "each alone"
    assert FAMILIES["reserved"].strong(instance, Limits(), None).name != "each alone"


def test_no_worker_slot_is_valued_for_a_knapsack(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, gains, "_units")
    (bound,) = gains.combinatorial_bounds(load("gadget-small-08x4x8"), over())
    assert (bound.name, calls) == ("each alone", [])


def test_one_job_is_offered_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, order_search.JobPlanner, "best_plan")
    outcome = order_search.run(
        load("pdors-s0"), Request(limits=over(), options=order_search.Options())
    )
    assert (outcome.termination, len(calls)) == (TerminationReason.TIME_LIMIT, 1)
    assert check(load("pdors-s0"), outcome.schedule).valid


def test_one_program_is_solved_for_a_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, rounding, "solve_relaxed")
    machines = rounding.servers_as_machines(load("mobihoc-20-s0"))
    assert isinstance(rounding.least_shares(machines, over()), rounding.Shares)
    assert len(calls) == 1


def test_moves_between_blocks_are_halted() -> None:
    blocks = cut(load("mobihoc-20-s0"))
    assert blocks is not None
    where = pile(blocks, nested.large_first(blocks))
    nothing = np.zeros(blocks.server.size, np.int64)
    halted = anneal(
        blocks, where, 1, 10**12, 400.0, 0.8, 0, np.ones(1, np.bool_), nothing, move_odds()
    )
    assert (halted[0] == where).all()


def test_nothing_is_summed_up_and_all_rows_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = ringyard.generate("shuffle", seed=1)
    calls = counted(monkeypatch, _LackCover, "_sum")
    outcome = run_greedy_cover(instance, Request(limits=over()))
    assert (outcome.termination, calls) == (TerminationReason.TIME_LIMIT, [])
    assert check(instance, outcome.schedule).valid


def test_a_price_is_not_sought_any_closer(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = ringyard.generate("rental-pollux", seed=1)
    calls = counted(monkeypatch, resize._Blocks, "_time")
    assert Resizer(streams_of(instance), 0.1).best(float(instance.budget_gpus), over())
    assert len(calls) == 4, "one round and its best, at both ends of the prices"
    outcome = boa.run_resize(instance, Request(limits=over()))
    assert outcome.termination is TerminationReason.TIME_LIMIT
    assert check(instance, outcome.schedule).valid


def test_fair_shares_are_given_up() -> None:
    outcome = run_fair(ringyard.generate("transfers", seed=1), Request(limits=over()))
    assert (outcome.schedule, outcome.termination) == (None, TerminationReason.TIME_LIMIT)


def test_a_trace_is_played_for_one_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, Optimus, "decide")
    method: Callable[..., Any] = ringyard.methods.find_method("optimus", "trace").run
    instance = ringyard.generate("elastic", seed=1, jobs=20)
    outcome = method(instance, over(), np.random.default_rng(0))
    assert (outcome.schedule, outcome.termination) == (None, TerminationReason.TIME_LIMIT)
    assert len(calls) <= 1


def test_a_width_is_not_sought_any_closer(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one GPU for each job, after that and the most have been tried."""
    instance = load("rental-small-s0")
    calls = counted(monkeypatch, boa, "_spend")
    outcome = boa.run_equal_width(instance, Request(limits=over(), options=boa.EqualWidthOptions()))
    assert (outcome.termination, len(calls)) == (TerminationReason.TIME_LIMIT, 2)
    assert check(instance, outcome.schedule).valid


def test_no_width_is_improved_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = load("rental-whole-s0")
    calls = counted(monkeypatch, boa, "_steps")
    outcome = boa.run_pure(instance, Request(limits=over()))
    assert (outcome.termination, calls) == (TerminationReason.TIME_LIMIT, [])
    assert check(instance, outcome.schedule).valid


def test_a_convex_program_is_not_stated() -> None:
    outcome = run_convex(load("rental-small-s0"), Request(limits=over(), options=ConvexOptions()))
    assert (outcome.termination, outcome.note) == (
        TerminationReason.TIME_LIMIT,
        "the time limit ended before the program was built",
    )


def test_costs_are_not_summed_up_at_a_price_of_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, least_cost, "least_price")
    instance = load("rental-small-s0")
    found = least_cost.combinatorial_bounds(instance, looks(2))
    streams = sum(len(one.epochs) for one in instance.types)
    assert ([one.name for one in found], len(calls)) == (["full speed"], streams + 1)


def test_steps_share_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [0.0]
    monkeypatch.setattr(clock, "now", lambda: moment[0])
    steps = Limits(time_s=12.0, started=0.0).shares(3)
    given = []
    for took in (1.0, 5.5, 0.0):
        given.append(next(steps).time_s)
        moment[0] += took
    assert given == [4.0, 5.5, 5.5]
    assert [one.time_s for one in Limits().shares(2)] == [None, None]
