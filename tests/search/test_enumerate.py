"""Enumeration against a naive one that shares nothing with it: the judge and nested loops."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ringyard.analysis.check import check
from ringyard.analysis.check.contention import Verdict
from ringyard.instances import (
    Assignment,
    BoundKind,
    Cluster,
    FluidLinks,
    Incumbent,
    Leaf,
    Limits,
    MakespanInstance,
    RefusedError,
    RingJob,
    Schedule,
    Server,
    ServerUplink,
    SolutionStatus,
    TerminationReason,
)
from ringyard.instances.catalogue import load
from ringyard.search.makespan.bounds.counting import combinatorial_bounds
from ringyard.search.makespan.exact import enumeration
from ringyard.search.makespan.exact.enumeration import enumerate_best, refuses

PATIENT = 9
"""Slots up to which the naive enumeration looks for a schedule that should not exist."""


@st.composite
def tiny_instances(draw: st.DrawFn, servers: int, jobs: int) -> MakespanInstance:
    """Draw an instance whose jobs take a few slots; all options of slotted time occur."""
    names = [f"s{i}" for i in range(servers)]
    sizes = [draw(st.integers(1, 3)) for _ in names]
    racks = draw(st.sampled_from([(names[:1], names[1:]), (names,)]))
    number = st.sampled_from(["0.25", "0.5", "1"]).map(Decimal)
    zero_or = st.sampled_from(["0", "0.5", "1"]).map(Decimal)
    uplinks = st.builds(ServerUplink, share=number, degradation=zero_or)
    leaves = tuple(Leaf(name=f"r{i}", servers=tuple(rack)) for i, rack in enumerate(racks))
    fluid = st.builds(
        FluidLinks,
        leaves=st.just(leaves),
        leaf_oversubscription=st.sampled_from(["0.5", "2", "4"]).map(Decimal),
    )
    ring = st.builds(
        RingJob,
        name=st.just(""),
        gpus=st.integers(1, min(3, sum(sizes))),
        iterations=st.integers(1, 3),
        gradient_gb=zero_or,
        backward_s=number,
        release_slot=st.sampled_from([0, 0, 1, 2]).map(Decimal),
    )
    return MakespanInstance(
        name="tiny",
        cluster=Cluster(
            servers=tuple(Server(name=n, gpus=g) for n, g in zip(names, sizes, strict=True)),
            intra_bandwidth_gb_s=Decimal(2),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=Decimal(2),
        ),
        jobs=tuple(replace(draw(ring), name=f"j{i}") for i in range(jobs)),
        contention=draw(uplinks | fluid),
        overhead=draw(st.sampled_from(["paper", "step", "max_workers_per_server"])),
        overhead_s=draw(zero_or),
        progress=draw(st.sampled_from(["floor", "fractional"])),
        slot_s=draw(st.sampled_from([2, 3]).map(Decimal)),
    )


def choices(instance: MakespanInstance, job: RingJob, last: int) -> Iterator[Assignment]:
    """Yield every start and placement that lets `job` alone end by slot `last`."""
    servers = instance.cluster.servers
    lone = replace(instance, jobs=(replace(job, release_slot=Decimal(0)),))
    for counts in product(*(range(server.gpus + 1) for server in servers)):
        if sum(counts) != job.gpus:
            continue
        named = zip(servers, counts, strict=True)
        gpus = tuple((server.name, count) for server, count in named if count)
        entry = Assignment(job=job.name, start_slot=Decimal(0), gpus=gpus)
        alone = check(lone, Schedule(instance="", assignments=(entry,))).makespan
        for start in range(int(job.release_slot), last):
            if alone is not None and start + alone <= last:
                yield replace(entry, start_slot=Decimal(start))


def non_delay(instance: MakespanInstance, schedule: Schedule, verdict: Verdict) -> bool:
    """Return True if no job ever waits, released, beside as many idle GPUs as it needs."""
    total = sum(server.gpus for server in instance.cluster.servers)
    starts = {entry.job: int(entry.start_slot) for entry in schedule.assignments}
    for job in instance.jobs:
        for slot in range(int(job.release_slot), starts[job.name]):
            busy = sum(
                other.gpus
                for other in instance.jobs
                if starts[other.name] <= slot < verdict.ends[other.name]
            )
            if total - busy >= job.gpus:
                return False
    return True


def naive_best(instance: MakespanInstance, last: int, no_idling: bool = False) -> int | None:
    """Return the least makespan up to `last`, by trying everything."""
    for makespan in range(1, last + 1):
        for entries in product(*(list(choices(instance, j, makespan)) for j in instance.jobs)):
            schedule = Schedule(instance=instance.name, assignments=entries)
            verdict = check(instance, schedule)
            if not verdict.valid or verdict.makespan is None or verdict.makespan > makespan:
                continue
            if not no_idling or non_delay(instance, schedule, verdict):
                return makespan
    return None


@settings(max_examples=15)
@given(tiny_instances(servers=2, jobs=3))
def test_the_optimum_is_that_of_naive_enumeration(instance: MakespanInstance) -> None:
    assume(refuses(instance) is None)
    outcome = enumerate_best(instance, Limits())
    if outcome.schedule is None:
        assert outcome.status is SolutionStatus.INFEASIBLE
        assert naive_best(instance, PATIENT) is None
        return
    verdict = check(instance, outcome.schedule)
    assert verdict.valid
    assert verdict.makespan == outcome.value
    assert outcome.status is SolutionStatus.OPTIMAL
    assert naive_best(instance, int(outcome.value)) == outcome.value
    assert outcome.bound.value == outcome.value
    assert all(bound.value <= outcome.value for bound in combinatorial_bounds(instance))


@settings(max_examples=15)
@given(tiny_instances(servers=2, jobs=3))
def test_without_idling_too(instance: MakespanInstance) -> None:
    assume(refuses(instance) is None)
    outcome = enumerate_best(instance, Limits(), no_idling=True)
    if outcome.schedule is None:
        assert naive_best(instance, PATIENT, no_idling=True) is None
        return
    verdict = check(instance, outcome.schedule)
    assert verdict.makespan == outcome.value
    assert non_delay(instance, outcome.schedule, verdict)
    assert naive_best(instance, int(outcome.value), no_idling=True) == outcome.value
    assert outcome.status is SolutionStatus.FEASIBLE


@given(tiny_instances(servers=3, jobs=4))
def test_order_of_servers_and_jobs_changes_nothing(instance: MakespanInstance) -> None:
    assume(refuses(instance) is None)
    cluster = replace(instance.cluster, servers=instance.cluster.servers[::-1])
    turned = replace(instance, cluster=cluster, jobs=instance.jobs[::-1])
    for no_idling in (False, True):
        here = enumerate_best(instance, Limits(), no_idling=no_idling)
        there = enumerate_best(turned, Limits(), no_idling=no_idling)
        assert here.value == there.value


def test_nothing_below_upper_proves_upper() -> None:
    instance = load("hand-spread-slow")
    best = enumerate_best(instance, Limits())
    proof = enumerate_best(instance, Limits(), upper=int(best.value))
    assert (proof.schedule, proof.status, proof.termination) == (
        None,
        SolutionStatus.NOTHING,
        TerminationReason.DONE,
    )
    assert proof.bound.value == best.value
    assert proof.bound.kind is BoundKind.SEARCHED
    again = enumerate_best(instance, Limits(), upper=int(best.value) + 1)
    assert check(instance, again.schedule).makespan == best.value


def test_an_upper_below_the_simple_bounds_claims_no_more_than_they_do() -> None:
    instance = load("hand-theorem5")
    outcome = enumerate_best(instance, Limits(), upper=2)
    assert outcome.schedule is None
    assert outcome.bound == max(combinatorial_bounds(instance), key=lambda bound: bound.value)


def test_time_runs_out() -> None:
    instance = load("small-07x3")
    outcome = enumerate_best(instance, Limits(time_s=0))
    assert outcome.termination is TerminationReason.TIME_LIMIT
    assert outcome.status is SolutionStatus.FEASIBLE
    assert check(instance, outcome.schedule).makespan == outcome.value
    assert outcome.bound.kind is BoundKind.COMBINATORIAL


@pytest.mark.parametrize(("stride", "least"), [(1, 2), (enumeration.STRIDE, 1)])
def test_it_tells_of_every_better_schedule(
    monkeypatch: pytest.MonkeyPatch, stride: int, least: int
) -> None:
    """Also of those that it finds after its last look at the clock."""
    monkeypatch.setattr(enumeration, "STRIDE", stride)
    told: list[Incumbent] = []
    instance = load("small-06x2")
    outcome = enumerate_best(instance, Limits(watch=told.append), no_idling=True)
    values = [incumbent.value for incumbent in told]
    assert len(values) >= least
    assert values == sorted(values, reverse=True)
    assert values[-1] == outcome.value
    for incumbent in told:
        assert check(instance, incumbent.schedule).makespan == Fraction(incumbent.value)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("small-06x3-continuous", "enumeration needs slots"),
        ("small-10x3", "at most 8 jobs; this instance has 10"),
        ("mobihoc-10-s0", "at most 8 jobs; this instance has 160"),
    ],
)
def test_it_refuses_what_it_cannot_finish(name: str, reason: str) -> None:
    assert reason in (refuses(load(name)) or "")
    with pytest.raises(RefusedError, match=reason):
        enumerate_best(load(name), Limits())


def test_it_refuses_a_large_cluster_and_a_job_that_never_ends() -> None:
    instance = load("hand-theorem5")
    servers = tuple(Server(name=f"s{i}", gpus=11) for i in range(3))
    large = replace(instance, cluster=replace(instance.cluster, servers=servers))
    assert "at most 32 GPUs; this cluster has 33" in (refuses(large) or "")
    stuck = replace(instance, progress="floor", slot_s=Decimal("0.5"))
    assert "does no iteration" in (refuses(stuck) or "")
    assert refuses(instance) is None
