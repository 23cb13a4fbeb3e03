"""The timelines of `online` and `reserved` schedules: machines by slots."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from ...instances import OnlineInstance, OnlineSchedule, ReservedInstance, ReservedSchedule
from ..check import OnlineVerdict, ReservedVerdict
from ..gantt.words import number, plural
from .timeline import Bar, Job, Span, Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slot:
    """What a job holds in a slot: units and words by machine, the rate, and how it is reached."""

    slot: int
    held: dict[str, tuple[int, str]]
    rate: float
    contention: str


def online_timeline(
    instance: OnlineInstance,
    schedule: OnlineSchedule,
    verdict: OnlineVerdict,
    _: float | None = None,
) -> Timeline:
    """Return workers and parameter servers by machine and slot."""
    jobs = {job.name: job for job in instance.jobs}
    plans, words = {}, {}
    for admission in schedule.admissions:
        job = jobs[admission.job]
        slots = []
        for plan in admission.plan:
            workers, servers = dict(plan.workers), dict(plan.servers)
            machines = {
                name for name in [*workers, *servers] if workers.get(name, 0) + servers.get(name, 0)
            }
            inside = len(machines) == 1
            held = {
                name: _parts(workers.get(name, 0), servers.get(name, 0))
                for name in sorted(machines)
            }
            rate = sum(workers.values()) * job.rate(inside, instance.slot_s)
            where = "contention: none, "
            where += "all inside one machine" if inside else "across machines"
            slots.append(_Slot(slot=plan.slot, held=held, rate=float(rate), contention=where))
        plans[job.name] = slots
        worth = verdict.utilities.get(job.name)
        done = "does not complete" if worth is None else f"utility {number(worth)}"
        words[job.name] = f"arrives at {job.arrival_slot}, {job.work:,} samples, {done}"
    return _timeline([m.name for m in instance.machines], plans, words, "samples per slot")


def reserved_timeline(
    instance: ReservedInstance,
    schedule: ReservedSchedule,
    verdict: ReservedVerdict,
    _: float | None = None,
) -> Timeline:
    """Return workers by machine and slot."""
    jobs = {job.name: job for job in instance.jobs}
    plans, words = {}, {}
    for ring in schedule.plans:
        job = jobs[ring.job]
        plans[job.name] = [
            _Slot(
                slot=plan.slot,
                held={name: _parts(count, 0) for name, count in plan.workers if count},
                rate=float(job.progress_per_worker_slot * sum(n for _, n in plan.workers)),
                contention="contention: none, bandwidth is reserved",
            )
            for plan in ring.plan
        ]
        worth = number(verdict.gains.get(job.name, 0))
        words[job.name] = f"arrives at {job.arrival_slot}, gain {worth}"
    return _timeline([m.name for m in instance.machines], plans, words, "progress per slot")


def _parts(workers: int, servers: int) -> tuple[int, str]:
    texts = [
        plural(count, noun)
        for count, noun in ((workers, "worker"), (servers, "parameter server"))
        if count
    ]
    return workers + servers, " and ".join(texts)


def _timeline(
    machines: list[str], plans: dict[str, list[_Slot]], words: dict[str, str], rate: str
) -> Timeline:
    place = {name: i for i, name in enumerate(machines)}
    jobs: list[Job] = []
    bars: list[Bar] = []
    for name, slots in plans.items():
        working = sorted((s for s in slots if s.held), key=lambda s: s.slot)
        if not working:
            continue
        bars += [
            Bar(job=len(jobs), band=place[machine], start=start, end=end, units=units, what=what)
            for machine, start, end, units, what in _stays(working)
        ]
        spans = [
            Span(
                start=some[0].slot,
                end=some[-1].slot + 1,
                rate=some[0].rate,
                contention=some[0].contention,
            )
            for some in _alike(working)
        ]
        start, end = working[0].slot, working[-1].slot + 1
        jobs.append(Job(name=name, about=words[name], start=start, end=end, spans=tuple(spans)))
    return Timeline(
        machines=tuple((name, 0) for name in machines),
        jobs=tuple(jobs),
        bars=tuple(bars),
        unit="slots",
        rate=rate,
    )


def _stays(slots: list[_Slot]) -> Iterator[tuple[str, int, int, int, str]]:
    """Yield machine, first slot, the one behind the last, units and words of unbroken stays."""
    for machine in dict.fromkeys(name for slot in slots for name in slot.held):
        there = [(slot.slot, *slot.held[machine]) for slot in slots if machine in slot.held]
        for _, group in groupby(
            enumerate(there), key=lambda pair: (pair[1][0] - pair[0], pair[1][1:])
        ):
            some = [entry for _, entry in group]
            yield machine, some[0][0], some[-1][0] + 1, some[0][1], some[0][2]


def _alike(slots: list[_Slot]) -> Iterable[list[_Slot]]:
    """Yield runs of slots that follow each other with the same rate."""
    keys = groupby(enumerate(slots), key=lambda p: (p[1].slot - p[0], p[1].rate, p[1].contention))
    for _, group in keys:
        yield [slot for _, slot in group]
