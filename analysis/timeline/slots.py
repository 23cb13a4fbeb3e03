"""Timelines of `online` and `reserved`: in each slot a job may hold other workers."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from math import lcm
from typing import Any, ClassVar

from ...instances.errors import plural
from ...instances.online import OnlineInstance, TrainingJob
from ...instances.reserved import ReservedInstance, ReservedRing
from ..check.online import OnlineVerdict
from ..check.online import holdings_of as online_holdings_of
from ..check.reserved import ReservedVerdict, holdings_of
from ..drawing.shapes import number
from . import Bar, Holding, Holdings, JobHolder, Life, Lives, RateSpan

Held = dict[int, tuple[int, int]]
"""Workers and parameter servers by place of the machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotJob(JobHolder):
    """A job, with its holdings by slot in `held`, empty if it was rejected."""

    held: dict[int, Held]

    @property
    def worker_slots(self) -> int:
        """Number of worker slots."""
        return sum(workers for there in self.held.values() for workers, _ in there.values())


class SlotTimeline(Holdings):
    """Bars are as high as a job's part of `resource`."""

    maximize = True
    with_plan: ClassVar[str]
    without: ClassVar[str]
    stay: ClassVar[bool]
    """True if a job without a plan stays and waits."""
    rate: ClassVar[str]
    holdings: ClassVar[Callable[[Any, Any], Iterable[Any]]]
    """The judge's function that returns the accepted holdings of a schedule."""

    @property
    @abstractmethod
    def worth(self) -> Mapping[str, Any]:
        """The worth of jobs, by name."""

    def last(self, job: SlotJob) -> str:
        """Return a job's completion slot as text, if jobs complete."""
        return ""

    @abstractmethod
    def pace(self, job: Any, held: Held) -> tuple[float, str]:
        """Return the rate of a job in a slot, and how it is reached."""

    @abstractmethod
    def about(self, job: Any) -> str:
        """Return a description of a working job."""

    @cached_property
    def resource(self) -> str:
        """The resource that most workers need, GPUs among equals."""
        asked = Counter(name for job in self.instance.jobs for name, amount in job.worker if amount)
        return max(sorted(asked), key=lambda name: (asked[name], "gpu" in name.lower()), default="")

    def _needs(self, job: Any) -> tuple[Fraction, Fraction]:
        """Return the needs of a worker and of a parameter server for the resource."""
        server = getattr(job, "server", ())
        return self._part(job.worker), self._part(server)

    def _part(self, amounts: Any) -> Fraction:
        return Fraction(dict(amounts).get(self.resource, 0))

    @cached_property
    def unit(self) -> int:
        """The multiple that makes all sizes and needs whole."""
        sizes = (self._part(machine.capacity) for machine in self.instance.machines)
        needs = (need for job in self.instance.jobs for need in self._needs(job))
        return lcm(*(amount.denominator for amount in (*sizes, *needs)))

    @cached_property
    def machines(self) -> tuple[tuple[str, int], ...]:
        """The machines, with their capacity of the resource."""
        some = self.instance.machines
        return tuple((one.name, int(self.unit * self._part(one.capacity))) for one in some)

    @property
    def horizon(self) -> int:
        """The number of slots."""
        slots: int = self.instance.horizon_slots
        return slots

    @cached_property
    def plans(self) -> dict[str, Any]:
        """The accepted entries, by job and slot, in the order of the schedule."""
        found = type(self).holdings(self.instance, self.schedule)
        return {one.job.name: one.slots for one in found}

    @cached_property
    def jobs(self) -> tuple[SlotJob, ...]:
        """All jobs of the instance."""
        return tuple(self._job(i, job) for i, job in enumerate(self.instance.jobs))

    def _job(self, number: int, job: Any) -> SlotJob:
        plan = self.plans.get(job.name, {})
        held = {slot: _held(there, self.places) for slot, there in plan.items()}
        holds = tuple(_holds(held, [int(self.unit * need) for need in self._needs(job)]))
        return SlotJob(number=number, job=job, arrival=job.arrival_slot, held=held, holds=holds)

    @property
    def admitted(self) -> int:
        """Number of jobs with any holdings."""
        return sum(bool(job.held) for job in self.jobs)

    def lives(self) -> Lives:
        """Return workers and parameter servers by machine and slot."""
        jobs = {job.name: job for job in self.jobs}
        return Lives(
            machines=tuple((name, 0) for name, _ in self.machines),
            jobs=tuple(self._life(jobs[name]) for name in self.plans),
            unit="slots",
            rate=self.rate,
        )

    def _life(self, job: SlotJob) -> Life:
        held = sorted(job.held.items())
        paces = [(slot, self.pace(job.job, there)) for slot, there in held]
        return Life(
            name=job.name,
            about=self.about(job.job),
            start=held[0][0],
            end=held[-1][0] + 1,
            bars=tuple(_bars(held)),
            spans=tuple(
                RateSpan(start=start, end=end, rate=rate, contention=where)
                for start, end, (rate, where) in _alike(paces)
            ),
        )


def _bars(held: list[tuple[int, Held]]) -> Iterator[Bar]:
    for machine in dict.fromkeys(name for _, there in held for name in there):
        mine = [(slot, there[machine]) for slot, there in held if machine in there]
        for start, end, (workers, servers) in _alike(mine):
            parts = (workers, "worker"), (servers, "parameter server")
            what = " and ".join(plural(count, name) for count, name in parts if count)
            yield Bar(machine=machine, start=start, end=end, units=workers + servers, what=what)


def _alike(slots: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, int, Any]]:
    """Yield the start and the end of slots that follow each other with the same value."""
    for (_, value), group in groupby(enumerate(slots), key=lambda p: (p[1][0] - p[0], p[1][1])):
        some = [slot for _, (slot, _) in group]
        yield some[0], some[-1] + 1, value


def _held(entry: Any, places: Mapping[str, int]) -> Held:
    """Return workers and parameter servers by machine, without machines that are unknown."""
    workers = dict(entry if isinstance(entry, Mapping) else entry.workers)
    servers = dict(() if isinstance(entry, Mapping) else entry.servers)
    return {
        places[name]: (workers.get(name, 0), servers.get(name, 0))
        for name in sorted(workers | servers)
        if name in places
    }


def _holds(held: dict[int, Held], needs: list[int]) -> Iterator[Holding]:
    """Join consecutive slots with equal holdings on a machine."""
    growing: dict[int, Holding] = {}
    for slot, there in sorted(held.items()):
        for machine, counts in there.items():
            units = sum(count * need for count, need in zip(counts, needs, strict=True))
            spread, old = len(there) > 1, growing.pop(machine, None)
            same = old and (old.end, old.units, old.spread) == (slot, units, spread)
            if old and not same:
                yield old
            start = old.start if old and same else slot
            growing[machine] = Holding(
                machine=machine, start=start, end=slot + 1, units=units, spread=spread
            )
    yield from growing.values()


class OnlineTimeline(SlotTimeline):
    """Jobs are admitted or rejected."""

    instance: OnlineInstance
    verdict: OnlineVerdict
    objective = "utility"
    with_plan = "admitted"
    without = "rejected"
    stay = False
    holdings = online_holdings_of
    rate = "samples per slot"

    @property
    def worth(self) -> Mapping[str, Fraction]:
        """The utilities of the jobs that complete."""
        return self.verdict.utilities

    def last(self, job: SlotJob) -> str:
        """Return a job's completion slot as text."""
        found = self.verdict.completions.get(job.name)
        return "never completes" if found is None else f"completes in slot {found}"

    def pace(self, job: TrainingJob, held: Held) -> tuple[float, str]:
        """Return the samples that all workers process, by their placement."""
        inside, workers = len(held) == 1, sum(workers for workers, _ in held.values())
        where = "all inside one machine" if inside else "across machines"
        rate = float(workers * job.rate(inside, self.instance.slot_s))
        return rate, f"contention: none, {where}"

    def about(self, job: TrainingJob) -> str:
        """Return a job's arrival and outcome as text."""
        worth = self.worth.get(job.name)
        done = "does not complete" if worth is None else f"utility {number(worth)}"
        return f"arrives at {job.arrival_slot}, {job.work:,} samples, {done}"


class ReservedTimeline(SlotTimeline):
    """Rings are at work, or never."""

    instance: ReservedInstance
    verdict: ReservedVerdict
    objective = "gain"
    with_plan = "at work"
    without = "never at work"
    stay = True
    holdings = holdings_of
    rate = "progress per slot"

    @property
    def worth(self) -> Mapping[str, Any]:
        """The gains of the rings."""
        return self.verdict.gains

    def pace(self, job: ReservedRing, held: Held) -> tuple[float, str]:
        """Return the progress of all workers."""
        workers = sum(workers for workers, _ in held.values())
        where = "no contention: bandwidth is reserved"
        return float(job.progress_per_worker_slot * workers), where

    def about(self, job: ReservedRing) -> str:
        """Return a ring's arrival and value as text."""
        return f"arrives at {job.arrival_slot}, gain {number(self.worth.get(job.name, 0))}"
