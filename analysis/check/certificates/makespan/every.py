"""Speeds of jobs at given places, alone and with other rings: (6) to (9), recomputed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from .....instances.cluster import FluidLinks, ServerUplink
from .....instances.makespan import MakespanInstance, unlike
from .....instances.regions import may_run
from ..reading import ProofStep, StepError
from .part import iteration_s, iterations_per_slot, slower_s, transfer_s

Pieces = tuple[int, ...]
"""GPUs on each server, the servers in the order of `RingPaces.servers`."""


class RingPaces:
    """The speeds of an instance's jobs, with equal servers adjacent."""

    def __init__(self, instance: MakespanInstance) -> None:
        """Sort the servers by all distinguishing attributes: size, leaf and spine, region."""
        self.instance, self.model = instance, instance.contention
        leaves = self.model.leaves if isinstance(self.model, FluidLinks) else ()
        above = {name: (leaf.name, leaf.spine) for leaf in leaves for name in leaf.servers}
        marked = [
            ((-one.gpus, above.get(one.name, ("", "")), one.region or ""), one)
            for one in instance.cluster.servers
        ]
        marked.sort(key=lambda pair: pair[0])
        self.servers = tuple(one for _, one in marked)
        self.alike = tuple(mark for mark, _ in marked)
        self._known = dict[tuple[int, Pieces, int], Fraction]()

    def alone(self, job: int, pieces: Pieces) -> Fraction | None:
        """Return the slots of a job without other rings, None if it never ends.

        With other rings it is never faster, by (7) or by its share of its narrowest link.
        """
        rate = self.rate(job, pieces, 1)
        if not rate:
            return None
        slots = self.instance.jobs[job].iterations / rate
        return slots if self.instance.progress == "continuous" else Fraction(ceil(slots))

    def beside(self, rings: Mapping[int, Pieces]) -> dict[int, Fraction]:
        """Return the iterations per slot of rings that run at the same time, by (6)."""
        here = [sum(map(bool, column)) for column in zip(*rings.values(), strict=True)]
        busiest = {
            ring: max(n * bool(count) for n, count in zip(here, pieces, strict=True))
            for ring, pieces in rings.items()
        }
        return {ring: self.rate(ring, pieces, busiest[ring]) for ring, pieces in rings.items()}

    def rate(self, job: int, pieces: Pieces, rings: int) -> Fraction:
        """Return (9) with `rings` rings on the busiest server, or the lone rate if fair."""
        key = job, pieces, rings
        if key not in self._known:
            self._known[key] = iterations_per_slot(self.instance, self._seconds(*key))
        return self._known[key]

    def _seconds(self, job: int, pieces: Pieces, rings: int) -> Fraction:
        ring, held = self.instance.jobs[job], [count for count in pieces if count]
        inside = len(held) == 1
        spread = 0 if inside else 1 if self.instance.overhead == "step" else max(held)
        units = len(held) if self.instance.overhead == "paper" else spread
        seconds = iteration_s(self.instance, ring, units, inside=inside)
        if not inside and isinstance(self.model, ServerUplink):
            seconds += slower_s(self.instance, self.model, ring, rings)
        elif not inside and isinstance(self.model, FluidLinks):
            uplink = Fraction(self.instance.cluster.inter_bandwidth_gb_s)
            narrowest = uplink * min(Fraction(1), self._narrowest(self.model, pieces))
            seconds += transfer_s(ring, narrowest) - transfer_s(ring, uplink)
        return seconds

    def _narrowest(self, model: FluidLinks, pieces: Pieces) -> Fraction:
        """Return the capacity, in uplinks, of a ring's narrowest link above servers."""
        over = Fraction(model.leaf_oversubscription)
        leaf = {one.name: len(one.servers) / over for one in model.leaves}
        over = Fraction(model.spine_oversubscription)
        spine = dict.fromkeys((one.spine for one in model.leaves), Fraction(0))
        for one in model.leaves:
            spine[one.spine] += leaf[one.name] / over
        used = [mark[1] for mark, count in zip(self.alike, pieces, strict=True) if count]
        links = [
            [carries[name] for name in names]
            for carries, names in zip((leaf, spine), map(set, zip(*used, strict=True)), strict=True)
            if len(names) > 1
        ]
        return min(map(min, links), default=Fraction(1))


MOST_WORK = 200_000
"""Maximum number of servers examined, plans and sums. Steps beyond it are refused."""

MOST_SERVERS = 100
NOBODY = -1


class HeldPart(NamedTuple):
    """GPUs of a server held until `end`, or by a `ring` that other rings may delay."""

    end: Fraction
    ring: int
    gpus: int


class ServerState(NamedTuple):
    """A server at a moment: how many GPUs were idle just before, and who holds some."""

    idle_before: int
    held: tuple[HeldPart, ...]


class PartialPlan(NamedTuple):
    """Jobs not started, servers, and the iterations that rings still owe, by number of the job."""

    waiting: frozenset[int]
    servers: tuple[ServerState, ...]
    owed: tuple[tuple[int, Fraction], ...]

    def rings(self) -> dict[int, Pieces]:
        """Return the pieces of the rings that other rings may delay."""
        return {
            ring: tuple(sum(p.gpus for p in one.held if p.ring == ring) for one in self.servers)
            for ring, _ in self.owed
        }


def every_schedule(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """Return the moment `at_least`, before which no schedule ends, after trying all that could."""
    if reason := unlike(instance):
        raise StepError(f"this rule does not apply, because {reason}")
    before = step.number("before" if "before" in step.values else "at_least")
    if _Tries(instance, before).succeed():
        raise StepError(f"the steps do not exclude that all jobs end before {before}")
    return before


class _Tries:
    """All partial plans, moment by moment."""

    def __init__(self, instance: MakespanInstance, before: Fraction) -> None:
        if len(instance.cluster.servers) > MOST_SERVERS:
            raise StepError(f"there are more than {MOST_SERVERS} servers")
        self.jobs, self.before, self.work = instance.jobs, before, 0
        self.slotted = instance.progress != "continuous"
        # Elsewhere every ring runs as if it were alone, which is as fast or faster.
        self.contend = self.slotted and isinstance(instance.contention, ServerUplink)
        self.paces = RingPaces(instance)
        self.release = [Fraction(job.release_slot) for job in self.jobs]
        plain = [replace(job, name="") for job in self.jobs]
        equal = ([k for k in range(j) if plain[k] == job] for j, job in enumerate(plain))
        self.equal = [max(some, default=NOBODY) for some in equal]
        self.empty = tuple(ServerState(0, ()) for _ in self.paces.servers)
        self.least = [self._least(j) for j in range(len(self.jobs))]
        self._useful = dict[tuple[frozenset[int], Fraction], Fraction]()

    def succeed(self) -> bool:
        """Return True if a plan ends all jobs in time."""
        first = PartialPlan(frozenset(range(len(self.jobs))), self.empty, ())
        layers = {Fraction(0): {first}}
        while layers:
            now = min(layers)
            for plan in layers.pop(now):
                for begun in self._begun(plan, now):
                    then, later = self._later(begun, now)
                    if then < self.before and self._may_end(later, then):
                        if not later.waiting and not later.owed:
                            return True
                        layers.setdefault(then, set()).add(later)
        return False

    def _least(self, job: int) -> Fraction:
        """Return the slots that a job takes at least, wherever it is."""
        lengths = (self.paces.alone(job, one) for one in self._places(job, self.empty))
        return min((one for one in lengths if one is not None), default=self.before)

    def _places(self, job: int, servers: tuple[ServerState, ...]) -> Iterator[Pieces]:
        """Yield the placements of a job on idle GPUs.

        Equal servers in equal states get descending numbers of them.
        """
        ring, alike = self.jobs[job], self.paces.alike
        room = [
            self._idle(s, one) if may_run(ring, self.paces.servers[s]) else 0
            for s, one in enumerate(servers)
        ]

        def fill(pieces: Pieces, left: int) -> Iterator[Pieces]:
            self._count()
            s = len(pieces)
            if left == 0:
                yield pieces + (0,) * (len(servers) - s)
            elif left <= sum(room[s:]):
                most = min(room[s], left)
                if s and alike[s] == alike[s - 1] and servers[s] == servers[s - 1]:
                    most = min(most, pieces[-1])
                for count in range(most, -1, -1):
                    yield from fill((*pieces, count), left - count)

        return fill((), ring.gpus)

    def _count(self, work: int = 1) -> None:
        self.work += work
        if self.work > MOST_WORK:
            raise StepError(f"trying every schedule takes more than {MOST_WORK:,} steps")

    def _idle(self, s: int, state: ServerState) -> int:
        return self.paces.servers[s].gpus - sum(part.gpus for part in state.held)

    def _begun(self, plan: PartialPlan, now: Fraction) -> Iterator[PartialPlan]:
        """Yield the plan, and with each set of jobs started now at each of their places."""
        seen, todo = {plan}, [(plan, 0)]
        while todo:
            one, first = todo.pop()
            yield one
            for job in sorted(one.waiting):
                if job < first or self.release[job] > now or self.equal[job] in one.waiting:
                    continue
                for pieces in self._places(job, one.servers):
                    more = self._with(one, job, pieces, now)
                    if more is not None and more not in seen:
                        seen.add(more)
                        todo.append((more, job + 1))

    def _with(
        self, plan: PartialPlan, job: int, pieces: Pieces, now: Fraction
    ) -> PartialPlan | None:
        """Return the plan with a job started, None if that is too late or needlessly late."""
        length, ring = self.paces.alone(job, pieces), sum(map(bool, pieces)) > 1
        if length is None or now + length >= self.before:
            return None
        pairs, delayed = list(zip(plan.servers, pieces, strict=True)), ring and self.contend
        fitted = all(count <= one.idle_before for one, count in pairs)
        if fitted and not delayed and self.release[job] < now:
            return None
        part = (Fraction(0), job) if delayed else (now + length, NOBODY)
        servers = (
            one._replace(held=tuple(sorted((*one.held, HeldPart(*part, count))))) if count else one
            for one, count in pairs
        )
        owed = [(job, Fraction(self.jobs[job].iterations))] if delayed else []
        owed = sorted([*plan.owed, *owed])
        return PartialPlan(plan.waiting - {job}, self._ordered(servers), tuple(owed))

    def _ordered(self, servers: Iterable[ServerState]) -> tuple[ServerState, ...]:
        """Return the states, sorted within equal servers."""
        return tuple(one for _, one in sorted(zip(self.paces.alike, servers, strict=True)))

    def _later(self, plan: PartialPlan, now: Fraction) -> tuple[Fraction, PartialPlan]:
        """Return the next moment at which a job may start, and the plan there."""
        self._count()
        then = now + 1
        if not self.slotted:
            ends = [part.end for one in plan.servers for part in one.held]
            coming = [self.release[job] for job in plan.waiting if self.release[job] > now]
            then = min([*ends, *coming], default=self.before)
        rates = self.paces.beside(plan.rings()) if plan.owed else {}
        owed = [(ring, left - rates[ring]) for ring, left in plan.owed if left > rates[ring]]
        going = {ring for ring, _ in owed}
        servers = (
            ServerState(
                self._idle(s, one),
                tuple(part for part in one.held if part.end > then or part.ring in going),
            )
            for s, one in enumerate(plan.servers)
        )
        return then, PartialPlan(plan.waiting, self._ordered(servers), tuple(owed))

    def _may_end(self, plan: PartialPlan, now: Fraction) -> bool:
        """Return True if rings may end in time, and GPUs have time for the jobs that wait."""
        ends, rings = dict[int, Fraction](), plan.rings()
        for ring, left in plan.owed:
            rate = self.paces.rate(ring, rings[ring], 1)
            ends[ring] = now - (-left // rate)
            if ends[ring] >= self.before:
                return False
        spare = Fraction(0)
        for s, one in enumerate(plan.servers):
            spare += self._idle(s, one) * self._use(plan.waiting, now)
            for part in one.held:
                spare += part.gpus * self._use(plan.waiting, ends.get(part.ring, part.end))
        return spare >= sum(self.jobs[job].gpus * self.least[job] for job in plan.waiting)

    def _use(self, jobs: frozenset[int], since: Fraction) -> Fraction:
        """Return the longest sequential work of a GPU on some of the jobs from a moment on."""
        if (jobs, since) not in self._useful:
            sums = {Fraction(0)}
            for job in jobs:
                longer = {one + self.least[job] for one in sums}
                sums |= {one for one in longer if since + one < self.before}
                self._count(len(longer))
            self._useful[jobs, since] = max(sums)
        return self._useful[jobs, since]
