"""Random trace instances with everything that the family has, and deciders that obey the rules."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random

from check.trace.small import job, make_instance, with_unsaved

from ringyard.instances import (
    JobGroup,
    Outage,
    RackLinks,
    ServerUplink,
    TraceInstance,
    Width,
    validate,
)
from ringyard.instances.trace.begun import with_begun
from ringyard.instances.trace.phases import with_types
from ringyard.simulation.trace import (
    NONE,
    ClusterView,
    GrantedGpus,
    JobView,
    TraceDecider,
    TraceSetting,
)

CONTENTIONS = (
    None,
    ServerUplink(),
    ServerUplink(share=Decimal("0.5"), degradation=Decimal("0.25")),
    RackLinks(),
    RackLinks(oversubscription=Decimal(2)),
)


def drawn(seed: int, jobs: int = 8) -> TraceInstance:
    rng = Random(seed)
    servers = {rng.choice("ab") + str(k): rng.randint(1, 4) for k in range(rng.randint(1, 4))}
    total, tick = sum(servers.values()), rng.choice([Decimal(1), Decimal("0.5"), Decimal(10)])
    made = []
    for k in range(rng.randint(1, jobs)):
        gpus = rng.randint(1, total)
        other = [w for w in range(1, total + 1) if w != gpus and rng.random() < 0.5]
        made.append(
            job(
                f"j{k}",
                gpus,
                rng.randint(1, 30) * tick,
                rng.randint(0, 20) * tick,
                communication=rng.choice([0, 0, 0.1, 0.37, 1, 2.5]),
                packed_speed=rng.choice([None, None, 0.6, 0.333]),
                speeds={w: round(rng.uniform(0.2, 2), 3) for w in other},
                model=rng.choice([None, "VGG16", "ResNet50"]),
            )
        )
    return make_instance(
        servers,
        *made,
        contention=rng.choice(CONTENTIONS),
        tick_s=tick,
        restart_s=rng.choice([0, 2, 5]) * tick,
        resume_s=rng.choice([None, 0 * tick, tick]),
    )


def in_groups(instance: TraceInstance, rng: Random, *, always: bool = False) -> TraceInstance:
    """Return jobs in groups with quotas that fit together, most of them with `most`."""
    jobs = tuple(replace(one, group=rng.choice(["g", "h", "i", None])) for one in instance.jobs)
    groups, left = [], instance.gpus
    for name in "ghi":
        quota = rng.randint(0, left)
        left -= quota
        widest = max([1, quota, *(one.gpus for one in jobs if one.group == name)])
        least = widest + rng.randint(0, 2)
        groups.append(JobGroup(name=name, quota=quota, most=rng.choice([None, least, least])))
    if always:
        jobs = (replace(jobs[0], gpus=1, speeds=(), group="g"), *jobs[1:])
        groups[0] = replace(groups[0], quota=0, most=max(1, instance.gpus - 1))
        few = [one for one in jobs if one.group != "g" or one.gpus < instance.gpus]
        jobs = tuple(few)
    made = replace(instance, jobs=jobs, groups=tuple(groups))
    validate(made)
    return made


def in_kinds(instance: TraceInstance, rng: Random) -> TraceInstance:
    """Return servers of two or three kinds of GPUs, and jobs with speeds on some of them."""
    names = ("v", "p", "k")[: rng.randint(2, 3)]
    servers = tuple(replace(one, gpu=rng.choice(names)) for one in instance.servers)
    rooms = dict.fromkeys(one.gpu for one in servers)
    rooms = {gpu: sum(one.gpus for one in servers if one.gpu == gpu) for gpu in rooms}
    jobs, phased = [], bool(instance.types)
    for one in instance.jobs:
        gpu = rng.choice([None, *rooms])
        most = max(rooms.values()) if gpu is None else rooms[gpu]
        gpus = min(one.gpus, most)
        own = [w for w in one.speeds if w.gpu is None]
        entries = [w for w in own if w.gpus <= most and w.gpus != gpus]
        for kind, room in rooms.items():
            for width in range(1, room + 1):
                if kind != gpu and rng.random() < 0.4:
                    speed = Decimal(rng.randint(2, 20)) / 10
                    entries.append(Width(gpus=width, gpu=kind, speed=speed))
        jobs.append(
            replace(
                one,
                gpu=gpu,
                gpus=gpus,
                speeds=tuple(entries),
                type=None,
                held=None,
                held_share="whole",
                held_s=Decimal(0),
                unsaved_s=Decimal(0),
                unsaved_done_s=Decimal(0),
                stopped=False,
            )
        )
    made = replace(instance, servers=servers, jobs=tuple(jobs), types=())
    begun = any(one.held for one in instance.jobs)
    made = with_begun(made, Decimal("0.7"), rng.randint(0, 10**6)) if begun else made
    made = with_types(made, rng.randint(0, 10**6), rng.randint(1, 4), 0.8) if phased else made
    validate(made)
    return made


def with_outages(instance: TraceInstance, rng: Random) -> TraceInstance:
    """Return servers that are out of service at times, and jobs that save their work at times."""
    tick, outages = instance.tick_s, []
    for server in instance.servers:
        now = rng.randint(0, 6)
        for _ in range(rng.randint(0, 6)):
            until = now + rng.randint(1, 8)
            times = {"from_s": now * tick, "until_s": until * tick}
            outages.append(Outage(server=server.name, known=rng.random() < 0.4, **times))
            now = until + rng.choice([0, rng.randint(1, 20)])
    rng.shuffle(outages)
    every = rng.choice([None, 1, 2, 3, 7, 50])
    made = replace(
        instance,
        outages=tuple(outages),
        checkpoint_s=None if every is None else every * tick,
    )
    lot = Random(rng.random())
    made = replace(made, jobs=tuple(with_unsaved(one, made, lot) for one in made.jobs))
    validate(made)
    return made


class Drawing(TraceDecider):
    """Decides by lot: who runs, on how many GPUs, where, and whether they are shared."""

    information = NONE
    knows_kinds = follows_outages = True

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)

    def begin(self, setting: TraceSetting) -> None:
        self._kinds = [setting.kinds.index(server.gpu) for server in setting.servers]

    def decide(self, jobs: Sequence[JobView], cluster: ClusterView) -> Mapping[int, GrantedGpus]:
        free = [2 * int(gpus) for gpus in cluster.gpus]
        holds = {}
        for one in self._rng.sample(list(jobs), len(jobs)):
            hold = self._hold(one, cluster, free)
            if hold is not None and hold.pieces is not None:
                holds[one.number] = hold
                for server, gpus in hold.pieces.items():
                    free[server] -= gpus * (2 - hold.half)
        return holds

    def _hold(self, one: JobView, cluster: ClusterView, free: list[int]) -> GrantedGpus | None:
        rng = self._rng
        if rng.random() < 0.1:
            return None
        if one.running and rng.random() < 0.85:
            pieces, half = cluster.pieces(one.number), cluster.half(one.number)
            if all(free[server] >= gpus * (2 - half) for server, gpus in pieces.items()):
                return GrantedGpus(one.width, pieces, half)
        several = [kind for kind, speeds in enumerate(one.kinds) if speeds]
        kind = rng.choice(several) if len(one.kinds) > 1 else 0
        width = rng.choice(list(one.kinds[kind]))
        half = one.packed_speed > 0 and rng.random() < 0.5
        rooms = [room if own == kind else 0 for room, own in zip(free, self._kinds, strict=True)]
        places = [k for k, room in enumerate(rooms) for _ in range(room // (2 - half))]
        if len(places) < width:
            return None
        chosen = rng.sample(places, width)
        return GrantedGpus(width, {k: chosen.count(k) for k in chosen}, half)
