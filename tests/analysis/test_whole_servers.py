"""Rings on servers of their own: the list, the count of its proof, and how late it can be."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from list_rules import (
    Case,
    Job,
    factor_of_batches,
    factor_of_whole_servers,
    in_batches,
    on_whole_servers,
)

from ringyard.analysis.check import check
from ringyard.analysis.guarantees import find_guarantee
from ringyard.instances import Cluster, MakespanInstance, RingJob, Server, SolutionStatus
from ringyard.instances.generate import generate
from ringyard.methods import find_method
from ringyard.run import solve

THEOREM = find_guarantee("whole-servers")
BATCHES = find_guarantee("whole-server-batches")

WIDEST = "whole-server-list:fill=no:order=widest"
"""The list of the proof alone."""


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes = (draw(st.integers(1, 4)),) * draw(st.integers(1, 5))
    one = st.builds(Job, st.integers(1, sum(sizes)), st.integers(1, 9), st.just(0))
    jobs = draw(st.lists(one, min_size=1))
    return Case(sizes, tuple(sorted(jobs, key=lambda job: (-job.gpus, -job.slots))))


def instance_of(case: Case) -> MakespanInstance:
    """Return jobs that do not communicate, each iteration a slot."""
    return MakespanInstance(
        name="case",
        cluster=Cluster(
            servers=tuple(Server(name=f"s{i}", gpus=size) for i, size in enumerate(case.sizes)),
            intra_bandwidth_gb_s=Decimal(1),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=None,
        ),
        jobs=tuple(
            RingJob(
                name=f"j{i}",
                release_slot=Decimal(job.release),
                gpus=job.gpus,
                iterations=job.slots,
                backward_s=Decimal(1),
            )
            for i, job in enumerate(case.jobs)
        ),
    )


@given(cases())
def test_the_policy_is_the_list_in_plain_python(case: Case) -> None:
    instance = instance_of(case)
    assert solve(instance, WIDEST).objective == on_whole_servers(case.sizes, list(case.jobs))
    assert THEOREM.factor(instance) == max(
        factor_of_whole_servers(case, job.gpus) for job in case.jobs
    )


@given(cases(), st.lists(st.integers(0, 30), min_size=1))
def test_in_batches_the_policy_is_the_list_in_plain_python(case: Case, releases: list[int]) -> None:
    """Jobs arrive at the drawn slots, in turn."""
    jobs = [job._replace(release=releases[i % len(releases)]) for i, job in enumerate(case.jobs)]
    late = Case(case.sizes, tuple(jobs))
    instance, method = instance_of(late), f"{WIDEST}:batches=yes"
    assert solve(instance, method).objective == in_batches(late)
    assert BATCHES.factor(instance) == factor_of_batches(late)
    assert BATCHES.unmet(instance, find_method(method, "makespan").options) is None
    assert "batches is 'no'" in (BATCHES.unmet(instance) or "")


def ring_sets(servers: int, least: int, most: int) -> Iterator[list[int]]:
    """Yield sets of rings of `least` to `most` servers each, and of at most `servers` together."""
    yield []
    for first in range(least, min(servers, most) + 1):
        for rest in ring_sets(servers - first, least, first):
            yield [first, *rest]


@pytest.mark.parametrize("gpus", [1, 2, 3, 4, 8, 64])
def test_the_weight_of_running_jobs_is_never_below_the_number_of_servers(gpus: int) -> None:
    """The two counts of the proof, for every set of rings that can run on up to 9 servers."""
    for servers in range(2, 10):
        for busy in {max(w, gpus + 1 - w) for w in range(1, gpus + 1)}:
            weight = (servers - Fraction(1, busy)) / (servers // 2) - Fraction(gpus, busy)
            assert weight >= 0
            for rings in ring_sets(servers, 2, servers):
                held, crossed = sum(rings), sum(k - 1 for k in rings)
                area = Fraction(crossed * gpus + len(rings), busy) + weight * crossed
                assert area + servers - held >= servers  # while a narrow job waits
                if rings and servers - held < min(rings):  # a ring may wait
                    assert crossed >= servers // 2
                    assert area >= servers


def test_no_factor_reaches_10_thirds() -> None:
    for servers in range(1, 41):
        for gpus in (1, 2, 3, 4, 8, 64):
            most = 3 + Fraction(1 if servers % 2 else -1, servers)
            widths = range(1, servers * gpus + 1) if servers > 1 else (1,)
            for w in (*widths[: gpus + 1], *widths[gpus::gpus]):
                case = Case((gpus,) * servers, (Job(servers * gpus, 1), Job(w, 1)))
                assert factor_of_whole_servers(case, w) < max(most, Fraction(2))


@pytest.mark.parametrize(
    ("pairs", "parts", "slots", "end"),
    [(1, 3, 6, 19), (1, 3, 15, 48), (1, 8, 24, 78), (2, 2, 12, 37)],
)
def test_the_list_is_nearly_as_late_as_proved(pairs: int, parts: int, slots: int, end: int) -> None:
    """The best schedule takes `slots`, the list 3 `slots` and x slots more: see the docstring."""
    instance = generate("late-lists", seed=0, pairs=pairs, parts=parts, slots=slots)
    best, servers = solve(instance), 2 * pairs + 1
    assert (best.objective, best.outcome.status) == (slots, SolutionStatus.OPTIMAL)
    assert solve(instance, WIDEST).objective == end
    rounds = ((parts - 1) * slots - parts) // (servers * parts)
    assert end == 3 * slots + rounds
    factor = THEOREM.factor(instance)
    assert factor - Fraction(1, slots) * 2 < Fraction(end, slots) <= factor


def test_in_batches_a_list_may_take_nearly_13_thirds() -> None:
    """A long job alone, then a late list on 3 servers of 60 GPUs.

    The best schedule ends at 61. From 1 on it runs two rings (the second and third in turn), 18
    jobs of 3 GPUs and both long jobs: 2 x 61 + 18 x 3 + 2 = 178 of 180 GPUs.
    """
    rings = [Job(61, slots, 1) for slots in (60, 59, 1)]
    case = Case((60,) * 3, (Job(1, 60), *rings, *[Job(3, 1, 1)] * (18 * 60), Job(1, 60, 1)))
    assert Fraction(42, 10) < Fraction(in_batches(case), 61) < factor_of_batches(case)


@pytest.mark.parametrize("seed", range(15))
def test_with_a_network_no_list_is_later_than_proved(seed: int) -> None:
    """Against the optimum, where some rings cross at a cost and some servers are shared."""
    overhead = ("paper", "step")[seed % 2]
    instance = generate(
        "small", seed=seed, jobs=6, servers=2 + seed % 3, overhead=overhead, name="x"
    )
    best = solve(instance, "branch-and-bound")
    assert best.outcome.status is SolutionStatus.OPTIMAL
    assert best.objective is not None
    for method in (WIDEST, "whole-server-list"):
        assert THEOREM.unmet(instance, find_method(method, "makespan").options) is None
        found = check(instance, solve(instance, method).schedule)
        assert found.violations == ()
        assert found.makespan is not None
        assert found.makespan <= THEOREM.factor(instance) * best.objective


@pytest.mark.parametrize(
    ("options", "name", "reason"),
    [
        ({"server_gpus": (2, 4, 8), "servers": 9}, "whole-server-list", "equal servers"),
        ({"contention": "fluid"}, "whole-server-list", "contention on the uplinks"),
        ({"overhead": "max_workers_per_server"}, "whole-server-list", "on the fewest servers"),
        ({"release_slots": 9}, "whole-server-list", "released at 0"),
        ({}, "whole-server-list:fill=yes", "fills no servers of rings"),
    ],
)
def test_what_the_theorem_does_not_cover_is_said(
    options: dict[str, object], name: str, reason: str
) -> None:
    instance = generate("small", seed=1, name="x", **options)
    unmet = THEOREM.unmet(instance, find_method(name, "makespan").options)
    assert unmet is not None
    assert reason in unmet
