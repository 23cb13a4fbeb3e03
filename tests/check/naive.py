"""The judge's computations once more, as loops over small steps of time; slow and plain."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

from ringyard.instances import MakespanInstance, RingJob, Schedule, ServerUplink

Gpus = dict[str, int]


@dataclass
class Story:
    """What happened: ends, slowdowns step by step, iterations left at the end of time."""

    ends: dict[str, Fraction] = field(default_factory=dict)
    left: dict[str, Fraction] = field(default_factory=dict)
    steps: list[tuple[Fraction, Fraction, dict[str, Fraction]]] = field(default_factory=list)


def is_spread(job: RingJob, gpus: Gpus, server: str) -> bool:
    return 0 < gpus.get(server, 0) < job.gpus


def bandwidths(
    instance: MakespanInstance, active: list[RingJob], held: dict[str, Gpus]
) -> dict[str, Fraction]:
    """Return B of every active job."""
    servers = [server.name for server in instance.cluster.servers]
    b_e = Fraction(instance.cluster.inter_bandwidth_gb_s)
    widths = {one.name: Fraction(one.uplink) for one in instance.cluster.servers}
    shares = fluid_shares(instance, active, held)
    result = {}
    for job in active:
        mine = [s for s in servers if is_spread(job, held[job.name], s)]
        if not mine:
            result[job.name] = Fraction(instance.cluster.intra_bandwidth_gb_s)
        elif isinstance(instance.contention, ServerUplink):
            result[job.name] = b_e / max(
                slowdown_on(instance.contention, active, held, s) / widths[s] for s in mine
            )
        else:
            result[job.name] = shares[job.name]
    return result


def slowdown_on(
    model: ServerUplink, active: list[RingJob], held: dict[str, Gpus], server: str
) -> Fraction:
    p = sum(is_spread(one, held[one.name], server) for one in active)
    k = max(Fraction(1), Fraction(model.share) * p)
    return k + Fraction(model.degradation) * (k - 1)


def fluid_shares(
    instance: MakespanInstance, active: list[RingJob], held: dict[str, Gpus]
) -> dict[str, Fraction]:
    """Raise all rates together; freeze the rings of every link that is full; repeat."""
    model = instance.contention
    if isinstance(model, ServerUplink):
        return {}
    b_e = Fraction(instance.cluster.inter_bandwidth_gb_s)
    links: list[tuple[Fraction, list[str]]] = []
    on = {
        server: {job.name for job in active if is_spread(job, held[job.name], server)}
        for server in (s.name for s in instance.cluster.servers)
    }
    widths = {one.name: b_e * Fraction(one.uplink) for one in instance.cluster.servers}
    links += [(widths[server], sorted(rings)) for server, rings in on.items()]
    below: dict[str, Fraction] = {}
    seen: dict[str, dict[str, set[str]]] = {"leaf": {}, "spine": {}}
    for leaf in model.leaves:
        up = sum(widths[server] for server in leaf.servers) / Fraction(model.leaf_oversubscription)
        below[leaf.spine] = below.get(leaf.spine, Fraction(0)) + up
        rings = set().union(*(on[server] for server in leaf.servers))
        seen["leaf"][leaf.name] = rings
        seen["spine"][leaf.spine] = seen["spine"].get(leaf.spine, set()) | rings
        tops = [r for r in rings if sum(r in on_leaf(other, on) for other in model.leaves) > 1]
        links.append((up, sorted(tops)))
    for spine, rings in seen["spine"].items():
        tops = [r for r in rings if sum(r in others for others in seen["spine"].values()) > 1]
        links.append((below[spine] / Fraction(model.spine_oversubscription), sorted(tops)))
    return raise_together(links)


def on_leaf(leaf: object, on: dict[str, set[str]]) -> set[str]:
    return set().union(*(on[server] for server in leaf.servers))  # type: ignore[attr-defined]


def raise_together(links: list[tuple[Fraction, list[str]]]) -> dict[str, Fraction]:
    rate = {ring: Fraction(0) for _, rings in links for ring in rings}
    growing = set(rate)
    while growing:
        gaps = [
            (capacity - sum(rate[ring] for ring in rings)) / len(growing.intersection(rings))
            for capacity, rings in links
            if growing.intersection(rings)
        ]
        for ring in growing:
            rate[ring] += min(gaps)
        for capacity, rings in links:
            if capacity == sum(rate[ring] for ring in rings):
                growing -= set(rings)
    return rate


def rate_of(instance: MakespanInstance, job: RingJob, gpus: Gpus, b: Fraction) -> Fraction:
    """Return iterations per slot: (8) and (9)."""
    w, m = job.gpus, Fraction(job.gradient_gb)
    xi_2 = Fraction(instance.overhead_s)
    gamma = {
        "paper": xi_2 * len(gpus),
        "step": xi_2 if len(gpus) >= 2 else Fraction(0),
        "max_workers_per_server": xi_2 * max(gpus.values()) if len(gpus) >= 2 else Fraction(0),
    }[instance.overhead]
    tau = (m / w) * 2 * (w - 1) / b + (m / w) * (w - 1) / Fraction(instance.cluster.reduce_gb_s)
    kinds = {one.name: one.gpu for one in instance.cluster.servers}
    passes = Fraction(job.forward_s_per_sample) * job.batch_samples + Fraction(job.backward_s)
    named = {one.gpu: Fraction(one.speed) for one in job.speeds}
    tau += gamma + passes / named.get(kinds[next(iter(gpus))] or "", Fraction(1))
    rate = Fraction(instance.slot_s) / tau
    return Fraction(floor(rate)) if instance.progress == "floor" else rate


def tell(instance: MakespanInstance, schedule: Schedule) -> Story:
    """Go through time slot by slot or, if progress is continuous, from event to event."""
    story = Story()
    jobs = {job.name: job for job in instance.jobs}
    held = {entry.job: dict(entry.gpus) for entry in schedule.assignments}
    start = {entry.job: Fraction(entry.start_slot) for entry in schedule.assignments}
    left = {name: Fraction(jobs[name].iterations) for name in start}
    b_e = Fraction(instance.cluster.inter_bandwidth_gb_s)
    now = Fraction(0)
    while True:
        active = [jobs[name] for name in start if start[name] <= now and left[name] > 0]
        later = [start[name] for name in start if start[name] > now]
        b = bandwidths(instance, active, held)
        rate = {j.name: rate_of(instance, j, held[j.name], b[j.name]) for j in active}
        if not later and not any(rate.values()):
            story.left = {job.name: left[job.name] for job in active}
            return story
        then = now + 1
        if instance.progress == "continuous":
            then = min(later + [now + left[name] / r for name, r in rate.items()])
        spread = {
            j.name for j in active if any(is_spread(j, held[j.name], s) for s in held[j.name])
        }
        slow = {name: b_e / b[name] if name in spread else Fraction(1) for name in b}
        story.steps.append((now, then, slow))
        for name, r in rate.items():
            left[name] -= r * (then - now)
            if left[name] <= 0:
                story.ends[name] = then
        now = then


def crowding(
    instance: MakespanInstance, schedule: Schedule, story: Story
) -> list[tuple[str, Fraction, Fraction | None, int]]:
    """Return the stretches with too many GPUs in use: server, start, end, worst excess.

    After the last step only those that never end are there.
    """
    rows = []
    for server in instance.cluster.servers:
        held = {entry.job: dict(entry.gpus).get(server.name, 0) for entry in schedule.assignments}
        steps = [(a, sum(held[name] for name in slow)) for a, _, slow in story.steps]
        last = story.steps[-1][1] if story.steps else Fraction(0)
        steps.append((last, sum(held[name] for name in story.left)))
        begun, worst = None, 0
        for moment, used in steps:
            if used > server.gpus:
                begun = moment if begun is None else begun
                worst = max(worst, used - server.gpus)
            elif begun is not None:
                rows.append((server.name, begun, moment, worst))
                begun, worst = None, 0
        if begun is not None:
            rows.append((server.name, begun, None, worst))
    return rows
