"""The least demands of the jobs of a trace, and when counting GPUs is enough.

If jobs may run in some regions only, GPUs are counted in pools that some jobs may use alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import gcd
from typing import NamedTuple

from ...instances import RackLinks, TraceInstance, TraceJob
from ...instances.errors import InputError
from ...instances.regions import may_run, reach_of
from ...instances.trace import named_types, phases_of, speed_on, work_left
from ...instances.trace.kinds import reach_by_kind

UNITS = 10**6
"""Work of a tick at full speed."""


class Mode(NamedTuple):
    """A number of GPUs of a kind that a job may run on, whole or half of each."""

    gpus: int
    halves: int
    """Half GPUs that it uses: twice its GPUs, or their number if it shares them."""
    rate: int
    """Work of a tick in its best place, no other job around."""
    kind: int = 0
    """The number of the kind of GPUs."""


class PhaseDemand(NamedTuple):
    """A phase of a job."""

    work: int
    """Raised to the next number that whole ticks can add up to."""
    modes: tuple[Mode, ...]

    @property
    def rate(self) -> int:
        """The best of its rates."""
        return max(mode.rate for mode in self.modes)

    @property
    def ticks(self) -> int:
        """The least ticks that it takes. A phase takes whole ticks."""
        return -(-self.work // self.rate)


class Demand(NamedTuple):
    """A job, with all times in ticks."""

    release: int
    work: int
    """Raised to the next number that whole ticks at best rates can add up to."""
    modes: tuple[Mode, ...]
    """If its speeds change from phase to phase, each mode has its best rate in any phase."""
    rate: int
    """The best of its rates."""
    area: int
    """Half GPUs times ticks that its work takes at least, as whole ticks allow. `priced` counts
    other units."""
    size: int
    """The same as if there were parts of ticks, rounded down."""
    phases: tuple[PhaseDemand, ...] = ()
    """Its phases, if there are several. `area` and `size` are the sums over them."""
    lag: Fraction | None = None
    """Ticks by which it ends at least after the mean time of its work, weighed by `size`. None for
    half of its least time."""

    @property
    def ticks(self) -> int:
        """The least ticks that it runs."""
        if self.phases:
            return sum(phase.ticks for phase in self.phases)
        return -(-self.work // self.rate)

    @property
    def relaxed(self) -> "Demand":
        """The job as if each mode always had its best rate: fewer demands, the same all along."""
        if not self.phases:
            return self
        area, size = _least(self.work, self.modes, [mode.halves for mode in self.modes])
        return self._replace(area=area, size=size, phases=(), lag=None)


@lru_cache(maxsize=4)
def demands(instance: TraceInstance) -> tuple[Demand, ...]:
    """Return the demands of all jobs, in their order.

    Any mixture of modes is covered, one for each tick. Only whole ticks are held.
    """
    return tuple(_demands(instance))


def _demands(instance: TraceInstance) -> Iterator[Demand]:
    known: dict[tuple[object, ...], tuple[Mode, ...]] = {}
    types = named_types(instance)

    def modes_of(job: TraceJob) -> tuple[Mode, ...]:
        scale = job.communication, job.packed_speed
        key = job.gpus, job.gpu, *scale, job.speeds, job.allowed_regions
        if key not in known:
            known[key] = tuple(_modes(instance, job))
        return known[key]

    for job in instance.jobs:
        release, left = ticks(instance, job.arrival_s), work_left(job, instance.tick_s)
        if job.type is None:
            yield _alike(release, left, modes_of(job))
            continue
        whole, parts = left, list[PhaseDemand]()
        for phase in phases_of(types, job, instance.tick_s):
            modes = modes_of(phase.job)
            parts.append(PhaseDemand(_raised(left - phase.left, modes), modes))
            left = phase.left
        found = _alike(release, whole, _best(parts))
        if len(parts) > 1:
            found = _by_phase(found._replace(phases=tuple(parts)), [1] * len(instance.kinds))
        yield found


def _alike(release: int, work: int, modes: tuple[Mode, ...]) -> Demand:
    """Return the demand of a job that may be in the same modes all along."""
    work = _raised(work, modes)
    area, size = _least(work, modes, [mode.halves for mode in modes])
    rate = max(mode.rate for mode in modes)
    return Demand(release=release, work=work, modes=modes, rate=rate, area=area, size=size)


def _raised(work: int, modes: Sequence[Mode]) -> int:
    """Return the next number that whole ticks can add up to."""
    step = gcd(*(mode.rate for mode in modes))
    return -(-work // step) * step


def _best(phases: Sequence[PhaseDemand]) -> tuple[Mode, ...]:
    """Return the modes of all phases, each at its best rate in any of them."""
    best: dict[tuple[int, int, int], Mode] = {}
    for mode in (mode for phase in phases for mode in phase.modes):
        key = mode.gpus, mode.halves, mode.kind
        if key not in best or best[key].rate < mode.rate:
            best[key] = mode
    return tuple(best.values())


def _by_phase(job: Demand, prices: Sequence[int]) -> Demand:
    """Return a job of several phases with its area, size and lag at prices of half GPUs.

    Its phases come in order, each at most at its best rate. Its work is done at least as early
    before its end as if they followed each other at these rates until then.
    """
    area, costs = 0, list[Fraction]()
    for work, modes in job.phases:
        paid = [mode.halves * prices[mode.kind] for mode in modes]
        area += _least(work, modes, paid)[0]
        costs.append(
            work * min(Fraction(p, mode.rate) for p, mode in zip(paid, modes, strict=True))
        )
    least = [Fraction(phase.work, phase.rate) for phase in job.phases]
    lag, behind, weights = Fraction(0), 0, costs if any(costs) else least
    for phase, part, weight in reversed([*zip(job.phases, least, weights, strict=True)]):
        lag += weight * (behind + part / 2)
        behind += phase.ticks
    return job._replace(area=area, size=int(sum(costs)), lag=lag / sum(weights))


def _least(work: int, modes: Sequence[Mode], costs: Sequence[int]) -> tuple[int, int]:
    """Return the least cost of an amount of work, in whole ticks, and rounded down in parts."""
    price = min(Fraction(one, mode.rate) for one, mode in zip(costs, modes, strict=True))
    cost, each = work * price.numerator, price.denominator
    part = gcd(*costs) or 1
    return -(-cost // (each * part)) * part, cost // each


def priced(jobs: Iterable[Demand], prices: Sequence[int]) -> tuple[Demand, ...]:
    """Return demands with areas in units. Half a GPU of kind k counts for `prices[k]` units."""
    found = []
    for job in jobs:
        if job.phases:
            found.append(_by_phase(job, prices))
            continue
        costs = [mode.halves * prices[mode.kind] for mode in job.modes]
        area, size = _least(job.work, job.modes, costs)
        found.append(job._replace(area=area, size=size))
    return tuple(found)


def _modes(instance: TraceInstance, job: TraceJob) -> Iterator[Mode]:
    """Yield all modes of a job that its servers have room for, each at its best rate.

    Contention never speeds a job up, and a job that fits into one server is fastest there. A
    server takes at most its GPUs twice over as halves.

    Raises:
        InputError: If the job may run on no server.
    """
    open_to = [server for server in instance.servers if may_run(job, server)]
    if not open_to:
        expected, advice = "a region that has servers", "correct the job or the servers"
        place = f"jobs.{job.name}.allowed_regions"
        raise InputError.of(instance.name, place, job.allowed_regions, expected, advice)
    across = 1 + Fraction(job.communication)
    packed = None if job.packed_speed is None else Fraction(job.packed_speed)
    widths = dict.fromkeys([*(entry.gpus for entry in job.speeds), job.gpus])
    for kind, gpu in enumerate(instance.kinds):
        own = [server.gpus for server in open_to if server.gpu == gpu]
        largest, room = max(own, default=0), sum(own)
        for gpus in widths:
            given = speed_on(job, gpus, gpu)
            if given is None:
                continue
            speed = Fraction(given)
            if gpus <= room:
                rate = _rate(speed if gpus <= largest else speed / across)
                yield Mode(gpus, 2 * gpus, rate, kind)
            if packed is not None and gpus <= 2 * room:
                half = speed * packed
                rate = _rate(half if gpus <= 2 * largest else half / across)
                yield Mode(gpus, gpus, rate, kind)


def _rate(speed: Fraction) -> int:
    return max(1, round(UNITS * speed))


def ticks(instance: TraceInstance, seconds: Decimal) -> int:
    """Return a time as a number of ticks. The quotient is whole, with few digits."""
    return int(seconds / instance.tick_s)


def serial_horizon(instance: TraceInstance) -> int:
    """Return the tick by which all jobs have ended one after another at their slowest."""
    jobs = demands(instance)
    slowest = sum(-(-job.work // min(mode.rate for mode in job.modes)) for job in jobs)
    return max(job.release for job in jobs) + slowest


MOST_POOLS = 64
"""More of them are not distinguished."""


class GpuPool(NamedTuple):
    """Half GPUs, the jobs that may run nowhere else, and its servers, both by number."""

    halves: int
    jobs: tuple[int, ...]
    servers: tuple[int, ...]


@lru_cache(maxsize=4)
def pools(instance: TraceInstance) -> tuple[GpuPool, ...]:
    """Return the servers of every job and all unions of such sets as pools, all GPUs first.

    If there are more than `MOST_POOLS`, some are missing. If not, whole GPUs for jobs can be found
    exactly if no pool is overloaded (Gale 1957).
    """
    sets, numbers = reach_of(instance.servers, instance.jobs)
    return tuple(
        GpuPool(
            2 * sum(instance.servers[s].gpus for s in own),
            tuple(job for job, number in enumerate(numbers) if sets[number] <= own),
            tuple(sorted(own)),
        )
        for own in _unions(sets)
    )


class KindPool(NamedTuple):
    """Half GPUs of one kind, their servers by number, and who may use no others of this kind."""

    halves: int
    servers: tuple[int, ...]
    users: frozenset[tuple[int, int]]
    """Jobs, each with a kind of GPUs, by number."""


@lru_cache(maxsize=4)
def pools_by_kind(instance: TraceInstance) -> tuple[KindPool, ...]:
    """Return the pools of each kind of GPUs: the servers of jobs, and unions of them, as `pools`.

    Jobs whose servers of a kind are all in a pool are its users on this kind.
    """
    if len(instance.kinds) == 1:
        return tuple(
            KindPool(one.halves, one.servers, frozenset((job, 0) for job in one.jobs))
            for one in pools(instance)
        )
    reach, found = reach_by_kind(instance), list[KindPool]()
    for kind, gpu in enumerate(instance.kinds):
        whole = frozenset(s for s, one in enumerate(instance.servers) if one.gpu == gpu)
        users = {
            (j, kind): reach.sets[number]
            for j, own in enumerate(reach.rows)
            for number, k in own
            if k == kind and any(mode.kind == kind for mode in demands(instance)[j].modes)
        }
        found += [
            KindPool(
                2 * sum(instance.servers[s].gpus for s in own),
                tuple(sorted(own)),
                frozenset(user for user, servers in users.items() if servers <= own),
            )
            for own in _unions([whole, *users.values()])
        ]
    return tuple(found)


def _unions(sets: Iterable[frozenset[int]]) -> dict[frozenset[int], None]:
    """Return sets and their unions, in this order, but few more than `MOST_POOLS`."""
    found = dict.fromkeys(sets)
    queue = list(found)
    for one in queue:
        for other in list(found):
            if len(found) <= MOST_POOLS and one | other not in found:
                found[one | other] = None
                queue.append(one | other)
    return found


Held = dict[int, dict[int, int]]
"""GPUs of jobs by server, all by number."""


def matched(instance: TraceInstance, modes: Mapping[int, Mode]) -> Held:
    """Return GPUs for jobs in the given modes, which fit by the numbers of `pools_by_kind`."""
    sets, numbers = reach_of(instance.servers, instance.jobs)
    kinds = [instance.kinds.index(server.gpu) for server in instance.servers]
    free = {s: server.gpus for s, server in enumerate(instance.servers)}
    held: Held = {
        job: {s: 0 for s in sorted(sets[numbers[job]]) if kinds[s] == mode.kind}
        for job, mode in modes.items()
    }
    for job, mode in modes.items():
        for _ in range(mode.gpus):
            _give_one(job, held, free)
    return {job: {s: count for s, count in own.items() if count} for job, own in held.items()}


def _give_one(job: int, held: Held, free: dict[int, int]) -> None:
    """Give a job one GPU more, along a shortest augmenting path of the bipartite matching."""
    came: dict[int, tuple[int, int | None]] = dict.fromkeys(held[job], (job, None))
    queue = list(came)
    for server in queue:
        if free[server]:
            break
        for other, own in held.items():
            if own.get(server):
                fresh = [there for there in own if there not in came]
                came |= dict.fromkeys(fresh, (other, server))
                queue += fresh
    free[server] -= 1
    end: int | None = server
    while end is not None:
        taker, before = came[end]
        held[taker][end] += 1
        if before is not None:
            held[taker][before] -= 1
        end = before


def refuses(instance: TraceInstance) -> str | None:
    """Return why counting GPUs is not enough, or None if it is.

    On one server places are alike. On several they are if no job is slower across servers. They
    also are if jobs move without cost, and their GPUs and a server's divide one another: then jobs
    always fit into servers, the largest first, and a larger job has whole servers. If jobs may run
    in some regions only, GPUs are counted in each region and in unions of regions. All GPUs there
    must be equally good, and jobs may have to move. GPUs of each kind are counted separately. Jobs
    that may change their kind must do so without cost.
    """
    if instance.limited is not None:
        return f"group {instance.limited.name!r} has `most`, which no program states. Use a policy."
    if (moved := held_costs(instance)) is not None:
        return f"{_job(moved)} has a run before time 0, and restarts are charged: {_ADVICE}"
    if (typed := phased(instance)) is not None:
        return f"{_job(typed)} has a type, whose phases no program states. Use a policy."
    if instance.outages:
        server = instance.outages[0].server
        return f"server {server!r} has an outage, which no program states. Use a policy."
    alike, own = len(instance.servers) == len(instance.kinds), pools_by_kind(instance)
    elastic = next((job for job in instance.jobs if _elastic(instance, job)), None)
    shared = next((job for job in instance.jobs if job.packed_speed), None)
    if elastic is not None and not free(instance):
        return f"{_job(elastic)} may change its GPUs, and restarts are charged: {_ADVICE}"
    if not alike and shared is not None:
        return f"{_job(shared)} may share GPUs, and there are several servers: {_ADVICE}"
    if not alike and ticks(instance, instance.restart_s) != cost(instance):
        return f"restarting costs less on the same GPUs than elsewhere: {_ADVICE}"
    bound = len(own) > len(instance.kinds)
    if bound and not free(instance):
        return f"jobs may run in some regions only, and restarts are charged: {_ADVICE}"
    if len(own) > MOST_POOLS:
        return f"jobs name more than {MOST_POOLS} different sets of regions: {_ADVICE}"
    slower = next((job for job in instance.jobs if job.communication and widest(job) > 1), None)
    if alike or slower is None:
        return None
    if free(instance) and nested(instance) and not _crowded(instance) and not bound:
        return None
    return f"{_job(slower)} is slower across servers: {_ADVICE}"


_ADVICE = "GPUs are only counted here, without their places: use a policy and its bound"


def _elastic(instance: TraceInstance, job: TraceJob) -> bool:
    """Return True if a job may run in several modes."""
    if job.speeds or job.packed_speed:
        return True
    return len([gpu for gpu in instance.kinds if speed_on(job, job.gpus, gpu) is not None]) > 1


def _job(job: TraceJob) -> str:
    return f"job {job.name!r}"


def phased(instance: TraceInstance) -> TraceJob | None:
    """Return a job whose speeds change from phase to phase, if any."""
    return next((job for job in instance.jobs if job.type is not None), None)


def held_costs(instance: TraceInstance) -> TraceJob | None:
    """Return a job whose first run may cost time because of a run before time 0, if any."""
    held = (job for job in instance.jobs if job.held is not None)
    return next((job for job in held if job.held_s or not free(instance)), None)


def cost(instance: TraceInstance) -> int:
    """Return the ticks that a restart costs, if all placements are equally good."""
    return ticks(instance, instance.resume)


def free(instance: TraceInstance) -> bool:
    """Return True if jobs may be stopped, moved and restarted without cost."""
    return not (instance.restart_s or instance.resume)


def widest(job: TraceJob) -> int:
    """Return the most GPUs that a job may have."""
    return max(job.gpus, *(width.gpus for width in job.speeds), 0)


def nested(instance: TraceInstance) -> bool:
    """Return True if servers of a kind are alike and all numbers of GPUs divide one another."""
    sizes = {(server.gpu, server.gpus) for server in instance.servers}
    widths = {width.gpus for job in instance.jobs for width in job.speeds}
    widths |= {job.gpus for job in instance.jobs}
    chains = [sorted(widths | {size}) for _, size in sizes]
    divided = (large % small == 0 for chain in chains for small, large in pairwise(chain))
    return len(sizes) == len(instance.kinds) and all(divided)


def _crowded(instance: TraceInstance) -> bool:
    """Return True if a job with whole servers can be slower than in its best place."""
    largest = {server.gpu: 0 for server in instance.servers}
    for server in instance.servers:
        largest[server.gpu] = max(largest[server.gpu], server.gpus)
    links = isinstance(instance.contention, RackLinks)
    return links and any(widest(job) > min(largest.values()) for job in instance.jobs)
