"""Where jobs can run, as a complete search sees it: server by server, or all GPUs as one pool."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

from ...formulations.trace import demand as counted
from ...formulations.trace.demand import UNITS, demands, pools, ticks
from ...instances import RackLinks, ServerUplink, TraceInstance, TraceJob
from ...instances.regions import may_run

MOST_PLACES = 400
"""Places of all jobs together."""


class Place(NamedTuple):
    """GPUs on each server, and how fast a job is there."""

    pieces: tuple[int, ...]
    halves: int
    """Half GPUs that it takes of each of its GPUs: 2, or 1 where it shares them."""
    speed: Fraction
    """Inside a server."""
    communication: Fraction
    """0 where there is none across servers."""

    def rate(self, slowdown: Fraction) -> int:
        """Return the work of a tick."""
        return max(1, round(UNITS * self.speed / (1 + self.communication * slowdown)))

    def fits(self, room: Sequence[int]) -> bool:
        """Return True if servers have the given half GPUs left."""
        pairs = zip(self.pieces, room, strict=True)
        return all(count * self.halves <= held for count, held in pairs)

    def take(self, room: list[int]) -> None:
        """Take it from what servers have left."""
        for server, count in enumerate(self.pieces):
            room[server] -= count * self.halves

    def give(self, room: list[int]) -> None:
        """Give it back."""
        for server, count in enumerate(self.pieces):
            room[server] += count * self.halves


class ServerPlaces(NamedTuple):
    """Servers, and the places of every job."""

    servers: tuple[str, ...]
    room: tuple[int, ...]
    """Half GPUs of each server."""
    work: tuple[int, ...]
    """What every job has to do."""
    places: tuple[tuple[Place, ...], ...]
    restart: int
    resume: int
    uplinks: ServerUplink | None
    """How rings share the uplinks of servers, if they do."""

    @property
    def free(self) -> bool:
        """Whether jobs may be stopped and moved for nothing."""
        return not (self.restart or self.resume)

    def rates(self, chosen: Mapping[int, Place]) -> dict[int, int]:
        """Return the work that jobs do in a tick in these places, no other job around."""
        rings = [place for place in chosen.values() if place.communication]
        if self.uplinks is None or len(rings) < 2:
            return {job: _rate(place, Fraction(1)) for job, place in chosen.items()}
        crossing = [sum(bool(ring.pieces[s]) for ring in rings) for s in range(len(self.room))]
        return {
            job: _rate(place, _slowdown(self.uplinks, place, tuple(crossing)))
            for job, place in chosen.items()
        }


_rate = lru_cache(maxsize=4096)(Place.rate)


@lru_cache(maxsize=4096)
def _slowdown(uplinks: ServerUplink, place: Place, crossing: tuple[int, ...]) -> Fraction:
    """Equations (6) and (7) of SJF-BCO."""
    if not place.communication:
        return Fraction(1)
    most = max(rings for rings, count in zip(crossing, place.pieces, strict=True) if count)
    share = max(Fraction(1), Fraction(uplinks.share) * most)
    return share + Fraction(uplinks.degradation) * (share - 1)


def refuses(instance: TraceInstance) -> str | None:
    """Return why not all places can be tried, or None if they can."""
    if _alike(instance):
        return None
    links = isinstance(instance.contention, RackLinks)
    slower = next((job for job in instance.jobs if job.communication), None)
    if links and slower is not None:
        return f"job {slower.name!r} would share links between racks, which are not looked at"
    ways = prod(2 * server.gpus + 1 for server in instance.servers) * len(instance.jobs)
    if ways > 100 * MOST_PLACES or sum(map(len, places_of(instance).places)) > MOST_PLACES:
        return f"its jobs have more than {MOST_PLACES} places to run in"
    return None


def _alike(instance: TraceInstance) -> bool:
    return len(pools(instance)) == 1 and counted.refuses(instance) is None


def places_of(instance: TraceInstance) -> ServerPlaces:
    """Return the places that matter; all GPUs are one server where counting them is enough."""
    pool = _alike(instance)
    if pool:
        rows = tuple(
            tuple(
                Place((m.gpus,), m.halves // m.gpus, Fraction(m.rate, UNITS), Fraction(0))
                for m in job.modes
            )
            for job in demands(instance)
        )
    else:
        rows = tuple(tuple(_places(instance, job)) for job in instance.jobs)
    sizes = [server.gpus for server in instance.servers]
    uplinks = instance.contention if isinstance(instance.contention, ServerUplink) else None
    return ServerPlaces(
        servers=() if pool else tuple(server.name for server in instance.servers),
        room=tuple(2 * size for size in ([sum(sizes)] if pool else sizes)),
        work=tuple(UNITS * ticks(instance, job.duration_s) for job in instance.jobs),
        places=rows,
        restart=counted.cost(instance) if pool else ticks(instance, instance.restart_s),
        resume=counted.cost(instance),
        uplinks=None if pool else uplinks,
    )


def _places(instance: TraceInstance, job: TraceJob) -> Iterator[Place]:
    speeds = {width.gpus: Fraction(width.speed) for width in job.speeds} | {job.gpus: Fraction(1)}
    kinds = [(2, Fraction(1))]
    if job.packed_speed is not None:
        kinds.append((1, Fraction(job.packed_speed)))
    for halves, part in kinds:
        most = [
            2 * server.gpus // halves if may_run(job, server) else 0 for server in instance.servers
        ]
        for pieces in product(*(range(count + 1) for count in most)):
            if sum(pieces) in speeds:
                across = sum(map(bool, pieces)) > 1
                exchange = Fraction(job.communication) if across else Fraction(0)
                yield Place(pieces, halves, speeds[sum(pieces)] * part, exchange)
