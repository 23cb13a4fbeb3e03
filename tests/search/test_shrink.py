"""Shrinking keeps what fails, ends at what no step makes smaller, and repeats itself."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from itertools import chain

import pytest
from hypothesis import given
from strategies import makespan_instances

from ringyard.instances import (
    FluidLinks,
    InputError,
    Limits,
    MakespanInstance,
    ServerUplink,
    validate,
)
from ringyard.instances.catalogue import load
from ringyard.search.makespan.exact.enumeration import enumerate_best
from ringyard.search.makespan.shrink import REDUCTIONS, shrink

Fails = Callable[[MakespanInstance], bool]


def valid(instance: MakespanInstance) -> bool:
    try:
        validate(instance)
    except InputError:
        return False
    return True


def assert_one_minimal(instance: MakespanInstance, fails: Fails) -> None:
    """No step of any reduction leads to a valid instance that fails as well."""
    assert valid(instance)
    assert fails(instance)
    steps = chain.from_iterable(reduce(instance) for reduce in REDUCTIONS)
    assert not [smaller for smaller in steps if valid(smaller) and fails(smaller)]


def best_without_releases(instance: MakespanInstance) -> int:
    """A faulty exact method: it forgets that jobs arrive."""
    at_once = tuple(replace(job, release_slot=Decimal(0)) for job in instance.jobs)
    return int(enumerate_best(replace(instance, jobs=at_once), Limits()).value)


def best_without_contention(instance: MakespanInstance) -> int:
    """A faulty exact method: it believes that rings never collide."""
    alone = ServerUplink(share=Decimal("0.001"))
    return int(enumerate_best(replace(instance, contention=alone), Limits()).value)


def disagrees(faulty: Callable[[MakespanInstance], int]) -> Fails:
    return lambda instance: faulty(instance) != enumerate_best(instance, Limits()).value


def test_a_method_that_forgets_releases_needs_one_job_that_arrives_late() -> None:
    instance = load("small-07x3")
    late = tuple(replace(job, release_slot=Decimal(3 * i)) for i, job in enumerate(instance.jobs))
    instance = replace(instance, jobs=late[:5])
    fails = disagrees(best_without_releases)
    smallest = shrink(instance, fails)
    assert_one_minimal(smallest, fails)
    (job,) = smallest.jobs
    assert (job.gpus, job.iterations, job.release_slot) == (1, 1, 1)
    assert [server.gpus for server in smallest.cluster.servers] == [1]


def test_a_method_blind_to_contention_needs_two_rings_that_collide() -> None:
    instance = load("hand-contend")
    fails = disagrees(best_without_contention)
    smallest = shrink(instance, fails)
    assert_one_minimal(smallest, fails)
    assert len(smallest.jobs) == len(instance.jobs)
    assert smallest.contention.share == 1


@given(makespan_instances(described=True))
def test_the_result_is_one_minimal_on_every_option(instance: MakespanInstance) -> None:
    asked = sum(job.gpus for job in instance.jobs)
    work = sum(job.iterations for job in instance.jobs)

    def fails(smaller: MakespanInstance) -> bool:
        jobs = smaller.jobs
        fluid = isinstance(smaller.contention, type(instance.contention))
        enough = 2 * sum(job.gpus for job in jobs) >= asked
        return fluid and enough and 3 * sum(job.iterations for job in jobs) >= work

    smallest = shrink(instance, fails)
    assert_one_minimal(smallest, fails)
    assert shrink(instance, fails) == smallest


def test_what_fails_everywhere_becomes_one_plain_job_on_one_gpu() -> None:
    smallest = shrink(load("small-06x3-fluid"), lambda instance: True)
    assert isinstance(smallest.contention, ServerUplink)
    assert [server.gpus for server in smallest.cluster.servers] == [1]
    (job,) = smallest.jobs
    assert (job.gpus, job.iterations, job.gradient_gb, job.release_slot) == (1, 1, 0, 0)
    assert smallest.cluster.inter_bandwidth_gb_s == smallest.cluster.intra_bandwidth_gb_s == 1


def test_racks_are_joined_where_the_network_must_stay_fluid() -> None:
    def fails(instance: MakespanInstance) -> bool:
        return isinstance(instance.contention, FluidLinks) and len(instance.cluster.servers) > 1

    smallest = shrink(load("small-06x3-fluid"), fails)
    assert len(smallest.cluster.servers) == 2
    (leaf,) = smallest.contention.leaves
    assert sorted(leaf.servers) == sorted(server.name for server in smallest.cluster.servers)


def test_it_tells_of_ever_smaller_failing_instances() -> None:
    told: list[MakespanInstance] = []
    smallest = shrink(load("small-06x2"), lambda one: len(one.jobs) > 2, report=told.append)
    assert told[-1] == smallest
    assert all(len(one.jobs) > 2 and valid(one) for one in told)
    sizes = [len(one.jobs) + len(one.cluster.servers) for one in told]
    assert sizes == sorted(sizes, reverse=True)


def test_no_time_leaves_the_instance_as_it_is() -> None:
    instance = load("small-06x2")
    assert shrink(instance, lambda one: True, Limits(time_s=0)) == instance


def test_an_interrupt_goes_through_after_the_smaller_ones_were_told() -> None:
    told: list[MakespanInstance] = []
    instance = load("small-06x2")

    def fails(smaller: MakespanInstance) -> bool:
        if len(told) == 1:
            raise KeyboardInterrupt
        return True

    with pytest.raises(KeyboardInterrupt):
        shrink(instance, fails, report=told.append)
    assert len(told[0].jobs) < len(instance.jobs)
