"""Equation (8), and the extremes of an iteration over all placements."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from strategies import makespan_instances

from ringyard.instances import Cluster, MakespanInstance, RingJob, Server, ServerUplink
from ringyard.simulation.makespan.evaluate import extremes
from ringyard.simulation.model import iteration_s, parts, slots_needed, slowdown

ORACLE = MakespanInstance(
    name="oracle",
    cluster=Cluster(
        servers=(Server(name="s0", gpus=4), Server(name="s1", gpus=4)),
        intra_bandwidth_gb_s=Decimal(10),
        inter_bandwidth_gb_s=Decimal(1),
        reduce_gb_s=Decimal(1),
    ),
    jobs=(
        RingJob(
            name="j",
            gpus=4,
            iterations=1000,
            gradient_gb=Decimal("0.002"),
            batch_samples=32,
            forward_s_per_sample=Decimal("0.0001"),
            backward_s=Decimal("0.004"),
        ),
    ),
    contention=ServerUplink(degradation=Decimal("0.5")),
    overhead_s=Decimal("0.001"),
    progress="floor",
)
"""A worked example: 10, 13.7 and 18.2 ms inside a server, spread alone, and sharing an uplink."""


def test_iteration_times_of_the_specification() -> None:
    job = ORACLE.jobs[0]
    terms = parts(ORACLE, job)
    shared = slowdown(Fraction(1), Fraction(1, 2), 2)
    times = [
        iteration_s(ORACLE, terms, 1, 4, Fraction(1)),
        iteration_s(ORACLE, terms, 2, 2, Fraction(1)),
        iteration_s(ORACLE, terms, 2, 2, shared),
    ]
    assert times == [Fraction("0.010"), Fraction("0.0137"), Fraction("0.0182")]
    per_slot = [1000 / slots_needed(replace(ORACLE, progress="fractional"), job, t) for t in times]
    assert [1 / t // 1 for t in times] == [100, 72, 54]
    assert per_slot[0] == 100


def test_a_share_below_one_never_speeds_a_ring_up() -> None:
    assert slowdown(Fraction(1, 3), Fraction(1), 1) == 1
    assert slowdown(Fraction(1, 3), Fraction(1), 2) == 1
    assert slowdown(Fraction(1, 2), Fraction(1), 4) == 3


def test_a_rate_of_zero_never_ends() -> None:
    slow = replace(ORACLE, slot_s=Decimal("0.009"))
    assert extremes(slow)[0].least_slots is None


@given(st.data())
def test_extremes_enclose_every_placement(data: st.DataObject) -> None:
    instance = data.draw(makespan_instances(max_servers=3, max_gpus=4, contention="server_uplink"))
    job, terms = instance.jobs[0], parts(instance, instance.jobs[0])
    sizes = [server.gpus for server in instance.cluster.servers]
    model = instance.contention
    assert isinstance(model, ServerUplink)
    factors = [
        slowdown(Fraction(model.share), Fraction(model.degradation), rings)
        for rings in range(1, max(sizes) + 1)
    ]
    times = []
    for counts in product(*(range(size + 1) for size in sizes)):
        pieces = [count for count in counts if count]
        if sum(pieces) == job.gpus:
            spot = (len(pieces), max(pieces))
            times += [iteration_s(instance, terms, *spot, factor) for factor in factors]
    assert extremes(instance)[0].fastest_s == min(times)
    assert extremes(instance)[0].slowest_s >= max(times)
