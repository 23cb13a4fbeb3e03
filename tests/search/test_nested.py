"""Nested blocks: legal schedules, honest loads, refusals."""

from dataclasses import replace
from decimal import Decimal

import pytest
from little import few

import ringyard
from ringyard.instances import TerminationReason
from ringyard.instances.generate import generate
from ringyard.policies.request import Request
from ringyard.run import solve
from ringyard.search.makespan.annealing import block_plans, nested
from ringyard.search.makespan.annealing.blocks import chain, cut, loads_of
from ringyard.simulation import jit


@pytest.fixture(scope="module")
def mix():
    """The paper's mix, small enough to be done at once."""
    return generate("mobihoc", seed=3, jobs=40, servers=6)


def test_schedules_are_valid_not_below_their_bound_and_no_worse_than_piling_the_jobs_up(mix):
    answer = solve(mix, "nested", time_limit=0.4)
    assert answer.valid
    assert answer.objective >= answer.bound.value
    blocks = cut(mix)
    piled = nested.pile(blocks, nested.large_first(blocks))
    assert answer.objective <= nested.heaviest_of(blocks, piled)


@pytest.mark.parametrize("share", few(1, ["0.5", "1"]))
def test_jobs_larger_than_servers_fill_whole_servers(share):
    tight = generate("tight", seed=1, jobs=30, servers=16, share=Decimal(share))
    answer = solve(tight, "nested", time_limit=0.4)
    assert answer.valid
    sizes = {server.name: server.gpus for server in tight.cluster.servers}
    spread = [item for item in answer.schedule.assignments if len(item.gpus) > 1]
    assert spread
    assert all(held == sizes[name] for item in spread for name, held in item.gpus)


def test_the_engine_agrees_with_the_loads(mix):
    blocks = cut(mix)
    where = nested.pile(blocks, nested.large_first(blocks))
    result = nested.evaluate(nested.build_model(mix), block_plans.plan_of(blocks, where))
    assert result.excess <= 0
    assert result.makespan == loads_of(blocks, where).max()


def test_blocks_are_nested_or_apart(mix):
    blocks = cut(mix)
    ranges = [set(range(a, b)) for a, b in zip(blocks.low, blocks.high, strict=True)]
    for one in ranges:
        for other in ranges:
            assert one <= other or other <= one or not one & other


def test_it_stops_at_the_bound():
    roomy = generate("mobihoc", seed=0, jobs=6, servers=10)
    outcome = nested.run(roomy, Request())
    assert outcome.termination is TerminationReason.DONE
    assert outcome.bound.name == "longest job"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("small-06x3", "divide"),
        ("small-06x3-release", "released"),
        ("small-06x3-continuous", "slots"),
    ],
)
def test_refusals_say_why(name, word):
    assert word in nested.refuses(ringyard.load(name))


def test_sizes_form_a_chain_only_if_each_divides_the_next(mix):
    assert chain(mix) == sorted({job.gpus for job in mix.jobs})
    odd = replace(mix, jobs=(*mix.jobs, replace(mix.jobs[0], name="odd", gpus=3)))
    assert chain(odd) is None


def test_the_first_layout_is_broken_off_where_plain_python_takes_long(
    mix, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(jit.MODE, raising=False)
    monkeypatch.setattr(jit, "_spent", 0.0)
    monkeypatch.setattr(jit, "LOADING_S", 1e-9)
    monkeypatch.setattr(jit, "COMPILING_S", 1e-6)
    monkeypatch.setattr(jit._Entry, "_kept", lambda _: False)
    monkeypatch.setattr(nested.pile, "fast", None)
    monkeypatch.setattr(nested.pile, "spent", 0.0)
    blocks = cut(mix)
    nested.pile(blocks, nested.large_first(blocks))
    assert nested.pile.fast is not None
