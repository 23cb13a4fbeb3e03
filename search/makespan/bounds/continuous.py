"""A bound in continuous time: the least makespan if rings did not slow each other down.

Then every job has a known length for each choice of GPUs: alone on its links, however narrow these
are. Moving a job to an earlier moment delays no other job. Jobs that hold GPUs at time 0 start
then. Hence some best schedule starts each job at its release or at the end of another one, and
these schedules can be searched, in exact integers. Its makespan is a lower bound with contention
too, because no job is faster in company than alone. A schedule that attains the bound, in which no
ring slows another one down, is optimal.
"""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, inf, lcm
from typing import NamedTuple

from ....instances import Assignment, FluidLinks, Limits, MakespanInstance, Schedule, digest
from ....instances.makespan import FINEST_START
from ....instances.reading.encode import as_decimal
from ....instances.regions import may_run
from ....simulation.model import iteration_s, parts, slots_needed
from ..exact.symmetry import equal_before, server_kinds

Pieces = tuple[int, ...]
"""GPUs on each server."""

LOOK = 1000
"""Nodes visited between two looks at the clock."""


class _Shape(NamedTuple):
    """Determinants of a job's length: its servers, the most GPUs on one, the narrowest link.

    `links` are those that a ring crosses. A job inside one server has no links.
    """

    servers: int
    most: int
    width: Fraction
    links: frozenset[int]


class _Run(NamedTuple):
    job: int
    start: int
    end: int
    pieces: Pieces


class _Node(NamedTuple):
    """A moment: running jobs, idle GPUs, waiting jobs. Jobs before `first` had their turn.

    `ago` is the moment before, with the GPUs idle between the two.
    """

    now: int
    idle: Pieces
    runs: tuple[_Run, ...]
    waiting: frozenset[int]
    first: int = 0
    ago: tuple[int, Pieces] | None = None


class UncontendedSchedules:
    """The instance without contention, in units of time in which all lengths are whole."""

    def __init__(self, instance: MakespanInstance, limits: Limits, most: float = inf) -> None:
        """Compute the length of every job for every shape of its ring."""
        self.instance, self.limits, self.most = instance, limits, most
        self.nodes, self.apart = 0, False
        sizes, kinds = server_kinds(instance)
        self.sizes, self.kinds = tuple(sizes.tolist()), kinds.tolist()
        servers = instance.cluster.servers
        self.may = [[may_run(job, server) for server in servers] for job in instance.jobs]
        self.equal, self.links = equal_before(instance), links_of(instance)
        self._shapes: dict[Pieces, _Shape] = {}
        slots = {
            (j, servers, most, width): slots_needed(
                instance, job, iteration_s(instance, terms, servers, most, 1 / width)
            )
            for j, job in enumerate(instance.jobs)
            for terms in [parts(instance, job)]
            for pieces in _choices(job.gpus, self._open(j, self.sizes))
            for servers, most, width, _ in [self._shape(pieces)]
        }
        releases = [Fraction(job.release_slot) for job in instance.jobs]
        whole = [length for length in slots.values() if length is not None] + releases
        self.unit = lcm(*(length.denominator for length in whole))
        self.length = {key: int(value * self.unit) for key, value in slots.items() if value}
        self.release = [int(release * self.unit) for release in releases]
        self.gpus = [job.gpus for job in instance.jobs]
        self.least = [
            min(length for key, length in self.length.items() if key[0] == j)
            for j in range(len(self.gpus))
        ]
        self.root = self._root()

    def _root(self) -> _Node:
        """Return moment 0, at which some jobs hold GPUs. They take as long as on these alone."""
        names = [server.name for server in self.instance.cluster.servers]
        idle, runs = self.sizes, tuple[_Run, ...]()
        for j, job in enumerate(self.instance.jobs):
            if job.held:
                held = dict(job.held)
                pieces = tuple(held.get(name, 0) for name in names)
                self.least[j] = self.length[j, *self._shape(pieces)[:3]]
                runs = (*runs, _Run(j, 0, self.least[j], pieces))
                idle = tuple(a - b for a, b in zip(idle, pieces, strict=True))
        begun = {run.job for run in runs}
        return _Node(0, idle, runs, frozenset(range(len(self.gpus))) - begun)

    @property
    def serial(self) -> Fraction:
        """The makespan of running the jobs one by one after the last release."""
        return Fraction(max(self.release) + sum(self.least), self.unit)

    def schedules(self, below: Fraction, apart: bool) -> Iterator[tuple[Fraction, Schedule]]:
        """Yield ever shorter makespans before `below` with their schedules. The last is least.

        With `apart` only schedules in which rings need at most the capacity of each link, so
        contention has no effect. Raises `TimeoutError` if the time runs out, or after `most` nodes.
        """
        self.apart = apart
        shapes = [self._shape(run.pieces) for run in self.root.runs]
        if apart and any(self._slowed(one, shapes[:i]) for i, one in enumerate(shapes)):
            return
        upper = ceil(below * self.unit)
        while all(run.end < upper for run in self.root.runs):
            found = self._search(self.root, (), upper)
            if found is None:
                return
            upper = max(run.end for run in found)
            yield Fraction(upper, self.unit), self._schedule(found)

    def _search(self, node: _Node, done: tuple[_Run, ...], upper: int) -> tuple[_Run, ...] | None:
        """Return all runs of a schedule below `node` that ends before `upper`, if there is one."""
        self.nodes += 1
        if self.nodes % LOOK == 0 and (self.limits.over() or self.nodes >= self.most):
            raise TimeoutError
        if not node.waiting:
            return done + node.runs
        if self._hopeless(node, upper):
            return None
        for job in sorted(node.waiting):
            if job < node.first or self.release[job] > node.now or self.equal[job] in node.waiting:
                continue
            for pieces in self._places(node, job):
                end = node.now + self.length[job, *self._shape(pieces)[:3]]
                if end >= upper or self._could_be_earlier(node, job, pieces):
                    continue
                idle = tuple(a - b for a, b in zip(node.idle, pieces, strict=True))
                runs = (*node.runs, _Run(job, node.now, end, pieces))
                waiting = node.waiting - {job}
                below = _Node(node.now, idle, runs, waiting, job + 1, node.ago)
                found = self._search(below, done, upper)
                if found is not None:
                    return found
        return self._search_later(node, done, upper)

    def _search_later(
        self, node: _Node, done: tuple[_Run, ...], upper: int
    ) -> tuple[_Run, ...] | None:
        """Go on to the next end or release."""
        moments = [run.end for run in node.runs]
        moments += [self.release[j] for j in node.waiting if self.release[j] > node.now]
        if not moments:
            return None
        now = min(moments)
        over = tuple(run for run in node.runs if run.end <= now)
        idle = tuple(n + sum(run.pieces[s] for run in over) for s, n in enumerate(node.idle))
        runs = tuple(run for run in node.runs if run.end > now)
        later = _Node(now, idle, runs, node.waiting, 0, (node.now, node.idle))
        return self._search(later, done + over, upper)

    def _hopeless(self, node: _Node, upper: int) -> bool:
        """Return True if a job must end too late, or more work is left than idle GPUs could do."""
        work = sum((run.end - node.now) * self.gpus[run.job] for run in node.runs)
        work += sum(self.least[job] * self.gpus[job] for job in node.waiting)
        if work >= (upper - node.now) * sum(self.sizes):
            return True
        return any(max(node.now, self.release[j]) + self.least[j] >= upper for j in node.waiting)

    def _places(self, node: _Node, job: int) -> Iterator[Pieces]:
        """Yield choices of GPUs, one of each class under exchanges of equal servers."""
        seen = set()
        held = [
            (kind, idle, tuple((run.job, run.pieces[s]) for run in node.runs if run.pieces[s]))
            for s, (kind, idle) in enumerate(zip(self.kinds, node.idle, strict=True))
        ]
        shapes = [self._shape(run.pieces) for run in node.runs]
        for pieces in _choices(self.gpus[job], self._open(job, node.idle)):
            if self.apart and self._slowed(self._shape(pieces), shapes):
                continue
            look = tuple(sorted(zip(held, pieces, strict=True)))
            if look not in seen:
                seen.add(look)
                yield pieces

    def _open(self, job: int, gpus: Pieces) -> Pieces:
        """Return GPUs by server, 0 where the job may not run."""
        return tuple(n if may else 0 for n, may in zip(gpus, self.may[job], strict=True))

    def _shape(self, pieces: Pieces) -> _Shape:
        if pieces not in self._shapes:
            held = {s for s, n in enumerate(pieces) if n}
            within = ((k, link.servers & held) for k, link in enumerate(self.links))
            links = frozenset(k for k, some in within if some and some != held)
            width = min((self.links[k].width for k in links), default=Fraction(1))
            self._shapes[pieces] = _Shape(len(held), max(pieces), min(width, Fraction(1)), links)
        return self._shapes[pieces]

    def _slowed(self, new: _Shape, others: list[_Shape]) -> bool:
        """Return True if a new ring and the running ones need more than a link's capacity."""
        return any(
            new.width + sum(other.width for other in others if k in other.links)
            > self.links[k].width
            for k in new.links
        )

    def _could_be_earlier(self, node: _Node, job: int, pieces: Pieces) -> bool:
        """Return True if a start one moment earlier is harmless. A ring could meet others then."""
        if node.ago is None or self.release[job] > node.ago[0]:
            return False
        if self.apart and self._shape(pieces).links:
            return False
        return all(was >= n for was, n in zip(node.ago[1], pieces, strict=True))

    def _schedule(self, runs: tuple[_Run, ...]) -> Schedule:
        """Return the runs as a schedule.

        A start without a short decimal is rounded up to a multiple of `FINEST_START`, and delays
        later jobs on its servers and links. Hence the schedule can end a little later, by at most
        `rounding_of_starts`.
        """
        names = [server.name for server in self.instance.cluster.servers]
        ends: dict[_Run, Fraction] = {}
        items = []
        for run in sorted(runs, key=lambda run: run.start):
            before = [ends[other] for other in ends if self._follows(run, other)]
            start = _decimal(max([Fraction(self.release[run.job], self.unit), *before]))
            ends[run] = Fraction(start) + Fraction(run.end - run.start, self.unit)
            gpus = sorted((names[s], n) for s, n in enumerate(run.pieces) if n)
            name = self.instance.jobs[run.job].name
            items.append(Assignment(job=name, start_slot=start, gpus=tuple(gpus)))
        own = digest(self.instance)
        return Schedule(instance=self.instance.name, digest=own, assignments=tuple(items))

    def _follows(self, run: _Run, other: _Run) -> bool:
        """Return True if a run begins after another has ended on one of its servers or links."""
        met = any(a and b for a, b in zip(run.pieces, other.pieces, strict=True))
        shared = self._shape(run.pieces).links & self._shape(other.pieces).links
        return other.end <= run.start and (met or bool(shared))


def _choices(gpus: int, idle: Pieces) -> Iterator[Pieces]:
    """Yield every choice of the given number of GPUs."""
    if not idle:
        if gpus == 0:
            yield ()
        return
    for n in range(min(gpus, idle[0]), -1, -1):
        for rest in _choices(gpus - n, idle[1:]):
            yield (n, *rest)


def _decimal(moment: Fraction) -> Decimal:
    """Return a moment as a decimal, the next multiple of `FINEST_START` if over 30 digits."""
    exact = as_decimal(moment)
    return ceil(moment / Fraction(FINEST_START)) * FINEST_START if exact is None else exact


class Link(NamedTuple):
    """A link crossed by rings with GPUs both on some of these servers, by number, and elsewhere.

    Rings run at full pace while they need at most its `width` together.
    """

    servers: frozenset[int]
    width: Fraction


def links_of(instance: MakespanInstance) -> list[Link]:
    """Return the uplinks of servers and, where links are shared fairly, those above them.

    A ring alone needs 1 of every link that it crosses, or the width of the narrowest one.
    """
    names, network = [one.name for one in instance.cluster.servers], instance.contention
    if not isinstance(network, FluidLinks):
        rings = Fraction(floor(1 / Fraction(network.share)))
        return [Link(frozenset([s]), rings) for s in range(len(names))]
    found = [Link(frozenset([s]), Fraction(1)) for s in range(len(names))]
    spines: dict[str, tuple[frozenset[int], Fraction]] = {}
    for leaf in network.leaves:
        below = frozenset(map(names.index, leaf.servers))
        width = len(below) / Fraction(network.leaf_oversubscription)
        found.append(Link(below, width))
        servers, widths = spines.get(leaf.spine, (frozenset(), Fraction(0)))
        spines[leaf.spine] = (servers | below, widths + width)
    over = Fraction(network.spine_oversubscription)
    return found + [Link(below, width / over) for below, width in spines.values()]
