"""A `makespan` instance as the engine sees it: exact times of iterations, and flat records.

Seconds per iteration, equation (8), are exact fractions. The records are the only form in which
kernels see an instance. Jobs that are bound to the same regions form a group, by a number. Servers
have the groups that may use them as bits.
"""

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import count
from math import ceil, floor, lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..instances import FluidLinks, MakespanInstance, RackServer, RingJob, Server, ServerUplink
from ..instances.regions import Regions
from .jit import kernel, record

TICK = 1e-6
"""In continuous time jobs start at multiples of this many slots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The terms of (8) that do not depend on the placement."""

    alone_s: Fraction
    """Everything but the overhead, for a ring inside one server."""
    spread_s: Fraction
    """Everything but overhead and transfer, for a ring across servers."""
    transfer_s: Fraction
    """Transfer across servers with the uplink to itself."""


def parts(instance: MakespanInstance, job: RingJob, speed: Decimal | None = None) -> Parts:
    """Return the fixed terms of (8) at a speed, by default that of the only kind, or the best."""
    if speed is None and len(instance.kinds) == 1:
        speed = job.speed_on(instance.kinds[0])
    cluster, compute = instance.cluster, job.compute_s(speed or job.best_speed)
    chunks = Fraction(job.gradient_gb) * (job.gpus - 1) / job.gpus
    reduce_s = chunks / Fraction(cluster.reduce_gb_s) if cluster.reduce_gb_s else Fraction(0)
    return Parts(
        alone_s=compute + reduce_s + 2 * chunks / Fraction(cluster.intra_bandwidth_gb_s),
        spread_s=compute + reduce_s,
        transfer_s=2 * chunks / Fraction(cluster.inter_bandwidth_gb_s),
    )


def overhead_units(form: str, servers: int, most: int) -> int:
    """Return the factor of overhead_s for a ring with `most` GPUs on one server."""
    if form == "paper":
        return servers
    if servers == 1:
        return 0
    return 1 if form == "step" else most


def slowdown(share: Fraction, degradation: Fraction, rings: int) -> Fraction:
    """Return f(alpha, k) for `rings` spread rings on the busiest uplink, with k >= 1."""
    k = max(Fraction(1), share * rings)
    return k + degradation * (k - 1)


def iteration_s(
    instance: MakespanInstance, terms: Parts, servers: int, most: int, factor: Fraction
) -> Fraction:
    """Return (8) exactly for a ring on so many servers, with at most `most` GPUs on one.

    Its transfer across servers is `factor` times slower than alone on its links.
    """
    fixed = overhead_units(instance.overhead, servers, most) * Fraction(instance.overhead_s)
    if servers == 1:
        return terms.alone_s + fixed
    return terms.spread_s + terms.transfer_s * factor + fixed


def slots_needed(instance: MakespanInstance, job: RingJob, seconds: Fraction) -> Fraction | None:
    """Return the slots that all iterations take at `seconds` each, or None if they never end."""
    rate = Fraction(instance.slot_s) / seconds
    if instance.progress == "floor":
        rate = Fraction(floor(rate))
    if rate == 0:
        return None
    slots = job.iterations / rate
    return slots if instance.progress == "continuous" else Fraction(ceil(slots))


MOST_GROUPS = 62
"""They are bits of a number."""


Kinds = tuple[str | None, ...]


class Home(NamedTuple):
    """The regions of a job, and the kind of GPUs chosen for it. None is for all."""

    regions: Regions | None = None
    gpu: str | None = None


ANYWHERE = Home()


def homes(instance: MakespanInstance) -> list[Home]:
    """Return where each job runs."""
    chosen = chosen_kinds(instance)
    return [Home(job.allowed_regions, gpu) for job, gpu in zip(instance.jobs, chosen, strict=True)]


@lru_cache(maxsize=8)
def chosen_kinds(instance: MakespanInstance) -> Kinds:
    """Return a kind of GPUs for each job, None if there is only one.

    Jobs are dealt by GPUs times slots inside a server of their fastest kind, the largest first.
    Each goes to the kind on which it ends first, if its work is spread evenly behind that of the
    jobs before it.
    """
    kinds = instance.kinds
    if len(kinds) == 1:
        return (None,) * len(instance.jobs)
    rooms = {kind: sum(one.gpus for one in open_servers(instance, None, kind)) for kind in kinds}
    slots = [_slots_by_kind(instance, job) for job in instance.jobs]
    areas = [job.gpus * min(own.values()) for job, own in zip(instance.jobs, slots, strict=True)]
    load, chosen = dict.fromkeys(kinds, 0.0), [kinds[0]] * len(slots)
    for j in sorted(range(len(slots)), key=lambda j: -areas[j]):
        gpus, own = instance.jobs[j].gpus, slots[j]
        ends = {kind: max(own[kind], (load[kind] + gpus * own[kind]) / rooms[kind]) for kind in own}
        chosen[j] = min(ends, key=ends.__getitem__)
        load[chosen[j]] += gpus * own[chosen[j]]
    return tuple(chosen)


def _slots_by_kind(instance: MakespanInstance, job: RingJob) -> dict[str | None, float]:
    """Return the slots of a job inside a server of each kind that has enough GPUs for it."""
    found = {}
    speeds = speeds_of(instance.kinds, job)
    for kind, speed in speeds.items():
        seconds = iteration_s(instance, parts(instance, job, speed), 1, job.gpus, Fraction(1))
        if sum(one.gpus for one in open_servers(instance, job.allowed_regions, kind)) >= job.gpus:
            slots = slots_needed(instance, job, seconds)
            found[kind] = np.inf if slots is None else float(slots)
    return found or dict.fromkeys(speeds, np.inf)


def speeds_of(kinds: Kinds, job: RingJob) -> dict[str | None, Decimal]:
    """Return the kinds of GPUs on which a job may run, with its speeds."""
    found = {kind: job.speed_on(kind) for kind in kinds}
    return {kind: speed for kind, speed in found.items() if speed is not None}


def groups(instance: MakespanInstance) -> dict[Home, int]:
    """Return the home of every group, and its number, 0 for jobs that may run anywhere."""
    return {home: n for n, home in enumerate(dict.fromkeys([ANYWHERE, *homes(instance)]))}


def open_bits(instance: MakespanInstance) -> list[int]:
    """Return for each server the groups that may use it, as bits."""
    known = groups(instance).items()
    return [
        sum(
            1 << group
            for (regions, gpu), group in known
            if (regions is None or server.region in regions) and gpu in (None, server.gpu)
        )
        for server in instance.cluster.servers
    ]


def open_sizes(instance: MakespanInstance) -> dict[Regions | None, tuple[int, ...]]:
    """Return the GPUs of the servers in some regions, of all kinds, the largest first."""
    return {
        regions: tuple(sorted((one.gpus for one in open_servers(instance, regions)), reverse=True))
        for regions in dict.fromkeys([None, *(job.allowed_regions for job in instance.jobs)])
    }


def largest_open(instance: MakespanInstance) -> list[int]:
    """Return the GPUs of the largest server that each job uses."""
    known: dict[Home, int] = {}
    for home in homes(instance):
        if home not in known:
            known[home] = max(one.gpus for one in open_servers(instance, *home))
    return [known[home] for home in homes(instance)]


def open_servers(
    instance: MakespanInstance, regions: Regions | None, gpu: str | None = None
) -> tuple[Server, ...]:
    """Return the servers in some regions and of some kind, all if that is None."""
    servers = instance.cluster.servers
    if gpu is not None:
        servers = tuple(one for one in servers if one.gpu == gpu)
    return tuple(one for one in servers if regions is None or one.region in regions)


def unbound(instance: MakespanInstance) -> MakespanInstance:
    """Return the same instance with jobs that may run anywhere."""
    if not any(job.allowed_regions for job in instance.jobs):
        return instance
    jobs = tuple(replace(job, allowed_regions=None) for job in instance.jobs)
    return replace(instance, jobs=jobs)


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Records = Any
"""A numpy array of records. Kernels read and write its elements' fields by name."""


FLOOR, FRACTIONAL, CONTINUOUS, TICKS = 0, 1, 2, 3
PAPER, STEP, MAX_WORKERS = 0, 1, 2
UPLINK, FLUID, UNEQUAL = 0, 1, 2
"""Contention on servers' uplinks, alike or not, or on fluid links."""

_PROGRESS = {"floor": FLOOR, "fractional": FRACTIONAL, "continuous": CONTINUOUS}
_OVERHEAD = {"paper": PAPER, "step": STEP, "max_workers_per_server": MAX_WORKERS}

JOB = record("gpus group number", floats="iterations release alone spread_s transfer_s denominator")
"""A job: its size, its slots inside one server, the terms of equation (8) for a ring across
servers as in `iteration.Parts`, its group (0 if it may use every server), and its place in the
instance. Iterations per slot are fractions whose denominators are at most `denominator`. It
includes the denominator of the job's iterations."""

KIND = record(floats="alone spread_s")
"""A job on a kind of GPUs: its slots inside one server, and its term for a ring across servers."""

LINK = record("gpus leaf spine open row kind", floats="width")
"""A link, its width in units of b^e. The first links are the servers' uplinks, with the
server's GPUs, its kind, the groups of jobs that may use it, as bits, and, under `FLUID`, the links
of its leaf and spine. Under `UNEQUAL`, `row` is where its slowdowns begin."""


MOST_DIGITS = 300
"""Larger denominators are replaced by this value: floats end soon after."""

INSTANCES: dict[int, MakespanInstance] = {}
"""The instances of all models in use, by their `Model.key`, for questions in exact fractions."""

_KEYS = count(1)


class Model(NamedTuple):
    """Jobs, servers, timing and contention of a `makespan` instance.

    ``slowdowns[k]`` is the slowdown (7) of k rings on the busiest uplink. Under `UNEQUAL`,
    ``slowdowns[row + k]`` is that of k rings on an uplink. The widths of links are multiples of one
    over `width_parts`. ``kinds[j, k]`` is job number j of the instance on kind k. With one kind it
    is empty.
    """

    jobs: Records
    links: Records
    kinds: Records
    servers: int
    progress: int
    overhead: int
    overhead_s: float
    slot_s: float
    contention: int
    slowdowns: Floats
    width_parts: float
    key: int


def build_model(instance: MakespanInstance) -> Model:
    """Return the records of an instance."""
    contention, servers = instance.contention, instance.cluster.servers
    widths, rings = link_widths(instance), _most_rings(instance)
    if isinstance(contention, FluidLinks):
        model, links, slowdowns = FLUID, tree(servers, contention, widths), np.ones(1)
    else:
        known = list(dict.fromkeys(widths))
        model, links = UPLINK if known == [1] else UNEQUAL, flat(servers)
        links["width"] = [float(width) for width in widths]
        links["row"] = [known.index(width) * (rings + 1) for width in widths]
        slowdowns = np.concatenate([slowdown_table(contention, rings, width) for width in known])
    links["open"][: len(servers)] = open_bits(instance)
    kinds = instance.kinds
    links["kind"][: len(servers)] = [kinds.index(server.gpu) for server in servers]
    key = next(_KEYS)
    INSTANCES[key] = instance
    weakref.finalize(links, INSTANCES.pop, key).atexit = False
    return Model(
        jobs=_jobs(instance).copy(),
        links=links,
        kinds=_kinds(instance),
        servers=len(servers),
        progress=_PROGRESS[instance.progress],
        overhead=_OVERHEAD[instance.overhead],
        overhead_s=float(instance.overhead_s),
        slot_s=float(instance.slot_s),
        contention=model,
        slowdowns=slowdowns,
        width_parts=float(width_parts(widths)),
        key=key,
    )


def slowdown_table(model: ServerUplink, rings: int, width: Fraction = Fraction(1)) -> Floats:
    """Return the slowdown by 0 to `rings` rings on the busiest uplink, of some width."""
    share, degradation = Fraction(model.share), Fraction(model.degradation)
    return np.array([float(slowdown(share, degradation, k) / width) for k in range(rings + 1)])


NO_KINDS = np.empty((0, 0), dtype=KIND)
"""The kinds of a model with one kind of GPUs."""


def _kinds(instance: MakespanInstance) -> Records:
    """Return the times of every job on every kind. Where it may not run, its speed is 1."""
    kinds = instance.kinds
    if len(kinds) == 1:
        return NO_KINDS
    found = np.empty((len(instance.jobs), len(kinds)), dtype=KIND)
    for j, job in enumerate(instance.jobs):
        for k, kind in enumerate(kinds):
            terms = parts(instance, job, job.speed_on(kind) or Decimal(1))
            found[j, k] = _alone_slots(instance, job, terms), float(terms.spread_s)
    return found


def _alone_slots(instance: MakespanInstance, job: RingJob, terms: Parts) -> float:
    """Return the slots of a job inside one server, infinite if it never ends."""
    seconds = iteration_s(instance, terms, 1, job.gpus, Fraction(1))
    slots = slots_needed(instance, job, seconds)
    return np.inf if slots is None else float(slots)


@lru_cache(maxsize=8)
def _jobs(instance: MakespanInstance) -> Records:
    rows, group, (worst, parts_of) = [], groups(instance), _coarsest(instance)
    unit, slot_s = Fraction(instance.overhead_s), Fraction(instance.slot_s)
    places, kinds = homes(instance), instance.kinds
    for j, job in enumerate(instance.jobs):
        units, coarsest = overhead_units(instance.overhead, job.gpus, job.gpus), Fraction(0)
        kind = kinds[0] if places[j].gpu is None else places[j].gpu
        own = job.speed_on(kind) or Decimal(1)
        others = {*speeds_of(kinds, job).values(), Decimal(1)} - {own} if len(kinds) > 1 else ()
        for speed in (*others, own):
            terms = parts(instance, job, speed)
            slowest = terms.spread_s + units * unit + terms.transfer_s * worst
            whole = lcm(terms.spread_s.denominator, unit.denominator, terms.transfer_s.denominator)
            coarsest = max(coarsest, whole * parts_of * slot_s.denominator * slowest)
        coarsest *= job.iterations.denominator
        rows.append(
            (
                job.gpus,
                group[places[j]],
                j,
                float(job.iterations),
                float(job.release_slot),
                _alone_slots(instance, job, terms),
                float(terms.spread_s),
                float(terms.transfer_s),
                float(min(coarsest, 10**MOST_DIGITS)),
            )
        )
    return np.array(rows, dtype=JOB)


def _coarsest(instance: MakespanInstance) -> tuple[Fraction, int]:
    """Return x and d such that x d is a multiple of a slowdown's numerator or more.

    Any slowdown that rings cause is p/q with p <= x d and d a multiple of q, or, with fair shares,
    the inverse of a p/q with p <= q <= d. Each share is the remaining width of a link, divided by
    its rings, and R rings in all give divisors whose product is at most 3^(R/3).
    """
    model, rings = instance.contention, _most_rings(instance)
    if isinstance(model, FluidLinks):
        units = width_parts(link_widths(instance))
        return Fraction(1), units * 3 ** (min(rings, MOST_DIGITS) // 3 + 1)
    share, degradation = Fraction(model.share), Fraction(model.degradation)
    widths = set(link_widths(instance))
    parts_of = share.denominator * degradation.denominator * lcm(*(w.numerator for w in widths))
    return slowdown(share, degradation, rings) / min(widths), parts_of


def _most_rings(instance: MakespanInstance) -> int:
    return sum(job.gpus > 1 for job in instance.jobs)


def flat(servers: Sequence[Server | RackServer]) -> Records:
    """Return the uplinks of servers, all as wide."""
    return np.array([(s.gpus, -1, -1, -1, 0, 0, 1.0) for s in servers], dtype=LINK)


def tree(
    servers: Sequence[Server | RackServer],
    network: FluidLinks,
    widths: Sequence[Fraction] | None = None,
) -> Records:
    """Number the links: servers first, then leaves, then spines.

    Without `widths`, all servers' uplinks are as wide.
    """
    spines = list(dict.fromkeys(leaf.spine for leaf in network.leaves))
    links = np.zeros(len(servers) + len(network.leaves) + len(spines), dtype=LINK)
    index = {server.name: s for s, server in enumerate(servers)}
    links["gpus"][: len(servers)] = [server.gpus for server in servers]
    widths = widths or _tree_widths({server.name: Fraction(1) for server in servers}, network)
    links["width"] = [float(width) for width in widths]
    links["open"] = -1
    for i, leaf in enumerate(network.leaves, start=len(servers)):
        spine = len(servers) + len(network.leaves) + spines.index(leaf.spine)
        for name in leaf.servers:
            links["leaf"][index[name]], links["spine"][index[name]] = i, spine
    return links


def link_widths(instance: MakespanInstance) -> list[Fraction]:
    """Return the widths of all links exactly, in units of b^e."""
    uplinks = {server.name: Fraction(server.uplink) for server in instance.cluster.servers}
    if isinstance(instance.contention, FluidLinks):
        return _tree_widths(uplinks, instance.contention)
    return list(uplinks.values())


def width_parts(widths: Sequence[Fraction]) -> int:
    """Return n such that every width is a multiple of b^e / n."""
    return int(min(lcm(*(width.denominator for width in widths)), 10**MOST_DIGITS))


def _tree_widths(uplinks: dict[str, Fraction], network: FluidLinks) -> list[Fraction]:
    spines: dict[str, Fraction] = {}
    leaves = []
    for leaf in network.leaves:
        below = sum((uplinks[name] for name in leaf.servers), Fraction(0))
        width = below / Fraction(network.leaf_oversubscription)
        leaves.append(width)
        above = width / Fraction(network.spine_oversubscription)
        spines[leaf.spine] = spines.get(leaf.spine, Fraction(0)) + above
    return [*uplinks.values(), *leaves, *spines.values()]


def open_to(model: "Model") -> NDArray[np.bool_]:
    """Return for each group (down) the servers that it may use."""
    group = np.arange(model.jobs["group"].max() + 1)
    found: NDArray[np.bool_] = (model.links["open"][: model.servers] >> group[:, None] & 1) > 0
    return found


@kernel
def may_use(model: "Model", job: int, server: int) -> bool:
    """Return True if a job may use a server."""
    return is_open(model, model.jobs[job].group, server)


@kernel
def is_open(model: "Model", group: int, server: int) -> bool:
    """Return True if the jobs of a group may use a server."""
    return bool(model.links[server].open >> group & 1)
