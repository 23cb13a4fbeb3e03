"""Delta debugging: the smallest instance that still shows a failure.

A reduction yields candidates, the boldest first. The sequence is finite: a step means fewer jobs,
servers or racks, an option at its default, a number set to 1, or a smaller number with no more
decimals. Candidates may break rules of the format. The caller validates.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, fields, replace
from decimal import ROUND_DOWN, Context, Decimal
from math import ceil
from typing import Any

from ...instances import FluidLinks, InputError, Limits, MakespanInstance, Server, validate
from ...simulation.model import open_sizes
from .bounds.counting import network_among

Reduction = Callable[[MakespanInstance], Iterator[MakespanInstance]]
"""Yields instances that are smaller by one step."""


def fewer_jobs(instance: MakespanInstance) -> Iterator[MakespanInstance]:
    """Leave out jobs: half of them, a quarter, at last each one."""
    for jobs in _without_parts(instance.jobs):
        yield replace(instance, jobs=jobs)


def fewer_servers(instance: MakespanInstance) -> Iterator[MakespanInstance]:
    """Leave out servers by the same scheme. Jobs too large for the remaining servers shrink."""
    for servers in _without_parts(instance.cluster.servers):
        yield _with_servers(instance, servers)


def simpler(record: Any) -> Iterator[Any]:
    """Yield copies of a record in which one direct field is at its default or simpler.

    Of an instance that includes its whole contention model.
    """
    for field in fields(record):
        value = getattr(record, field.name)
        choices = [] if field.default is MISSING else [field.default]
        if isinstance(value, int):
            choices += _smaller(value)
        elif isinstance(value, Decimal):
            choices += _rounder(value)
        if field.name in getattr(record, "ABOUT", ()) or value == field.default:
            continue
        for choice in dict.fromkeys(choices):
            yield replace(record, **{field.name: choice})


def fewer_racks(instance: MakespanInstance) -> Iterator[MakespanInstance]:
    """Join two racks, or hang a rack under the default spine."""
    network = instance.contention
    if not isinstance(network, FluidLinks):
        return
    first, *others = network.leaves
    for i, leaf in enumerate(others):
        joined = replace(first, servers=first.servers + leaf.servers)
        leaves = (joined, *others[:i], *others[i + 1 :])
        yield replace(instance, contention=replace(network, leaves=leaves))
    for i, leaf in enumerate(network.leaves):
        for simple in simpler(leaf):
            leaves = (*network.leaves[:i], simple, *network.leaves[i + 1 :])
            yield replace(instance, contention=replace(network, leaves=leaves))


def smaller_servers(instance: MakespanInstance) -> Iterator[MakespanInstance]:
    """Remove GPUs from a server. Jobs too large for the cluster shrink to it."""
    servers = instance.cluster.servers
    for i, server in enumerate(servers):
        for smaller in simpler(server):
            yield _with_servers(instance, (*servers[:i], smaller, *servers[i + 1 :]))


def simpler_jobs(instance: MakespanInstance) -> Iterator[MakespanInstance]:
    """Make one number of a job smaller or simpler."""
    for i, job in enumerate(instance.jobs):
        for simple in simpler(job):
            yield replace(instance, jobs=(*instance.jobs[:i], simple, *instance.jobs[i + 1 :]))


def simpler_network(instance: MakespanInstance) -> Iterator[MakespanInstance]:
    """Make one number of the cluster or of the contention model simpler."""
    for cluster in simpler(instance.cluster):
        yield replace(instance, cluster=cluster)
    for network in simpler(instance.contention):
        yield replace(instance, contention=network)


REDUCTIONS: tuple[Reduction, ...] = (
    fewer_jobs,
    fewer_servers,
    simpler,
    fewer_racks,
    smaller_servers,
    simpler_jobs,
    simpler_network,
)
"""All of them, in the order in which they are tried."""


def _without_parts(items: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the items without each half, each quarter, ... each single item."""
    size = len(items)
    while size > 1:
        size = (size + 1) // 2
        for at in range(0, len(items), size):
            yield (*items[:at], *items[at + size :])


def _with_servers(instance: MakespanInstance, servers: tuple[Server, ...]) -> MakespanInstance:
    """Replace the servers. Jobs shrink to fit, and racks lose removed servers."""
    cluster = replace(instance.cluster, servers=servers)
    sizes = open_sizes(replace(instance, cluster=cluster))
    jobs = tuple(
        replace(job, gpus=min(job.gpus, sum(sizes[job.allowed_regions]))) for job in instance.jobs
    )
    network = network_among({server.name for server in servers}, instance.contention)
    return replace(instance, cluster=cluster, jobs=jobs, contention=network)


def _smaller(value: int) -> list[int]:
    """Return 1, the half and one less."""
    return [smaller for smaller in (1, value // 2, value - 1) if 0 < smaller < value]


def _rounder(value: Decimal) -> list[Decimal]:
    """Return 0, 1, the half and one less in whole numbers, and the number with fewer digits."""
    found = [Decimal(0), Decimal(1)] if value not in (0, 1) else [Decimal(0)] * (value == 1)
    if value > 1:
        found += [Decimal(int(value) // 2), Decimal(ceil(value) - 1)]
    digits = len(value.normalize().as_tuple().digits)
    return found + [Context(prec=n, rounding=ROUND_DOWN).plus(value) for n in range(1, digits)]


Fails = Callable[[MakespanInstance], bool]
"""Returns True if an instance still shows the failure."""


def shrink(
    instance: MakespanInstance,
    fails: Fails,
    limits: Limits | None = None,
    report: Callable[[MakespanInstance], None] = lambda smaller: None,
) -> MakespanInstance:
    """Return a smaller instance that still fails. `instance` itself must fail.

    Greedy and deterministic: the first candidate of a reduction that is valid and fails is
    accepted, until no candidate fails. Unless time runs out, no single step of `REDUCTIONS` leads
    from the result to a valid instance that fails. Every accepted instance is reported.
    """
    limits = limits or Limits()
    harmless: set[MakespanInstance] = set()

    def first(reduce: Reduction, current: MakespanInstance) -> MakespanInstance | None:
        for candidate in reduce(current):
            if limits.over():
                return None
            if candidate in harmless or not _valid(candidate):
                continue
            if fails(candidate):
                return candidate
            harmless.add(candidate)
        return None

    before = None
    while before != instance:
        before = instance
        for reduce in REDUCTIONS:
            while (smaller := first(reduce, instance)) is not None:
                instance = smaller
                report(instance)
    return instance


def _valid(instance: MakespanInstance) -> bool:
    try:
        validate(instance)
    except InputError:
        return False
    return True
