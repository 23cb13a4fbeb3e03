"""Rules of `trace`: bounds on the mean completion time, in ticks and half GPUs.

The bounds are for jobs alone, on one fluid machine, or at prices of GPUs in intervals, with proofs
in docs/theory/trace-bounds.md. The rule `every tick` tries all actions of jobs from tick to tick.
It omits no schedule, and includes infeasible better ones, because jobs across servers do not slow
each other down here. `docs/concepts/certificates.md` has the argument.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations, product
from math import ceil, gcd, lcm
from typing import NamedTuple

from ....instances.errors import shorten
from ....instances.regions import may_run
from ....instances.trace import WORK, TraceInstance, TraceJob, speed_on, work_left
from .kernel import bought, fluid
from .reading import ProofStep, StepError

FULL = WORK
"""Work of a tick at full speed."""

MOST_WORK = 200_000
"""Maximum number of choices per tick, partial ones included. Steps beyond it are refused."""

MOST_PLACES = 100
"""Places of a job."""

MOST_SERVERS = 4

NOWHERE, STOPPED = -1, -1


class TickPlace(NamedTuple):
    """A possible run of a job: GPUs per server, half GPUs of each, and work per tick alone."""

    pieces: tuple[int, ...]
    each: int
    rate: int


class TickJob(NamedTuple):
    """A job's remaining work, its last place, and the ticks until it works there."""

    left: int
    place: int = NOWHERE
    wait: int = 0


Ticks = tuple[TickJob, ...]


def every_tick(instance: TraceInstance, step: ProofStep) -> Fraction:
    """Return the mean `at_least`, below which no schedule is, after trying all that could be."""
    least = step.number("at_least")
    if _TickTries(instance, least).succeed():
        raise StepError(f"the steps do not exclude a mean below {least}")
    return least


class _TickTries:
    """All states of the jobs, tick by tick, with the completion times that they have cost."""

    def __init__(self, instance: TraceInstance, least: Fraction) -> None:
        if len(instance.servers) > MOST_SERVERS:
            raise StepError(f"there are more than {MOST_SERVERS} servers")
        tick, self.work = Fraction(instance.tick_s), 0
        self.least = ceil(least * len(instance.jobs) / tick)
        self.restart, self.resume = (
            int(Fraction(one) / tick) for one in (instance.restart_s, instance.resume)
        )
        self.room = [2 * server.gpus for server in instance.servers]
        self.arrival = [int(Fraction(job.arrival_s) / tick) for job in instance.jobs]
        self.first = tuple(TickJob(work_left(job, instance.tick_s)) for job in instance.jobs)
        self.places = [self._places(instance, job) for job in instance.jobs]
        self.rates = [max(place.rate for place in own) for own in self.places]
        self.sizes = [
            min(Fraction(one.each * sum(one.pieces), one.rate) for one in own)
            for own in self.places
        ]
        self.renamed = list(self._renamings(instance))

    def succeed(self) -> bool:
        """Return True if a schedule costs less than it has to."""
        last = max(self.arrival)
        layers, known = {min(self.arrival): {self.first: 0}}, dict[tuple[int, Ticks], int]()
        while layers:
            now = min(layers)
            for jobs, cost in layers.pop(now).items():
                present = [j for j, one in enumerate(jobs) if one.left and self.arrival[j] <= now]
                if not present and not any(one.left for one in jobs):
                    return True
                coming = [a for a, one in zip(self.arrival, jobs, strict=True) if a > now]
                then = now + 1 if present else min(coming)
                paid = cost + len(present)
                for after in self._after(jobs, present):
                    key = min(then, last), after
                    if known.get(key, self.least) > paid and self._may_end(after, then, paid):
                        known[key] = paid
                        layer = layers.setdefault(then, {})
                        layer[after] = min(paid, layer.get(after, paid))
        return False

    def _places(self, instance: TraceInstance, job: TraceJob) -> list[TickPlace]:
        """Return all places of a job: widths, halves, servers."""
        shares = [(2, Fraction(1))]
        if job.packed_speed is not None:
            shares.append((1, Fraction(job.packed_speed)))
        found = []
        for each, part in shares:
            most = [
                room // each if may_run(job, server) else 0
                for room, server in zip(self.room, instance.servers, strict=True)
            ]
            for pieces in product(*(range(count + 1) for count in most)):
                self._count()
                used = {s.gpu for s, n in zip(instance.servers, pieces, strict=True) if n}
                given = speed_on(job, sum(pieces), used.pop()) if len(used) == 1 else None
                if given is not None:
                    across = Fraction(job.communication) if sum(map(bool, pieces)) > 1 else 0
                    speed = Fraction(given) * part / (1 + across)
                    found.append(TickPlace(pieces, each, max(1, round(FULL * speed))))
        if not found or len(found) > MOST_PLACES:
            raise StepError(
                f"job {job.name!r} has {len(found)} places, and 1 to {MOST_PLACES} are tried"
            )
        return found

    def _renamings(self, instance: TraceInstance) -> Iterator[list[list[int]]]:
        """Yield the image of every place for each exchange of equal servers."""
        kinds = [(one.gpus, one.gpu, one.region) for one in instance.servers]
        for order in permutations(range(len(kinds))):
            if [kinds[s] for s in order] == kinds:
                yield [
                    [
                        own.index(one._replace(pieces=tuple(one.pieces[s] for s in order)))
                        for one in own
                    ]
                    for own in self.places
                ]

    def _count(self) -> None:
        self.work += 1
        if self.work > MOST_WORK:
            raise StepError(f"trying every tick takes more than {MOST_WORK:,} steps")

    def _after(self, jobs: Ticks, present: Sequence[int]) -> Iterator[Ticks]:
        """Yield the states after a tick, in which each present job runs somewhere or waits."""

        def choose(turn: int, room: Sequence[int], after: Ticks) -> Iterator[Ticks]:
            self._count()
            if turn == len(present):
                yield self._named(after)
                return
            j = present[turn]
            paused = jobs[j] if jobs[j].place == NOWHERE else jobs[j]._replace(wait=STOPPED)
            yield from choose(turn + 1, room, (*after[:j], paused, *after[j + 1 :]))
            for number, place in enumerate(self.places[j]):
                rest = [has - n * place.each for has, n in zip(room, place.pieces, strict=True)]
                if min(rest) >= 0:
                    ran = self._ran(j, jobs[j], number)
                    yield from choose(turn + 1, rest, (*after[:j], ran, *after[j + 1 :]))

        return choose(0, self.room, jobs)

    def _ran(self, j: int, one: TickJob, number: int) -> TickJob:
        """Return a job after a tick in a place."""
        if one.place == NOWHERE:
            wait = 0
        elif number != one.place:
            wait = self.restart
        else:
            wait = self.resume if one.wait == STOPPED else one.wait
        if wait:
            return TickJob(one.left, number, wait - 1)
        left = max(0, one.left - self.places[j][number].rate)
        if not left or not (self.restart or self.resume):
            return TickJob(left)
        return TickJob(left, number)

    def _named(self, jobs: Ticks) -> Ticks:
        """Return the state as it is called if servers that are alike are exchanged."""
        if len(self.renamed) == 1:
            return jobs
        return min(
            tuple(
                one if one.place == NOWHERE else one._replace(place=new[one.place])
                for one, new in zip(jobs, places, strict=True)
            )
            for places in self.renamed
        )

    def _may_end(self, jobs: Ticks, now: int, paid: int) -> bool:
        """Return True if the final cost may be below the minimum.

        The k-th end is at least the bounds from jobs alone and from a fluid machine.
        """
        again = min(self.restart, self.resume)
        rest = tuple(
            (j, max(now, self.arrival[j]), one.left, self._delay(one, again))
            for j, one in enumerate(jobs)
            if one.left
        )
        if not rest:
            return paid < self.least
        sizes = [ceil(left * self.sizes[j]) for j, _, left, _ in rest]
        alone = sorted(since + wait - (-left // self.rates[j]) for j, since, left, wait in rest)
        halves = sum(self.room)
        starts = [halves * (since + wait) for _, since, _, wait in rest]
        played = {k: end for k, _, end in fluid(starts, sizes, by_left=True)}
        ends = map(max, alone, sorted(-(-end // halves) for end in played.values()))
        return paid + sum(ends) - sum(since for _, since, _, _ in rest) < self.least

    def _delay(self, one: TickJob, again: int) -> int:
        """Return the ticks in which no schedule lets a job work."""
        if one.place == NOWHERE:
            return 0
        return again if one.wait == STOPPED else min(one.wait, again)


PART = 2**60
"""Resolution of means in parts of a tick, rounded down."""


Supply = list[tuple[int, int]]
"""Prices of a unit of work, and how much of it there is."""

Modes = tuple[tuple[int, int, int], ...]
"""Half GPUs, their work per tick, and the number of their kind, for each mode of running."""


class Need(NamedTuple):
    """The minimum needs of a job over all runs."""

    arrival: int
    work: int
    rate: int
    """Maximum work per tick."""
    whole: int
    """Half GPUs times ticks that it holds, in whole ticks, or units of priced half GPUs."""
    area: int
    """The same if there were parts of ticks, rounded down."""
    home: tuple[int, ...]
    """GPUs of the allowed servers, 0 for the other servers."""
    modes: Modes

    @property
    def alone(self) -> int:
        """The tick before which it cannot have ended."""
        return self.arrival + -(-self.work // self.rate)


Needs = Sequence[Need]


def modes_of(instance: TraceInstance, job: TraceJob, home: Sequence[int]) -> Modes:
    """Return the modes of running, each in its best place.

    The GPUs of a mode are of one kind, which has that many.
    """
    found, packed = [], job.packed_speed
    for kind, gpu in enumerate(instance.kinds):
        own = [
            room for server, room in zip(instance.servers, home, strict=True) if server.gpu == gpu
        ]
        for width in {job.gpus, *(entry.gpus for entry in job.speeds)}:
            given = speed_on(job, width, gpu)
            if given is None:
                continue
            modes = [(2 * width, Fraction(given))]
            modes += [] if packed is None else [(width, Fraction(given) * Fraction(packed))]
            for halves, rate in modes:
                across = 1 + Fraction(job.communication) if halves > 2 * max(own) else Fraction(1)
                if halves <= 2 * sum(own):
                    found.append((halves, max(1, round(FULL * rate / across)), kind))
    return tuple(found)


def needs_of(instance: TraceInstance, prices: Sequence[int] | None = None) -> list[Need]:
    """Return the needs of each job. Half a GPU of a kind counts for its price, 1 by default."""
    tick, units = Fraction(instance.tick_s), prices or [1] * len(instance.kinds)

    @cache
    def home_of(allowed: tuple[str, ...] | None) -> tuple[int, ...]:
        open_to = (allowed is None or server.region in allowed for server in instance.servers)
        return tuple(s.gpus if own else 0 for s, own in zip(instance.servers, open_to, strict=True))

    known: dict[object, Modes] = {}
    found = []
    for job in instance.jobs:
        home, shape = home_of(job.allowed_regions), (job.gpus, job.gpu, job.speeds)
        key = *shape, job.communication, job.packed_speed, job.allowed_regions
        modes = known[key] if key in known else known.setdefault(key, modes_of(instance, job, home))
        arrival, work = Fraction(job.arrival_s) / tick, work_left(job, instance.tick_s)
        # Whole ticks do multiples of what divides all rates, and hold multiples of the same kind.
        work += -work % gcd(*(rate for _, rate, _ in modes))
        area = work * min(Fraction(halves * units[kind], rate) for halves, rate, kind in modes)
        whole = ceil(area) + -ceil(area) % (gcd(*(h * units[kind] for h, _, kind in modes)) or 1)
        fastest = max(rate for _, rate, _ in modes)
        found.append(Need(int(arrival), work, fastest, whole, int(area), home, modes))
    return found


def _mean(instance: TraceInstance, needs: Needs, ends: int) -> Fraction:
    """Return the mean of completion times if all ends add up to `ends` ticks."""
    waited = ends - sum(need.arrival for need in needs)
    return waited * Fraction(instance.tick_s) / len(needs)


def _each_alone(instance: TraceInstance, _: ProofStep) -> Fraction:
    """Every job as if there was no other."""
    needs = needs_of(instance)
    return _mean(instance, needs, sum(need.alone for need in needs))


def _fluid_ends(needs: Needs, halves: int) -> list[int]:
    """The k-th end of a schedule is not before the k-th of the machine, shortest left first."""
    played = fluid([halves * n.arrival for n in needs], [n.whole for n in needs], by_left=True)
    last = {j: end for j, _, end in played}
    return [-(-end // halves) for end in sorted(last.values())]


def _end_by_end(needs: Needs, halves: int) -> int:
    """At least the k-th smallest end of the jobs alone."""
    return sum(map(max, sorted(need.alone for need in needs), _fluid_ends(needs, halves)))


def _busy_times(needs: Needs, halves: int) -> int:
    """The minimum sum of mean busy times, smallest job first, plus half of the minimum times."""
    moments, total = [0] * len(needs), 0
    played = fluid([halves * n.arrival for n in needs], [n.area for n in needs], by_left=False)
    for j, start, end in played:
        moments[j] += end * end - start * start
    for need, moment in zip(needs, moments, strict=True):
        # The mean of the moments of its work is moment / (2 area), in parts of the machine.
        size = 2 * halves * need.area
        total += PART * moment // size if size else PART * need.arrival
        total += PART * need.work // (2 * need.rate)
    return -(-total // PART)


def _region_by_region(instance: TraceInstance, _: ProofStep) -> Fraction:
    """The jobs restricted to the same servers, alone on these servers, for each such set."""
    apart, needs = dict[tuple[int, ...], list[Need]](), needs_of(instance)
    for need in needs:
        apart.setdefault(need.home, []).append(need)
    pairs = [(own, 2 * sum(home)) for home, own in apart.items()]
    total = sum(max(_end_by_end(*pair), _busy_times(*pair)) for pair in pairs)
    return _mean(instance, needs, total)


def _priced(instance: TraceInstance, step: ProofStep) -> tuple[list[Need], int]:
    """Return the needs, and all half GPUs of a tick. Each kind counts for its price, if any."""
    kinds = instance.kinds
    prices = dict[str | None, int].fromkeys(kinds, 1)
    if "prices" in step.values:
        prices = step.whole_by_name("prices")
        if prices.keys() != set(kinds):
            found, known = (", ".join(map(str, names)) for names in (prices, kinds))
            known = "none" if None in kinds else known
            raise StepError(f"prices are for {shorten(found)}, expected the kinds of GPUs: {known}")
    if not any(prices.values()):
        raise StepError("prices are all 0, expected one above 0")
    halves = sum(2 * server.gpus * prices[server.gpu] for server in instance.servers)
    return needs_of(instance, [prices[kind] for kind in kinds]), halves


def _counted(ends: Callable[[Needs, int], int]) -> Callable[[TraceInstance, ProofStep], Fraction]:
    """Return the rule that sums ends to a bound, given all half GPUs."""

    def rule(instance: TraceInstance, step: ProofStep) -> Fraction:
        needs, halves = _priced(instance, step)
        return _mean(instance, needs, ends(needs, halves))

    return rule


def cheapest_plans(instance: TraceInstance, step: ProofStep) -> Fraction:
    """Return the mean from prices of half GPUs in intervals that begin at `starts`.

    A job costs its end plus its payments until then, and at least its cheapest plan. All ends are
    at least these costs minus the cost of all half GPUs.

    The last interval has no end and no prices. `pools` are lists of servers by number. Each has a
    row of `prices`, paid on GPUs of a kind by jobs whose servers of this kind are all in the pool.
    Prices are integers over `unit`.
    """
    unit, starts, needs = step.whole("unit", 1), step.counts("starts"), needs_of(instance)
    pools, prices = step.rows("pools"), step.rows("prices")
    lengths = [end - start for start, end in pairwise(starts)]
    first = min(need.arrival for need in needs)
    if not starts or starts[0] > first or min(lengths, default=1) < 1:
        raise StepError("starts must increase, and begin at the first arrival or before it")
    if len(prices) != len(pools) or any(len(row) != len(lengths) for row in prices):
        raise StepError(
            f"prices must have a row for each pool, and {len(lengths)} prices in each row"
        )
    priced = [(frozenset(pool), row) for pool, row in zip(pools, prices, strict=True)]
    total = Fraction(0)
    for pool, row in priced:
        halves = 2 * sum(server.gpus for s, server in enumerate(instance.servers) if s in pool)
        total -= sum(halves * price * length for price, length in zip(row, lengths, strict=True))

    @cache
    def pays_of(home: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return the price of half a GPU by interval, for each kind."""
        found = []
        for kind in instance.kinds:
            own = {s for s, one in enumerate(instance.servers) if home[s] and one.gpu == kind}
            rows = [row for pool, row in priced if own <= pool]
            found.append(tuple(map(sum, zip(*rows, strict=True))) or (0,) * len(lengths))
        return found

    @cache
    def sides_of(modes: Modes, home: tuple[int, ...]) -> list[Supply]:
        """Return the pieces of work of a tick with their prices, for each interval."""
        pays = zip(*pays_of(home), strict=True)
        return [
            _pieces([(halves * pay[kind], rate) for halves, rate, kind in modes]) for pay in pays
        ]

    total += sum(_cheapest(need, starts, sides_of(need.modes, need.home), unit) for need in needs)
    return _mean(instance, needs, ceil(total / unit))


def _pieces(modes: Sequence[tuple[int, int]]) -> Supply:
    """Return possible increases of work per tick beyond cheaper pieces, with their costs.

    They are the edges of the convex hull of all modes. From each corner, the next is the mode with
    the cheapest additional unit of work, the farthest if several are equal.
    """
    found, work, paid = [], 0, 0
    while more := [(cost - paid, rate - work) for cost, rate in modes if rate > work]:
        taken, done = min(more, key=lambda one: (Fraction(one[0], one[1]), -one[1]))
        found.append((taken, done))
        work, paid = work + done, paid + taken
    return found


def _cheapest(need: Need, starts: Sequence[int], sides: Sequence[Supply], unit: int) -> Fraction:
    """Return the minimum cost of a plan over all ends.

    In an interval, the decrease of the cost slows down with later ends. The minimum is found by
    bisection, and is at least the cost of the last end minus all earlier ticks.
    """
    grain = lcm(*(work for pieces in sides for _, work in pieces))
    tick, before = unit * grain, Supply()
    best = tick * starts[-1]
    for (start, until), pieces in zip(pairwise(starts), sides, strict=True):
        edges = [(cost * grain // work, work) for cost, work in pieces]
        since, least = max(start, need.arrival), max(start + 1, need.alone)
        if since >= until:
            continue
        if tick * start >= best:
            break

        def cost(
            end: int, since: int = since, edges: Supply = edges, before: Supply = before
        ) -> int:
            new = [(price, work * (end - since)) for price, work in edges]
            return tick * end + (bought(sorted(before + new), need.work) or 0)

        if least <= until and cost(until) - tick * (until - least) < best:
            last = until
            while least < last:
                middle = (least + last) // 2
                if cost(middle) <= cost(middle + 1):
                    last = middle
                else:
                    least = middle + 1
            best = min(best, cost(least))
        before = sorted(before + [(price, work * (until - since)) for price, work in edges])
    return Fraction(best, grain)


def last_end(instance: TraceInstance, step: ProofStep) -> Fraction:
    """Return a bound on the makespan: all jobs alone, and all together on the fluid machine."""
    needs, halves = _priced(instance, step)
    last = max(*(need.alone for need in needs), *_fluid_ends(needs, halves))
    return (last - min(need.arrival for need in needs)) * Fraction(instance.tick_s)


MAKESPAN_RULES = {"last end": last_end}
"""Rules for the metric `makespan_s`."""

RULES = {
    "each alone": _each_alone,
    "one machine": _counted(lambda needs, halves: sum(_fluid_ends(needs, halves))),
    "end by end": _counted(_end_by_end),
    "busy times": _counted(_busy_times),
    "region by region": _region_by_region,
    "cheapest plans": cheapest_plans,
    "every tick": every_tick,
}
