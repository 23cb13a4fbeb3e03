"""Hypothesis strategies for entities: small, cheap to simulate, and over every option.

Numbers are nice (halves, fives, tens) or ugly (seven digits); hypothesis shrinks towards
nice ones. In an instance no job takes more than about 30 slots, however it is placed.
"""

from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any, get_args

from hypothesis import strategies as st

from ringyard.instances import (
    Assignment,
    Cluster,
    FluidLinks,
    Leaf,
    MakespanInstance,
    RingJob,
    Schedule,
    Server,
    ServerUplink,
    digest,
)
from ringyard.instances.makespan import Overhead, Progress
from ringyard.testing.makespan import slowest_s

NAMES = ("s{}", "{}", "node {} (Zürich)", "机{}", "a.b[{}]", "x" * 90 + "{}")
"""Patterns of names; the index makes them unique."""


def numbers(nice: bool, low: str = "0.1", high: str = "10") -> st.SearchStrategy[Decimal]:
    """Draw decimals between two positive limits."""
    least, most = Decimal(low), Decimal(high)
    if not nice:
        return st.decimals(least, most, places=6, allow_nan=False)
    digits = ("1", "2", "5", "2.5")
    scales = range(least.adjusted(), most.adjusted() + 1)
    choices = [Decimal(d).scaleb(k) for k in scales for d in digits]
    return st.sampled_from(sorted(c for c in choices if least <= c <= most))


def or_zero(numbers: st.SearchStrategy[Decimal]) -> st.SearchStrategy[Decimal]:
    """Draw zero as often as anything else."""
    return st.just(Decimal(0)) | numbers


@st.composite
def clusters(
    draw: st.DrawFn, *, max_servers: int = 4, max_gpus: int = 8, nice: bool = True
) -> Cluster:
    """Draw a cluster; the links inside a server are 1 to 10 times as fast as its uplink."""
    pattern = draw(st.sampled_from(NAMES))
    sizes = draw(st.lists(st.integers(1, max_gpus), min_size=1, max_size=max_servers))
    uplink = draw(numbers(nice))
    return Cluster(
        servers=tuple(Server(name=pattern.format(i), gpus=g) for i, g in enumerate(sizes)),
        intra_bandwidth_gb_s=uplink * draw(st.sampled_from([1, 2, 10])),
        inter_bandwidth_gb_s=uplink,
        reduce_gb_s=draw(numbers(nice, high="100")),
    )


@st.composite
def uplinks(draw: st.DrawFn, *, nice: bool = True) -> ServerUplink:
    """Draw the paper's contention model with its two parameters."""
    share = draw(st.just(Decimal(1)) | numbers(nice, "0.1", "1"))
    return ServerUplink(share=share, degradation=draw(or_zero(numbers(nice, "0.1", "1"))))


@st.composite
def fluids(draw: st.DrawFn, cluster: Cluster, *, nice: bool = True) -> FluidLinks:
    """Draw racks for the servers of a cluster, under one spine or two."""
    names = draw(st.permutations([server.name for server in cluster.servers]))
    racks = draw(st.lists(st.integers(0, 2), min_size=len(names), max_size=len(names)))
    spines = draw(st.sampled_from([("spine",), ("spine", "north")]))
    leaves = tuple(
        Leaf(
            name=f"rack{rack}",
            servers=tuple(n for n, r in zip(names, racks, strict=True) if r == rack),
            spine=draw(st.sampled_from(spines)),
        )
        for rack in sorted(set(racks))
    )
    over = st.just(Decimal(1)) | numbers(nice, "0.5", "4")
    return FluidLinks(
        leaves=leaves, leaf_oversubscription=draw(over), spine_oversubscription=draw(over)
    )


@st.composite
def makespan_instances(
    draw: st.DrawFn,
    *,
    max_servers: int = 4,
    max_gpus: int = 8,
    max_jobs: int = 6,
    progress: str | None = None,
    overhead: str | None = None,
    contention: str | None = None,
    nice: bool | None = None,
    releases: bool = True,
    described: bool = False,
) -> MakespanInstance:
    """Draw an instance; an option left at None is drawn too.

    ``contention`` is `server_uplink` or `fluid`. Under `floor` the slot is at least twice
    the longest iteration, so that every job gets on wherever it runs.
    """
    nice = draw(st.booleans().map(lambda ugly: not ugly)) if nice is None else nice
    progress = progress or draw(st.sampled_from(get_args(Progress)))
    overhead = overhead or draw(st.sampled_from(get_args(Overhead)))
    model = contention or draw(st.sampled_from(["server_uplink", "fluid"]))
    cluster = draw(clusters(max_servers=max_servers, max_gpus=max_gpus, nice=nice))
    network = draw(uplinks(nice=nice) if model == "server_uplink" else fluids(cluster, nice=nice))
    overhead_s = draw(or_zero(numbers(nice, "0.01", "0.5")))
    pace = draw(st.sampled_from([2, 3, 5, 8] if progress == "floor" else [1, 2, 5, 20]))
    longest = min(30 * pace, 60)
    jobs = draw(_ring_jobs(cluster, max_jobs, longest, nice, releases and progress))
    slowest = max(slowest_s(job, cluster, network, overhead_s, len(jobs)) for job in jobs)
    return MakespanInstance(
        name=draw(st.sampled_from(NAMES)).format("yard"),
        **(draw(_descriptions()) if described else {}),
        cluster=cluster,
        jobs=jobs,
        contention=network,
        overhead=overhead,
        overhead_s=overhead_s,
        progress=progress,
        slot_s=_rounded_up(slowest * pace, 1 if nice else 6),
        horizon_slots=draw(st.none() | st.integers(1, 1000)),
    )


@st.composite
def _ring_jobs(
    draw: st.DrawFn, cluster: Cluster, most: int, longest: int, nice: bool, progress: str | bool
) -> tuple[RingJob, ...]:
    """Draw jobs; `progress` admits releases, within a slot if it is continuous."""
    pattern = draw(st.sampled_from(NAMES))
    total = sum(server.gpus for server in cluster.servers)
    release = st.integers(0, 10).map(Decimal)
    if progress == "continuous":
        release |= numbers(nice, "0.1", "10")
    jobs = []
    for i in range(draw(st.integers(1, most))):
        job = RingJob(
            name=pattern.format(i),
            gpus=draw(st.integers(1, total)),
            iterations=draw(st.integers(1, longest)),
            gradient_gb=draw(or_zero(numbers(nice, "0.01", "2"))),
            batch_samples=draw(st.integers(0, 4)),
            forward_s_per_sample=draw(or_zero(numbers(nice, "0.01", "0.5"))),
            backward_s=draw(or_zero(numbers(nice, "0.01", "2"))),
            release_slot=draw(release) if progress else Decimal(0),
        )
        ring = job.gradient_gb and job.gpus > 1
        if not (ring or job.backward_s or job.forward_s_per_sample * job.batch_samples):
            job = replace(job, backward_s=Decimal("0.5"))
        jobs.append(job)
    return tuple(jobs)


def _rounded_up(value: Fraction, digits: int) -> Decimal:
    context = Context(prec=digits, rounding=ROUND_CEILING)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def _descriptions() -> st.SearchStrategy[dict[str, Any]]:
    prose = st.text(max_size=30)
    return st.fixed_dictionaries(dict.fromkeys(("title", "notes", "source", "licence"), prose))


@st.composite
def placements(draw: st.DrawFn, cluster: Cluster, gpus: int) -> tuple[tuple[str, int], ...]:
    """Draw GPUs per server for one job that has the cluster to itself, sorted by name."""
    chosen = {}
    left = sum(server.gpus for server in cluster.servers)
    for server in draw(st.permutations(cluster.servers)):
        left -= server.gpus
        count = draw(st.integers(max(0, gpus - left), min(server.gpus, gpus)))
        gpus -= count
        if count:
            chosen[server.name] = count
    return tuple(sorted(chosen.items()))


@st.composite
def makespan_schedules(
    draw: st.DrawFn, instance: MakespanInstance, *, latest: int = 40
) -> Schedule:
    """Draw starts and placements: each job fits alone, but jobs may be in one another's way."""
    whole = instance.progress != "continuous"
    starts = st.integers(0, latest).map(Decimal) if whole else st.decimals(0, latest, places=3)
    known = {"digest": digest(instance)} if draw(st.booleans()) else {}
    return Schedule(
        instance=instance.name,
        **known,
        method=draw(st.sampled_from(["", "by hand"])),
        seed=draw(st.none() | st.integers(0, 2**63)),
        makespan=draw(st.none() | st.decimals(0, 1000, places=6)),
        assignments=tuple(
            Assignment(
                job=job.name,
                start_slot=job.release_slot + draw(starts),
                gpus=draw(placements(instance.cluster, job.gpus)),
                end_slot=draw(st.none() | st.decimals(0, 1000, places=6)),
            )
            for job in instance.jobs
        ),
    )
