"""List scheduling by order and rules: what the judge says, and that rules are kept."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import makespan_instances

from ringyard.analysis.check import check
from ringyard.instances import MakespanInstance
from ringyard.instances.catalogue import load
from ringyard.search.makespan.annealing.list_schedule import (
    BARRIER,
    DecodingScratch,
    list_schedule,
    new_scratch,
)
from ringyard.search.makespan.annealing.placement_rules import CAPS, EAGER, menus, rule_of
from ringyard.simulation import Model, PlacedStarts, build_model, evaluate, to_schedule
from ringyard.simulation.makespan.evaluate import extremes, gather, refusal

Ints = NDArray[np.int64]


def desk_for(instance: MakespanInstance) -> tuple[Model, DecodingScratch]:
    model = build_model(instance)
    least = np.array([float(e.least_slots or 0) for e in extremes(instance)])
    return model, new_scratch(model, least)


def plan_on(desk: DecodingScratch) -> PlacedStarts:
    return gather(desk.state, desk.lists.holds)


@st.composite
def lists(draw: st.DrawFn) -> tuple[MakespanInstance, Ints, Ints]:
    """Draw an instance, an order, and a rule for each job, barriers among them."""
    instance = draw(makespan_instances(max_jobs=8))
    order = draw(st.permutations(range(len(instance.jobs))))
    menu, begin, end = menus(instance)
    rules = [
        int(menu[draw(st.integers(a, b - 1))]) + draw(st.sampled_from([0, 0, BARRIER]))
        for a, b in zip(begin.tolist(), end.tolist(), strict=True)
    ]
    return instance, np.array(order), np.array(rules)


@settings(max_examples=15)
@given(lists())
def test_the_judge_accepts_every_list_schedule(drawn: tuple[MakespanInstance, Ints, Ints]) -> None:
    instance, order, rules = drawn
    assume(refusal(instance) is None)
    model, desk = desk_for(instance)
    makespan = list_schedule(model, desk, order, rules, 0.0, np.inf)
    assume(makespan < np.inf)
    plan = plan_on(desk)
    verdict = check(instance, to_schedule(instance, plan, "test"))
    assert verdict.valid
    assert makespan == pytest.approx(float(verdict.makespan), rel=1e-9)
    assert makespan == evaluate(model, plan).makespan


@settings(max_examples=15)
@given(lists(), st.floats(0, 1.5))
def test_only_what_is_worse_than_allowed_is_given_up(
    drawn: tuple[MakespanInstance, Ints, Ints], part: float
) -> None:
    instance, order, rules = drawn
    assume(refusal(instance) is None)
    model, desk = desk_for(instance)
    makespan = list_schedule(model, desk, order, rules, 0.0, np.inf)
    assume(makespan < np.inf)
    goal = part * makespan
    over = sum(
        max(0.0, end - goal) * job.gpus
        for end, job in zip(desk.state.runs["end"].tolist(), instance.jobs, strict=True)
    )
    allowed = over * (1 + 1e-9) + 1e-9
    assert list_schedule(model, desk, order, rules, goal, allowed) == makespan


def test_what_is_certain_to_be_worse_is_given_up() -> None:
    model, desk = desk_for(load("knot-full-s0"))
    order, rules = np.arange(160), np.full(160, rule_of(0))
    assert list_schedule(model, desk, order, rules, 0.0, np.inf) > 900
    assert list_schedule(model, desk, order, rules, 800.0, 0.0) == np.inf
    assert np.isinf(desk.state.runs["start"]).any()


@given(st.permutations(range(12)))
def test_nobody_overtakes_a_barrier(order: list[int]) -> None:
    model, desk = desk_for(load("small-12x4"))
    rules = np.full(12, rule_of(3) + BARRIER)
    list_schedule(model, desk, np.array(order), rules, 0.0, np.inf)
    starts = desk.state.runs["start"][order]
    assert (np.diff(starts) >= 0).all()


@pytest.mark.parametrize("eager", [0, EAGER])
def test_quiet_rings_never_share_a_server(eager: int) -> None:
    instance = load("knot-full-s0")
    model, desk = desk_for(instance)
    order, rules = np.arange(160), np.full(160, rule_of(0) + eager)
    list_schedule(model, desk, order, rules, 0.0, np.inf)
    plan, runs = plan_on(desk), desk.state.runs
    rings = [j for j in range(160) if plan.first[j + 1] - plan.first[j] > 1]
    held = [(runs[j]["start"], runs[j]["end"], set(own(plan, j))) for j in rings]
    assert len(held) >= 120
    for i, (start, end, servers) in enumerate(held):
        for other, until, theirs in held[:i]:
            assert end <= other or until <= start or not servers & theirs


def own(plan: PlacedStarts, job: int) -> list[int]:
    return list(plan.servers[plan.first[job] : plan.first[job + 1]])


def test_a_job_that_may_not_spread_waits_for_a_server() -> None:
    instance = load("hand-spread-slow")
    model, desk = desk_for(instance)
    order = np.arange(3)
    ends = [
        list_schedule(model, desk, order, np.full(3, rule_of(3) + eager), 0.0, np.inf)
        for eager in (0, EAGER)
    ]
    assert ends[0] == 8 < ends[1]


def test_caps_pair_up() -> None:
    rules = [
        rule_of(cap, shape, eager) for shape in range(3) for cap in range(CAPS) for eager in (0, 1)
    ]
    assert rules == list(dict.fromkeys(rules))
    assert sorted(rules) == list(range(BARRIER))
