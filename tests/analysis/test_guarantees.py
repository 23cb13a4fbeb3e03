"""Theorems as objects: their numbers by hand, their hypotheses, and what they rest on."""

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import makespan_instances, makespan_schedules

from ringyard.analysis.check import check
from ringyard.analysis.guarantees import (
    FactorVerdict,
    all_guarantees,
    best,
    guarantees_of,
    rule,
)
from ringyard.analysis.guarantees.makespan import UNLIMITED, facts
from ringyard.families import FAMILIES
from ringyard.instances import MakespanInstance, RefusedError
from ringyard.instances.catalogue import load
from ringyard.instances.makespan import unlike
from ringyard.instances.makespan.mix import random_instance
from ringyard.methods import all_methods, find_method
from ringyard.policies.makespan.baselines import Estimate, estimates, highest_limit, order_by_gpus
from ringyard.policies.makespan.dispatch import BY_CHANCE, BY_LOAD, BY_RANK, JobList, dispatch
from ringyard.simulation import build_model
from ringyard.simulation.makespan.evaluate import extremes

NAMED = {guarantee.name: guarantee for guarantee in all_guarantees()}


def changed(name: str, **job: object) -> MakespanInstance:
    """Return a named instance whose first job is changed."""
    instance = load(name)
    return replace(instance, jobs=(replace(instance.jobs[0], **job), *instance.jobs[1:]))


def test_facts_of_the_counterexample() -> None:
    known = facts(load("hand-theorem5"))
    assert (known.gpus, known.largest, known.phi, known.low, known.high) == (2, 1, 1, 1, 1)
    assert (known.loads, known.latest) == (12, Fraction(12, 2) + 3)


def test_facts_of_two_rings_that_meet() -> None:
    # Four iterations of 1 s alone. On a server of 3 GPUs three rings could meet; an iteration
    # would take 3 x 0.6 + 0.4 = 2.2 s, the job 8.8 slots.
    assert facts(load("hand-contend")).phi == Fraction(9, 4)


def test_factors_by_hand() -> None:
    instance = load("hand-theorem5")
    constant = (one for one in FAMILIES["trace"].theorems if one.factor is best)
    theorems = (*FAMILIES["makespan"].theorems, *constant)
    factors = {one.name: one.factor(instance) for one in theorems}
    assert factors == {
        "theorem-5": 1,
        "assign-then-dispatch": Fraction(3, 2),
        "ascending": Fraction(3, 2),
        "widest-inside": Fraction(3, 2),
        "whole-servers": Fraction(3, 2),
        "whole-server-batches": 3,
        "longest-first": Fraction(7, 6),
        "optimal": 1,
        "optimal-by-solver": 1,
        "rounded-assignment": 2,
        "any-order": Fraction(3, 2),
        "least-left-first": 1,
    }


def test_factors_with_jobs_larger_than_half_of_the_cluster() -> None:
    # hand-exclusion: jobs of 3 of 4 GPUs, phi = 1, and 4 - 3 + 1 = 2.
    instance = load("hand-exclusion")
    assert NAMED["ascending"].factor(instance) == 2 - Fraction(1, 2)
    assert NAMED["any-order"].factor(instance) == 2 - Fraction(1, 2)
    assert NAMED["assign-then-dispatch"].factor(instance) == 3 * (2 - Fraction(1, 2))


@given(st.data())
def test_no_job_takes_less_than_its_least_or_more_than_phi_times_that(data: st.DataObject) -> None:
    instance = data.draw(makespan_instances())
    schedule = data.draw(makespan_schedules(instance))
    try:
        known = facts(instance)
    except RefusedError:
        assume(False)
    ends = check(instance, schedule).ends
    for item, extreme in zip(schedule.assignments, extremes(instance), strict=True):
        end = ends[item.job]
        assert end is not None
        assert extreme.least_slots is not None
        took = end - Fraction(item.start_slot)
        assert extreme.least_slots <= took <= known.phi * extreme.least_slots


@pytest.mark.parametrize(
    ("instance", "why"),
    [
        (changed("hand-theorem5", release_slot=Decimal(1)), "all jobs released at 0: job 'a3'"),
        (replace(load("hand-theorem5"), progress="continuous"), "whole slots"),
        (replace(load("hand-theorem5"), horizon_slots=9), "horizon_slots is 9, .* may reach 10"),
        (changed("hand-contend-floor", backward_s=Decimal("0.5")), "job 'a' may never progress"),
    ],
)
def test_hypotheses_are_checked(instance: MakespanInstance, why: str) -> None:
    unmet = NAMED["ascending"].unmet(instance)
    assert unmet is not None
    assert re.search(why, unmet)


def test_the_horizon_may_be_as_low_as_no_load_can_exceed() -> None:
    instance = replace(load("hand-theorem5"), horizon_slots=10)
    assert NAMED["ascending"].unmet(instance) is None
    assert NAMED["longest-first"].unmet(instance) is None


@pytest.mark.parametrize(
    ("method", "name", "why"),
    [
        ("sjf-bco:kappa=2", "ascending", "kappa is 2, but a job needs 4 GPUs"),
        ("sjf-bco:theta=bisection", "ascending", "does not start at the largest limit"),
        ("sjf-bco:kappa=3:theta=none", "ascending", "kappa is 3, but a job needs 4 GPUs"),
        ("sjf-bco:kappa=4:theta=bisection", "ascending", "does not start at the largest limit"),
        ("sjf-bco:kappa=4", "theorem-5", "options of the printed algorithm: kappa is 4"),
        ("sjf-bco:theta=none", "theorem-5", "options of the printed algorithm: theta is 'none'"),
        ("sjf-bco:mode=pack", "theorem-5", "options of the printed algorithm: mode is 'pack'"),
    ],
)
def test_options_can_break_a_hypothesis(method: str, name: str, why: str) -> None:
    options = find_method(method, "makespan").options
    assert why in (NAMED[name].unmet(load("hand-contend"), options) or "")


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("sjf-bco", "theorem-5"),
        ("sjf-bco:theta=bisection:infeasible=partial:ties=listed:lam=2", "theorem-5"),
        ("sjf-bco:kappa=4", "ascending"),
        ("sjf-bco:kappa=4:theta=none", "ascending"),
        ("sjf-bco:estimate=fastest:ties=shortest", "ascending"),
        ("sjf-bco-proved:estimate=fastest:ties=listed", "assign-then-dispatch"),
    ],
)
def test_options_that_leave_a_theorem_as_it_is(method: str, name: str) -> None:
    options = find_method(method, "makespan").options
    assert NAMED[name].unmet(load("hand-contend"), options) is None


@pytest.mark.parametrize("estimate", ["slowest", "fastest"])
def test_estimates_lie_where_the_facts_say(estimate: Estimate) -> None:
    for index in range(100):
        instance = random_instance(6, index)
        try:
            known = facts(instance)
        except RefusedError:
            continue
        # What is kept is estimate / u, and so between (l/u) d and d for all that a job can take.
        for kept, extreme in zip(estimates(instance, estimate), extremes(instance), strict=True):
            assert extreme.least_slots is not None
            assert extreme.most_slots is not None
            least = float(known.low / known.high * extreme.most_slots)
            assert least <= kept * (1 + 1e-12)
            assert kept <= float(extreme.least_slots) * (1 + 1e-12)
        assert estimates(instance, estimate).sum() <= float(known.loads) * (1 + 1e-12)


def test_options_that_lift_the_load_limit_meet_the_hypothesis() -> None:
    instance = replace(load("hand-theorem5"), horizon_slots=8)
    assert NAMED["ascending"].unmet(instance) is not None
    options = find_method("sjf-bco:theta=none:mode=pack", "makespan").options
    assert NAMED["ascending"].unmet(instance, options) is None


@pytest.mark.parametrize("method", ["sjf-bco", "sjf-bco-proved"])
@pytest.mark.parametrize("ties", ["shortest", "listed"])
def test_ties_that_are_not_broken_by_length_are_not_longest_first(method: str, ties: str) -> None:
    options = find_method(f"{method}:ties={ties}", "makespan").options
    unmet = NAMED["longest-first"].unmet(load("hand-theorem5"), options)
    assert unmet == f"needs the longest first: ties is {ties!r}"


def test_longest_first_needs_single_gpus() -> None:
    unmet = NAMED["longest-first"].unmet(load("hand-contend"))
    assert unmet == "needs jobs of one GPU each: job 'a' needs 4 GPUs"


@pytest.mark.parametrize("prefer", [BY_RANK, BY_LOAD, BY_CHANCE])
def test_a_limit_that_meets_the_hypothesis_does_not_bind(prefer: int) -> None:
    bound = 0
    for index in range(60):
        instance = random_instance(1, index)
        try:
            known = facts(instance)
        except RefusedError:
            continue
        instance = replace(instance, horizon_slots=int(min(known.loads, known.latest)) + 2)
        assert UNLIMITED.unmet(instance, None) is None
        model, work = build_model(instance), estimates(instance)
        order, limit = order_by_gpus(instance, work), highest_limit(instance, work)
        chance = np.random.default_rng(index).random(sum(job.gpus for job in instance.jobs))
        found = dispatch(model, JobList(order, work, float(limit), prefer, chance))
        free = dispatch(model, JobList(order, work, np.inf, prefer, chance))
        assert found.makespan == free.makespan
        bound += limit < work.sum()
    assert bound > 10


def test_the_printed_factor_fails_only_for_single_gpus() -> None:
    for index in range(200):
        instance = random_instance(2, index)
        if unlike(instance):
            continue  # Neither theorem is about unlike servers.
        try:
            known = facts(instance)
        except RefusedError:
            continue
        proved = NAMED["ascending"].factor(instance)
        assert (NAMED["theorem-5"].factor(instance) < proved) == (known.largest == 1 < known.gpus)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (6, FactorVerdict.HOLDS),
        (7, FactorVerdict.INCONCLUSIVE),
        (8, FactorVerdict.INCONCLUSIVE),
        (9, FactorVerdict.VIOLATED),
    ],
)
def test_a_value_is_held_against_the_factor_times_bound_and_best(
    value: int, verdict: FactorVerdict
) -> None:
    assert rule(Fraction(2), Fraction(value), Fraction(3), Fraction(4)) is verdict


def test_theorems_are_found_by_method() -> None:
    known = {method.name for method in all_methods()}
    assert {name for guarantee in all_guarantees() for name in guarantee.methods} <= known
    assert [g.name for g in guarantees_of("enumeration")] == ["optimal"]
    for method in all_methods():
        if method.guarantee == "optimal":
            (claim,) = guarantees_of(method.name)
            assert claim.proved != bool(method.solver)
    assert guarantees_of("list-scheduling:option=1") == guarantees_of("list-scheduling")
    assert guarantees_of("unheard-of") == ()
