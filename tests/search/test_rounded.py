"""Schedules from rounded relaxations: valid, reproducible, and within what is proved of them."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import makespan_instances

from ringyard.analysis.check import check
from ringyard.analysis.guarantees import all_guarantees
from ringyard.formulations.makespan.data import data_of
from ringyard.formulations.makespan.timetable import starts_in_turn
from ringyard.instances import (
    Incumbent,
    Limits,
    MakespanInstance,
    Outcome,
    SolutionStatus,
    TerminationReason,
)
from ringyard.instances.catalogue import load
from ringyard.instances.generate import generate
from ringyard.policies.makespan.gang_lpt import priorities
from ringyard.policies.request import Request, usual
from ringyard.search.makespan.bounds.counting import best_bound, tasks_of
from ringyard.search.makespan.rounding import (
    ALPHA_POINTS,
    EVERYWHERE,
    LENSTRA_SHMOYS_TARDOS,
    MIDPOINTS,
    RAGHAVAN_THOMPSON,
    Shares,
    dispatch_assigned,
    least_shares,
    servers_as_machines,
    shares,
)
from ringyard.simulation import build_model
from ringyard.simulation.makespan.evaluate import refusal

METHODS = {
    "raghavan-thompson": RAGHAVAN_THOMPSON,
    "lenstra-shmoys-tardos": LENSTRA_SHMOYS_TARDOS,
    "alpha-points": ALPHA_POINTS,
    "midpoints": MIDPOINTS,
}
NAMED = {guarantee.name: guarantee for guarantee in all_guarantees()}

every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def run(method: Any, instance: MakespanInstance, seed: int = 0, **limits: Any) -> Outcome:
    outcome: Outcome = method.run(
        instance,
        Request(
            limits=Limits(**limits),
            rng=np.random.default_rng(seed),
            options=usual(method),
        ),
    )
    return outcome


def makespan(instance: MakespanInstance, outcome: Outcome) -> Fraction:
    verdict = check(instance, outcome.schedule)
    assert verdict.valid
    assert verdict.makespan is not None
    return verdict.makespan


def fitting(instance: MakespanInstance) -> MakespanInstance:
    """Return the instance with servers large enough for every job."""
    widest = max(job.gpus for job in instance.jobs)
    servers = tuple(replace(s, gpus=max(s.gpus, widest)) for s in instance.cluster.servers)
    return replace(instance, cluster=replace(instance.cluster, servers=servers))


@every_method
@settings(max_examples=15)
@given(instance=makespan_instances(max_jobs=7))
def test_schedules_are_valid_and_above_the_bound(method: Any, instance: MakespanInstance) -> None:
    assume(refusal(instance) is None)
    outcome = run(method, instance)
    assert outcome.status is SolutionStatus.FEASIBLE
    assert outcome.termination is TerminationReason.DONE
    assert makespan(instance, outcome) >= best_bound(instance).value


@every_method
def test_a_spent_time_limit_still_gives_a_schedule(method: Any) -> None:
    instance = load("small-16x6")
    outcome = run(method, instance, time_s=0.0)
    assert outcome.termination is TerminationReason.TIME_LIMIT
    assert makespan(instance, outcome) >= 12


@every_method
def test_what_is_told_gets_better_and_ends_at_the_answer(method: Any) -> None:
    instance, told = generate("mobihoc", seed=0, jobs=80, servers=10), list[Incumbent]()
    outcome = run(method, instance, watch=told.append)
    values = [incumbent.value for incumbent in told]
    assert values == sorted(values, reverse=True)
    assert values[-1] == makespan(instance, outcome)


@pytest.mark.parametrize("name", ["hand-lpt", "hand-theorem5"])
def test_alpha_points_find_what_simple_rules_miss(name: str) -> None:
    instance = load(name)
    assert makespan(instance, run(ALPHA_POINTS, instance)) == best_bound(instance).value


def test_more_samples_are_no_worse() -> None:
    instance, values = load("tight-full-s0"), []
    for samples in (1, 10, 100):
        options = RAGHAVAN_THOMPSON.Options(samples=samples)
        rng = np.random.default_rng(0)
        values.append(
            makespan(
                instance,
                RAGHAVAN_THOMPSON.run(instance, Request(rng=rng, options=options)),
            )
        )
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1]


def test_the_best_alpha_is_no_worse_than_any_of_them() -> None:
    instance, rng = load("mobihoc-20-s0"), np.random.default_rng(0)
    best = makespan(instance, run(ALPHA_POINTS, instance))
    alone = [
        ALPHA_POINTS.run(
            instance, Request(rng=rng, options=ALPHA_POINTS.Options(alpha=Decimal(alpha)))
        )
        for alpha in ("0.5", "1")
    ]
    assert best <= min(makespan(instance, outcome) for outcome in alone)


@given(st.data())
def test_assigned_jobs_start_as_in_the_plain_loop(data: st.DataObject) -> None:
    instance = data.draw(makespan_instances(progress="fractional", contention="server_uplink"))
    sizes = [server.gpus for server in instance.cluster.servers]
    order = np.array(data.draw(st.permutations(range(len(instance.jobs)))))
    gpus = np.zeros((len(instance.jobs), len(sizes)), dtype=np.int64)
    for job, row in zip(instance.jobs, gpus, strict=True):
        free = [s for s, size in enumerate(sizes) for _ in range(size)]
        chosen = data.draw(st.permutations(free))[: job.gpus]
        np.add.at(row, chosen, 1)
    plan, _ = dispatch_assigned(build_model(instance), order, gpus)
    names = [server.name for server in instance.cluster.servers]
    held = {
        instance.jobs[j].name: {n: int(c) for n, c in zip(names, gpus[j], strict=True) if c}
        for j in order
    }
    starts = starts_in_turn(data_of(instance), held)
    assert plan.start.tolist() == [starts[job.name] for job in instance.jobs]


@given(makespan_instances(max_jobs=8, releases=False), st.integers(0, 10**6))
def test_widest_first_on_servers_keeps_its_lemma(instance: MakespanInstance, seed: int) -> None:
    """Whatever whole jobs servers are given: T <= max (L + (1 - 1/O) P, 2 O L / (O + 1))."""
    instance = fitting(replace(instance, progress="fractional"))
    assume(refusal(instance) is None)
    sizes = np.array([server.gpus for server in instance.cluster.servers])
    tasks = tasks_of(instance)
    chosen = np.random.default_rng(seed).integers(sizes.size, size=len(tasks))
    gpus = np.zeros((len(tasks), sizes.size), dtype=np.int64)
    gpus[np.arange(len(tasks)), chosen] = [task.gpus for task in tasks]
    widest = priorities(instance)[1]
    assert [-tasks[j].gpus for j in widest] == sorted(-task.gpus for task in tasks)
    _, found = dispatch_assigned(build_model(instance), widest, gpus)
    limits = []
    for s, size in enumerate(sizes.tolist()):
        own = [task for task, server in zip(tasks, chosen, strict=True) if server == s]
        load = sum((task.gpus * task.slots for task in own), Fraction(0)) / size
        longest = max((task.slots for task in own), default=Fraction(0))
        limits += [load + (1 - Fraction(1, size)) * longest, 2 * size * load / (size + 1)]
    assert found <= max(limits)


@given(makespan_instances(max_jobs=9, releases=False))
def test_the_assignment_keeps_its_factor(instance: MakespanInstance) -> None:
    instance = fitting(replace(instance, progress="fractional"))
    assume(refusal(instance) is None)
    guarantee = NAMED["rounded-assignment"]
    assert guarantee.unmet(instance) is None
    found = makespan(instance, run(LENSTRA_SHMOYS_TARDOS, instance))
    assert found <= guarantee.factor(instance) * best_bound(instance).value


@given(makespan_instances(max_jobs=7), st.sampled_from([ALPHA_POINTS, MIDPOINTS]))
def test_lists_keep_their_factor(instance: MakespanInstance, method: Any) -> None:
    guarantee = NAMED["any-order"]
    assume(refusal(instance) is None and guarantee.unmet(instance) is None)
    found = makespan(instance, run(method, instance))
    assert found <= guarantee.factor(instance) * best_bound(instance).value


def test_where_every_job_fits_the_limit_is_the_area() -> None:
    instance = fitting(load("small-16x6"))
    found = least_shares(servers_as_machines(instance), Limits())
    assert isinstance(found, Shares)
    area = sum(task.gpus * task.slots for task in tasks_of(instance))
    gpus = sum(server.gpus for server in instance.cluster.servers)
    assert found.limit == pytest.approx(float(Fraction(area) / gpus), abs=1e-6)


def test_rings_across_servers_are_shared_by_gpus() -> None:
    instance = load("small-16x6")
    machines = servers_as_machines(instance)
    for job, units, most, work in zip(instance.jobs, *machines, strict=True):
        slots = float(next(t.slots for t in tasks_of(instance) if t.name == job.name))
        if job.gpus > 4:
            assert (units, set(most), set(work)) == (job.gpus, {4}, {slots / 4})
        else:
            assert (units, set(most), set(work)) == (1, {1}, {job.gpus * slots / 4})


def test_factors_and_hypotheses_by_hand() -> None:
    lpt, wide = load("hand-lpt"), load("hand-exclusion")
    assert NAMED["rounded-assignment"].factor(lpt) == 2  # servers of one GPU: the published 2
    late = replace(lpt, jobs=(replace(lpt.jobs[0], release_slot=Decimal(1)), *lpt.jobs[1:]))
    assert NAMED["any-order"].factor(late) == 2 - Fraction(1, 3)  # Graham's
    assert NAMED["any-order"].unmet(late) is None
    assert "released at 0" in (NAMED["rounded-assignment"].unmet(late) or "")
    assert "every server" in (NAMED["rounded-assignment"].unmet(wide) or "")
    assert set(NAMED["rounded-assignment"].methods) <= set(METHODS)


def test_coarse_slots_are_enough_for_an_order() -> None:
    instance = load("tight-full-s0")
    fine, coarse = (shares(instance, Limits(), slots) for slots in (100, 10))
    assert isinstance(fine, np.ndarray)
    assert isinstance(coarse, np.ndarray)
    assert fine.shape[0] == coarse.shape[0] == 160
    assert 10 <= coarse.shape[1] < 20 < 80 < fine.shape[1]
    assert coarse.sum(axis=1) == pytest.approx(np.ones(160))


def test_programs_that_are_too_large_are_refused() -> None:
    instance = load("hand-lpt")
    servers = 50 * instance.cluster.servers
    cluster = replace(instance.cluster, servers=servers)
    large = replace(instance, jobs=1000 * instance.jobs, cluster=cluster)
    for method in METHODS.values():
        assert method.refuses is not None
        assert "1,050,000" in (method.refuses(large, usual(method)) or "")
        assert method.refuses(instance, usual(method)) is None
    assert ALPHA_POINTS.refuses is not None
    assert ALPHA_POINTS.refuses(large, ALPHA_POINTS.Options(slots=20)) is None


def test_the_first_rule_spreads_wherever_gpus_are_idle() -> None:
    """Two GPUs are idle on two servers: by any other rule the ring would wait."""
    instance = load("hand-spread")
    outcome = run(MIDPOINTS, instance, time_s=0.0)  # time for the first rule only
    assert {len(item.gpus) for item in outcome.schedule.assignments} == {1, 2}
    assert EVERYWHERE % 2 == 1
