"""Strategies for tiny instances over all options, and for schedules that break rules freely."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, get_args

from check.cases import job, make_instance, plan, racks
from hypothesis import strategies as st

from ringyard.instances import FluidLinks, MakespanInstance, Schedule, ServerUplink
from ringyard.instances.makespan import Overhead, Progress

SERVERS = ("s0", "s1", "s2", "s3")
tenths = st.integers(0, 8).map(lambda n: Decimal(n) / 10)


@st.composite
def networks(draw: st.DrawFn, servers: int) -> ServerUplink | FluidLinks:
    if draw(st.booleans()):
        share = draw(st.sampled_from(["0.3", "0.6", "1"]))
        return ServerUplink(share=Decimal(share), degradation=draw(tenths))
    cut = draw(st.integers(1, servers))
    names = list(SERVERS[:servers])
    leaves = [part for part in (names[:cut], names[cut : cut + 1], names[cut + 1 :]) if part]
    spines = draw(st.lists(st.sampled_from("ab"), min_size=len(leaves), max_size=len(leaves)))
    over = st.sampled_from(["0.5", "1", "2", "3"])
    return racks(
        *leaves,
        spines=spines,
        leaf_oversubscription=draw(over),
        spine_oversubscription=draw(over),
    )


@st.composite
def instances(draw: st.DrawFn) -> MakespanInstance:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    jobs = [
        job(
            f"j{i}",
            draw(st.integers(1, min(5, sum(sizes)))),
            draw(st.integers(1, 12)),
            gradient_gb=draw(tenths),
            batch_samples=draw(st.integers(0, 2)),
            forward_s_per_sample=draw(tenths),
            backward_s=draw(st.sampled_from(["0.1", "0.3"])),
            release_slot=draw(st.integers(0, 2)),
        )
        for i in range(draw(st.integers(1, 5)))
    ]
    return make_instance(
        jobs,
        sizes,
        intra_bandwidth_gb_s=draw(st.sampled_from([2, 7])),
        inter_bandwidth_gb_s=draw(st.sampled_from([1, 2])),
        reduce_gb_s=draw(st.sampled_from([1, 30])),
        contention=draw(networks(len(sizes))),
        overhead=draw(st.sampled_from(get_args(Overhead))),
        overhead_s=draw(tenths),
        progress=draw(st.sampled_from(get_args(Progress))),
        slot_s=draw(st.sampled_from(["0.7", "1.5", "4"])),
    )


@st.composite
def plans(draw: st.DrawFn, instance: MakespanInstance) -> Schedule:
    """Draw starts and GPUs without a thought for gangs, capacities and releases."""
    servers = [server.name for server in instance.cluster.servers]
    entries = []
    for one in draw(st.permutations(instance.jobs)):
        start: Any = draw(st.integers(0, 5))
        if instance.progress == "continuous":
            start += draw(tenths)
        gpus: dict[str, int] = {}
        for _ in range(one.gpus if draw(st.booleans()) else draw(st.integers(1, 6))):
            server = draw(st.sampled_from(servers))
            gpus[server] = gpus.get(server, 0) + 1
        entries.append((one.name, start, gpus))
    schedule = plan(*entries, makespan=draw(st.none() | st.integers(1, 20)))
    claim = st.none() | st.integers(1, 12).map(Decimal)
    claims = [replace(entry, end_slot=draw(claim)) for entry in schedule.assignments]
    return replace(schedule, assignments=tuple(claims))


cases = instances().flatmap(lambda instance: st.tuples(st.just(instance), plans(instance)))
