"""How far policies may be from the best schedule, and how many steps SJF-BCO takes."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import log2
from typing import Any

import pytest

from ringyard.analysis.check import check
from ringyard.instances import (
    Assignment,
    Cluster,
    MakespanInstance,
    RingJob,
    Schedule,
    Server,
    ServerUplink,
    SolutionStatus,
)
from ringyard.instances.generate import generate
from ringyard.methods import all_methods
from ringyard.policies.makespan import dispatch, gpus, sjf_bco
from ringyard.policies.makespan.baselines import estimates, highest_limit
from ringyard.policies.makespan.sjf_bco import Options
from ringyard.policies.request import Request
from ringyard.run import solve

WHOLE_SERVERS = "whole-server-list"

POLICIES = [m.name for m in all_methods() if m.family == "makespan" and m.kind == "policy"]


def two_rings(width: int) -> MakespanInstance:
    """Return two rings on three servers, each server a GPU too small for a ring.

    Both fit at once, and then share an uplink: each competitor costs as much as `width` transfers.
    """
    gradient = Decimal(width) / (2 * (width - 1))
    ring = RingJob(
        name="a", gpus=width, iterations=10, gradient_gb=gradient.quantize(Decimal("0.0000001"))
    )
    return MakespanInstance(
        name=f"two-rings-{width}",
        cluster=Cluster(
            servers=tuple(Server(name=f"s{i}", gpus=width - 1) for i in range(3)),
            intra_bandwidth_gb_s=Decimal(100),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=Decimal(10**6),
        ),
        jobs=(ring, replace(ring, name="b")),
        contention=ServerUplink(share=Decimal(1), degradation=Decimal(width)),
    )


def one_after_the_other(instance: MakespanInstance) -> Fraction:
    """Return the makespan of the rings in turn, on the same two servers."""
    pieces = (("s0", instance.jobs[0].gpus - 1), ("s1", 1))
    first = Assignment(job="a", start_slot=Decimal(0), gpus=pieces)
    alone = check(instance, Schedule(instance=instance.name, assignments=(first,))).ends["a"]
    second = Assignment(job="b", start_slot=Decimal(int(alone)), gpus=pieces)
    verdict = check(instance, Schedule(instance=instance.name, assignments=(first, second)))
    assert verdict.violations == ()
    assert verdict.makespan is not None
    return verdict.makespan


@pytest.mark.parametrize("policy", [one for one in POLICIES if one != WHOLE_SERVERS])
def test_policies_that_leave_no_gpu_idle_are_as_far_from_the_best_as_rings_are_wide(
    policy: str,
) -> None:
    """They start both rings at once: (n_g + 2)/2 times too long."""
    for width in (3, 9, 33):
        instance = two_rings(width)
        found = check(instance, solve(instance, policy).outcome.schedule).makespan
        assert found is not None
        assert found / one_after_the_other(instance) >= Fraction(width + 2, 2) * Fraction(9, 10)


def test_rings_on_servers_of_their_own_run_one_after_the_other() -> None:
    for width in (3, 9, 33):
        instance = two_rings(width)
        found = check(instance, solve(instance, WHOLE_SERVERS).outcome.schedule).makespan
        assert found == one_after_the_other(instance)


def halves(instance: MakespanInstance) -> bool:
    """Return True if some jobs need half of all GPUs, by the sums of all sets of jobs."""
    sums = {0}
    for job in instance.jobs:
        sums |= {one + job.gpus for one in sums}
    return sum(job.gpus for job in instance.jobs) in {2 * one for one in sums}


def test_a_schedule_shorter_than_twice_the_best_splits_numbers_into_halves() -> None:
    """With 5 numbers up to 9, some can be split and some cannot: makespan 1 or 2."""
    found = Counter[bool]()
    for seed in range(12):
        instance = generate("partition", seed=seed, name="x", jobs=5)
        best = solve(instance, "branch-and-bound").outcome
        assert best.status is SolutionStatus.OPTIMAL
        assert best.value == (1 if halves(instance) else 2)
        found[halves(instance)] += 1
    assert min(found[True], found[False]) > 0


@pytest.mark.parametrize(("jobs", "servers"), [(20, 5), (40, 10), (80, 20)])
def test_sjf_bco_looks_for_gpus_twice_for_each_job(
    jobs: int, servers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that looks in vain waits for an end, and there are as many ends as jobs.

    With n_g thresholds and the limits of a bisection up to T that is O(n_g |J| log T) looks. Each
    moves GPUs and servers in and out of heaps, which takes O(log N) each time.
    """
    monkeypatch.setenv("RINGYARD_KERNELS", "plain")
    monkeypatch.setattr(sjf_bco.place, "fast", None)  # what other tests may have compiled
    counted: Counter[str] = Counter()

    def counting(name: str, function: Any) -> Any:
        def call(*args: Any) -> Any:
            counted[name] += 1
            return function(*args)

        return call

    monkeypatch.setattr(sjf_bco, "place", counting("runs", sjf_bco.place))
    monkeypatch.setattr(dispatch, "choose", counting("looks", dispatch.choose))
    monkeypatch.setattr(dispatch, "from_pool", counting("looks", dispatch.from_pool))
    for module in (gpus, dispatch):
        for step in ("push", "pop_least"):
            monkeypatch.setattr(module, step, counting("steps", getattr(module, step)))
    instance = generate("mobihoc", seed=0, name="x", jobs=jobs, servers=servers)
    sjf_bco.run(instance, Request(options=Options(theta="bisection")))
    widest = max(job.gpus for job in instance.jobs)
    limits = log2(highest_limit(instance, estimates(instance))) + 1
    assert counted["runs"] <= widest * limits
    assert jobs <= counted["looks"] <= 2 * jobs * counted["runs"]
    total = sum(server.gpus for server in instance.cluster.servers)
    assert counted["looks"] <= counted["steps"] <= 4 * total * counted["looks"]
