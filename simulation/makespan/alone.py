"""The servers on which each job runs fastest alone, with oversubscribed links.

No ring is faster in company than alone. If all jobs end there, a schedule exists: one job after the
other. Otherwise no schedule exists.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from ...instances import FluidLinks, MakespanInstance, RingJob, Server
from ..model import Parts, iteration_s, open_servers, parts, slots_needed, speeds_of
from .evaluate import PlacedStarts, make_plan, spread_least


class Scope(NamedTuple):
    """Servers between which a ring alone has at least this part of an uplink."""

    servers: tuple[Server, ...]
    width: Fraction


class Alone(NamedTuple):
    """The fastest place: seconds per iteration, and GPUs by server."""

    seconds: Fraction
    gpus: dict[str, int]


def fastest_alone(instance: MakespanInstance, job: RingJob) -> Alone:
    """Return the servers on which a job runs fastest: on each kind one if one is enough."""
    found = []
    for gpu, speed in speeds_of(instance.kinds, job).items():
        servers = open_servers(instance, job.allowed_regions, gpu)
        if sum(one.gpus for one in servers) >= job.gpus:
            found.append(_fastest_among(instance, job, parts(instance, job, speed), servers))
    return min(found, key=lambda one: one.seconds)


def _fastest_among(
    instance: MakespanInstance, job: RingJob, terms: Parts, servers: tuple[Server, ...]
) -> Alone:
    """Return the same for servers of one kind."""
    inside = [one for one in servers if one.gpus >= job.gpus]
    if inside:
        seconds = iteration_s(instance, terms, 1, job.gpus, Fraction(1))
        return Alone(seconds, {inside[0].name: job.gpus})
    found = []
    for scope in _scopes(instance, servers):
        largest = sorted(scope.servers, key=lambda one: one.gpus, reverse=True)
        sizes = tuple(one.gpus for one in largest)
        if sum(sizes) >= job.gpus:
            shape = spread_least(instance, sizes, job.gpus)
            seconds = iteration_s(instance, terms, *shape, 1 / scope.width)
            found.append(Alone(seconds, _spread(largest, job.gpus, shape[1])))
    return min(found, key=lambda one: one.seconds)


def stuck(instance: MakespanInstance) -> str | None:
    """Name a job that does no iteration even alone on its fastest servers: no schedule exists."""
    for job in instance.jobs:
        alone = fastest_alone(instance, job)
        if slots_needed(instance, job, alone.seconds) is None:
            return (
                f"there is no schedule: job {job.name!r} does no iteration, even alone its "
                f"fastest takes {float(alone.seconds):.6g} s over these links, so lengthen slot_s"
            )
    return None


def in_turn(instance: MakespanInstance) -> PlacedStarts:
    """Return the plan of one job after the other, each on its fastest servers.

    No job is `stuck`.
    """
    index = {server.name: s for s, server in enumerate(instance.cluster.servers)}
    now, starts, placements = Fraction(0), {}, {}
    for job in sorted(instance.jobs, key=lambda job: job.release_slot):
        alone = fastest_alone(instance, job)
        now = max(now, Fraction(job.release_slot))
        starts[job.name] = float(now)
        placements[job.name] = [(index[name], count) for name, count in alone.gpus.items()]
        now += slots_needed(instance, job, alone.seconds) or 0
    names = [job.name for job in instance.jobs]
    return make_plan([starts[name] for name in names], [placements[name] for name in names])


def _scopes(instance: MakespanInstance, servers: tuple[Server, ...]) -> Iterator[Scope]:
    """Yield servers in one leaf, under one spine, and anywhere, at all widths there are."""
    network = instance.contention
    uplinks = {one.name: Fraction(one.uplink) for one in instance.cluster.servers}
    if not isinstance(network, FluidLinks):
        yield from _on_uplinks(servers)
        return
    known = {one.name: one for one in servers}
    below: dict[str, list[tuple[Fraction, tuple[Server, ...]]]] = {}
    total: dict[str, Fraction] = {}
    for leaf in network.leaves:
        own = tuple(known[name] for name in leaf.servers if name in known)
        carried = sum((uplinks[name] for name in leaf.servers), Fraction(0))
        width = carried / Fraction(network.leaf_oversubscription)
        below.setdefault(leaf.spine, []).append((width, own))
        total[leaf.spine] = total.get(leaf.spine, Fraction(0)) + width
        yield from _on_uplinks(own)
    above = {
        spine: width / Fraction(network.spine_oversubscription) for spine, width in total.items()
    }
    widths = {width for leaves in below.values() for width, _ in leaves} | set(above.values())
    for least in {min(Fraction(1), width) for width in widths | set(uplinks.values())}:
        wide = {
            spine: tuple(
                one for width, own in leaves if width >= least for one in own if one.uplink >= least
            )
            for spine, leaves in below.items()
        }
        yield from (Scope(some, least) for some in wide.values())
        yield Scope(
            tuple(one for spine, some in wide.items() if above[spine] >= least for one in some),
            least,
        )


def _on_uplinks(servers: tuple[Server, ...]) -> Iterator[Scope]:
    """Yield the servers whose uplinks have a width or more, for all widths there are."""
    for least in sorted({one.uplink for one in servers}, reverse=True):
        yield Scope(tuple(one for one in servers if one.uplink >= least), Fraction(least))


def _spread(servers: list[Server], gpus: int, most: int) -> dict[str, int]:
    """Return GPUs by server, at most so many on one, the largest servers first."""
    found: dict[str, int] = {}
    for one in servers:
        taken = min(one.gpus, most, gpus)
        if taken:
            found[one.name] = taken
        gpus -= taken
    return found
