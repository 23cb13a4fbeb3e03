"""Narrow links: a ring alone can be slow on them, and rings that share no server can meet."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from check.cases import job, make_instance, plan, racks
from hypothesis import assume, given
from strategies import makespan_instances

from ringyard.analysis.check import check
from ringyard.instances import MakespanInstance
from ringyard.instances.catalogue import load_as
from ringyard.methods import all_methods
from ringyard.run import solve
from ringyard.search.makespan.annealing import local_search
from ringyard.simulation.makespan.alone import fastest_alone, stuck
from ringyard.simulation.model import slots_needed

CASES = Path(__file__).parents[1] / "cases"
NARROW = sorted(CASES.glob("narrow-leaves-*.json"))


def test_there_are_cases() -> None:
    assert len(NARROW) == 7


@pytest.mark.parametrize("file", NARROW, ids=lambda file: file.stem)
@pytest.mark.parametrize("method", ["branch-and-bound", "portfolio"])
def test_no_worse_than_the_list_scheduler(
    monkeypatch: pytest.MonkeyPatch, file: Path, method: str
) -> None:
    monkeypatch.setattr(local_search, "MOST_TRIED", 500)
    instance = load_as(MakespanInstance, file)
    first, answer = solve(instance, "gang-lpt"), solve(instance, method)
    assert answer.valid
    assert not answer.rejection
    assert answer.objective is not None
    assert first.objective is not None
    assert answer.objective <= first.objective
    # The bound knows how slow each ring is alone; what is left are starts rounded to ticks.
    assert answer.objective - answer.bound.value < Fraction(1, 10**5)


def two_leaves(over: str, gpus: int) -> MakespanInstance:
    """Two leaves of two servers, and two rings; a ring's iteration is 1 s of transfer alone."""
    rings = [job(f"j{i}", gpus, 3, gradient_gb="1", backward_s="0") for i in range(2)]
    network = racks(["s0", "s1"], ["s2", "s3"], leaf_oversubscription=over)
    return make_instance(
        rings,
        [1, 1, 1, 1] if gpus == 2 else [2, 2, 2, 2],
        contention=network,
        progress="continuous",
        inter_bandwidth_gb_s=1,
        intra_bandwidth_gb_s=1,
        reduce_gb_s=10**9,
    )


def test_rings_that_share_no_server_can_meet_on_a_leaf() -> None:
    # 2 GPUs: 2 * 0.5 GB over a link, 1 s and half a nanosecond for the sum. Both rings cross the
    # leaves' uplinks, of width 1, so together each takes twice as long; nobody meets otherwise.
    instance = two_leaves("2", 2)
    both = plan(("j0", 0, {"s0": 1, "s2": 1}), ("j1", 0, {"s1": 1, "s3": 1}))
    assert float(check(instance, both).makespan or 0) == pytest.approx(6)
    # Inside the leaves they are apart, and that is optimal.
    answer = solve(instance, "branch-and-bound")
    assert (answer.status, answer.valid) == ("optimal", True)
    assert float(answer.objective or 0) == pytest.approx(3)


def test_a_ring_that_must_cross_a_narrow_leaf_is_slow_alone() -> None:
    # Rings of 8 GPUs over all servers: 2 * 7/8 GB an iteration over a leaf of width 2/5, so
    # 35/8 s; two rings in turn take 6 of these, and that is proved.
    instance = two_leaves("5", 8)
    answer = solve(instance, "branch-and-bound")
    assert answer.valid
    assert float(answer.bound.value) == pytest.approx(6 * 35 / 8)
    assert float(answer.objective or 0) == pytest.approx(6 * 35 / 8)


def placements(instance: MakespanInstance) -> list[dict[str, int]]:
    servers = instance.cluster.servers
    counts = product(*(range(server.gpus + 1) for server in servers))
    wanted = (held for held in counts if sum(held) == instance.jobs[0].gpus)
    names = [server.name for server in servers]
    return [{n: k for n, k in zip(names, held, strict=True) if k} for held in wanted]


@given(makespan_instances(max_jobs=1, max_gpus=3, contention="fluid", releases=False))
def test_nobody_is_faster_alone_than_said(instance: MakespanInstance) -> None:
    """The judge tries all placements; under `floor` with slots so short that some stand still."""
    (one,) = instance.jobs
    needs = slots_needed(instance, one, fastest_alone(instance, one).seconds)
    assume(len(placements(instance)) < 200)
    ends = [
        check(instance, plan((one.name, 0, held))).ends.get(one.name)
        for held in placements(instance)
    ]
    known = [end for end in ends if end is not None]
    assert needs == min(known, default=None)
    own = plan((one.name, 0, fastest_alone(instance, one).gpus))
    assert check(instance, own).ends.get(one.name) == needs


def test_all_say_that_there_is_no_schedule() -> None:
    instance = load_as(MakespanInstance, CASES / "no-ring-crosses-the-spines.json")
    assert "'j0' does no iteration" in (stuck(instance) or "")
    said = {}
    for method in all_methods():
        if method.family == "makespan" and method.refuses(instance) is None:
            said[method.name] = solve(instance, method.name).status
    assert set(said.values()) == {"infeasible"}
    assert {"enumeration", "branch-and-bound", "gang-lpt", "portfolio", "cp-sat"} <= set(said)


def test_one_job_after_the_other_where_all_else_stands_still() -> None:
    # A ring's iteration takes 0.5 s and as long for its transfer; where two share a server it is
    # 1.5 s, and no slot of 1.1 s holds one. The list scheduler starts both whenever it can.
    rings = [job(f"j{i}", 3, 2, gradient_gb="0.375", backward_s="0.5") for i in range(2)]
    crowd = make_instance(rings, [2, 2, 2], progress="floor", slot_s="1.1", reduce_gb_s=10**9)
    both = plan(("j0", 0, {"s0": 2, "s1": 1}), ("j1", 0, {"s2": 2, "s1": 1}))
    assert check(crowd, both).makespan is None
    answer = solve(crowd, "gang-lpt")
    assert (answer.valid, answer.objective) == (True, 4)
