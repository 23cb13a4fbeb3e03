"""SJF-BCO does what its pseudo-code says, under every reading of it."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sjf_reference import Sweep, crowded_instances, published
from strategies import makespan_instances

import ringyard
from ringyard.analysis.check import check
from ringyard.analysis.guarantees.makespan import facts
from ringyard.instances import Limits, MakespanInstance, Outcome, TerminationReason
from ringyard.instances.catalogue import load
from ringyard.policies.makespan import sjf_bco
from ringyard.policies.makespan.baselines import estimates, lowest_limit, order_by_gpus
from ringyard.policies.makespan.dispatch import BY_LOAD, JobList
from ringyard.policies.makespan.sjf_bco import PREFERENCES, Options, place, splits
from ringyard.policies.request import Request
from ringyard.simulation import build_model, to_schedule

every_option = st.builds(
    Options,
    kappa=st.none() | st.integers(1, 9),
    lam=st.sampled_from([Decimal(1), Decimal("1.1"), Decimal(2), Decimal(5)]),
    mode=st.sampled_from(["least_exec", "pack"]),
    theta=st.sampled_from(["grid", "bisection", "none"]),
    infeasible=st.sampled_from(["infinite", "partial"]),
    estimate=st.sampled_from(["slowest", "fastest"]),
    ties=st.sampled_from(["longest", "shortest", "listed"]),
)


def run(instance: MakespanInstance, limits: Limits | None = None, **options: object) -> Outcome:
    chosen = replace(Options(), **options)
    return sjf_bco.run(instance, Request(limits=limits or Limits(), options=chosen))


def makespan(instance: MakespanInstance, **options: object) -> Fraction | None:
    return check(instance, run(instance, **options).schedule).makespan


@settings(max_examples=15)
@given(makespan_instances(max_gpus=4, max_jobs=6), every_option)
def test_schedules_are_those_of_the_pseudo_code(
    instance: MakespanInstance, options: Options
) -> None:
    """The reference runs every threshold and every limit, also those that nothing can change."""
    found = sjf_bco.run(instance, Request(options=options)).schedule
    assert (found and found.assignments) == Sweep(instance, options).run()


@settings(max_examples=15)
@given(crowded_instances(), every_option, st.integers(1, 9), st.integers(0, 60))
def test_single_runs_are_those_of_the_pseudo_code(
    instance: MakespanInstance, options: Options, kappa: int, percent: int
) -> None:
    """Load limits between what is just too low and what admits everything."""
    work = estimates(instance, options.estimate)
    theta = lowest_limit(instance, work) * (0.9 + percent / 50)
    state, complete = published(instance, theta, kappa, options)
    order, prefer = order_by_gpus(instance, work, options.ties), PREFERENCES[options.mode]
    jobs = JobList(order, work, theta, prefer, np.empty(0))
    wanted = np.array([ceil(options.lam * job.gpus) for job in instance.jobs])
    found = place(build_model(instance), jobs, splits(instance, kappa)[0], wanted)
    assert (found.makespan < inf) == complete
    assert found.last_end == pytest.approx(max(state.end.values()), rel=1e-9)
    if complete:
        assert to_schedule(instance, found.plan, "").assignments == state.assignments()


@settings(max_examples=50)
@given(makespan_instances(max_gpus=4, max_jobs=9, releases=False))
def test_few_gpus_are_idle_while_small_jobs_wait(instance: MakespanInstance) -> None:
    """With FA-FFP alone and no limit, less than n_g GPUs are idle until the last job starts."""
    instance = replace(instance, progress="fractional")
    schedule = run(instance, theta="none", kappa=10**6).schedule
    ends = check(instance, schedule).ends
    gpus = {job.name: job.gpus for job in instance.jobs}
    total = sum(server.gpus for server in instance.cluster.servers)
    start = {item.job: item.start_slot for item in schedule.assignments}
    area = {name: gpus[name] * (ends[name] - Fraction(start[name])) for name in gpus}
    for name in gpus:
        others = sum(area.values()) - area[name]
        assert Fraction(start[name]) * (total - max(gpus.values()) + 1) <= others


@settings(max_examples=60)
@given(makespan_instances(max_gpus=4, max_jobs=6), st.integers(1, 4), st.integers(0, 40))
def test_the_least_feasible_limit_is_the_largest_load(
    instance: MakespanInstance, kappa: int, percent: int
) -> None:
    """With its own largest load as the limit a run is the same: so that of the least is no less.

    GPUs that are taken had room below that load, and those that are not were no better. Sums are
    rounded, so that the limit is a little higher.
    """
    work = estimates(instance, "slowest")
    theta = float(work.max() + percent / 20 * (work.sum() - work.max()))
    first, feasible = published(instance, theta, kappa, Options())
    if feasible:
        again, still = published(instance, max(first.load) * (1 + 1e-9), kappa, Options())
        assert still
        assert again.started == first.started
        assert max(again.load) == max(first.load) <= theta * (1 + 1e-9)


def test_the_counterexample_to_theorem_5_ends_at_7() -> None:
    """With n_g = phi = u = l = 1 the theorem would promise the optimum, 6."""
    assert makespan(load("hand-theorem5")) == 7


def test_the_least_feasible_limit_exceeds_the_least_load() -> None:
    """Lemma 4: 3 + 3 and 2 + 2 + 2 are loads of 6 on two GPUs, and limits below 7 are too low.

    The factor phi u/l is 1: jobs of one GPU are as fast everywhere.
    """
    instance = load("hand-theorem5")
    known = facts(instance)
    assert known.phi * known.high / known.low == 1
    assert estimates(instance, "slowest").tolist() == [3, 3, 2, 2, 2]
    limits = {limit: published(instance, limit, 1, Options())[1] for limit in (6.0, 6.99, 7.0)}
    assert limits == {6.0: False, 6.99: False, 7.0: True}


def test_thresholds_between_two_gang_sizes_give_the_same_schedule() -> None:
    instance = load("mobihoc-10-s0")
    assert run(instance, kappa=8).schedule == run(instance, kappa=15).schedule
    assert run(instance, kappa=8).schedule != run(instance, kappa=16).schedule


@pytest.mark.parametrize("name", ["mobihoc-10-s0", "mobihoc-20-s0"])
def test_no_option_tells_kappa_8_from_10_on_the_papers_mix(name: str) -> None:
    """A threshold counts by how many jobs are small, and by nothing else."""
    instance = load(name)
    assert {job.gpus for job in instance.jobs} == {1, 2, 4, 8, 16, 32}
    assert splits(instance, 8) == splits(instance, 10) != splits(instance, 16)
    for options in ({}, {"mode": "pack"}, {"assign": "ahead"}, {"estimate": "fastest"}):
        assert makespan(instance, kappa=8, **options) == makespan(instance, kappa=10, **options)


def test_figures_5_and_7_have_a_run_in_common() -> None:
    """At kappa 1, a multiplier of 1 is the usual one."""
    instance = load("mobihoc-20-s0")
    assert run(instance, kappa=1).schedule == run(instance, kappa=1, lam=Decimal(1)).schedule
    assert run(instance, kappa=1).schedule != run(instance, kappa=1, lam=Decimal(2)).schedule


@settings(max_examples=15)
@given(makespan_instances(max_gpus=4, max_jobs=9, releases=False))
def test_no_makespan_is_n_g_times_as_long_as_a_gpu_is_busy(instance: MakespanInstance) -> None:
    """Lemma 3 with real times, where no limit binds and kappa is n_g: even 2 - 1/(N - m + 1)."""
    instance = replace(instance, progress="fractional")
    work, jobs = estimates(instance, "slowest"), len(instance.jobs)
    queue = JobList(order_by_gpus(instance, work), work, inf, BY_LOAD, np.empty(0))
    found = place(build_model(instance), queue, jobs, np.zeros(jobs, np.int64))
    schedule = to_schedule(instance, found.plan, "")
    ends = check(instance, schedule).ends
    slots = {one.job: ends[one.job] - Fraction(one.start_slot) for one in schedule.assignments}
    busy: dict[int, Fraction] = {}
    held = [job.name for job in instance.jobs for _ in range(job.gpus)]
    for job, gpu in zip(held, found.chosen.tolist(), strict=True):
        busy[gpu] = busy.get(gpu, Fraction(0)) + slots[job]
    widest, longest = max(job.gpus for job in instance.jobs), max(busy.values())
    gpus = sum(server.gpus for server in instance.cluster.servers)
    factor = 2 - Fraction(1, gpus - min(job.gpus for job in instance.jobs) + 1)
    assert longest <= max(ends.values()) <= min(Fraction(widest), factor) * longest


def test_the_largest_load_times_the_widest_ring_is_exceeded() -> None:
    """By estimated loads, and by the order of assignment without overtaking."""
    ring = {"gpus": 3, "iterations": 10, "gradient_gb": 0.75}
    uplinks = {"model": "server_uplink", "degradation": 3}
    more = {"inter_bandwidth_gb_s": 1, "reduce_gb_s": 1000, "contention": uplinks}
    rings = ringyard.makespan([ring, ring], [2, 2, 2], **more)
    found = ringyard.solve(rings, "list-scheduling")
    assert (3 * facts(rings).loads / 2, found.objective, makespan(rings)) == (33, 51, 51)
    free = [0] * 11
    for gpu in range(10):
        free[gpu] = free[gpu + 1] = max(free[gpu], free[gpu + 1]) + 1
    assert max(free) == 10 > 2 * 2


def test_a_threshold_below_every_gang_is_tried() -> None:
    """Where no job takes a single GPU, kappa = 1 places all of them by LBSGF."""
    instance = load("mobihoc-10-s0")
    wide = replace(instance, jobs=tuple(job for job in instance.jobs if job.gpus > 1))
    assert splits(wide, None) == [0, 14, 40, 70, 78, 80]
    assert splits(instance, None) == [80, 94, 120, 150, 158, 160]


@pytest.mark.parametrize("lam", [Decimal(1), Decimal(3)])
def test_a_pool_of_all_servers_is_no_pool(lam: Decimal) -> None:
    """Single-GPU jobs in LBSGF then choose among all GPUs, as in FA-FFP."""
    instance = load("mobihoc-10-s0")
    everything = run(instance, kappa=1, lam=Decimal(10**6)).schedule
    assert everything == run(instance, kappa=32, lam=lam).schedule
    assert everything != run(instance, kappa=1, lam=lam).schedule


def test_the_printed_comparison_walks_away_from_the_schedules() -> None:
    """From 8 it tries limits 4, 2 and 1; what it broke off ended early, so it never goes up."""
    instance = replace(load("hand-theorem5"), horizon_slots=8)
    outcome = run(instance, theta="bisection", infeasible="partial")
    assert outcome.schedule is None
    assert "horizon_slots" in outcome.note
    assert makespan(instance, theta="bisection") == 7


def test_packing_fills_the_occupied_server_first() -> None:
    """The server of two is the tightest for the first job, and occupied for the second."""
    job = replace(load("hand-theorem5").jobs[0], iterations=4)
    server = load("hand-theorem5").cluster.servers[0]
    sizes = {"a": 3, "b": 2}
    instance = replace(
        load("hand-theorem5"),
        cluster=replace(
            load("hand-theorem5").cluster,
            servers=tuple(replace(server, name=name, gpus=size) for name, size in sizes.items()),
        ),
        jobs=(replace(job, name="x", iterations=5), replace(job, name="y")),
    )
    packed, spread = run(instance, mode="pack").schedule, run(instance).schedule
    assert [item.gpus for item in packed.assignments] == [(("b", 1),), (("b", 1),)]
    assert [item.gpus for item in spread.assignments] == [(("a", 1),), (("a", 1),)]


def test_a_spent_time_limit_is_reported_and_leaves_a_schedule() -> None:
    outcome = run(load("mobihoc-20-s0"), Limits(time_s=0.0))
    assert outcome.termination is TerminationReason.TIME_LIMIT
    assert check(load("mobihoc-20-s0"), outcome.schedule).valid


def test_a_horizon_too_short_is_reported() -> None:
    outcome = run(replace(load("hand-theorem5"), horizon_slots=2))
    assert outcome.schedule is None
    assert "horizon_slots" in outcome.note
