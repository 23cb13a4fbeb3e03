"""The judge of `trace` schedules: the rules and the verdict.

The first entry of every job is used. Times are seconds.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter

from ...instances.trace import (
    TraceInstance,
    TraceSchedule,
    in_first_phase,
    named_types,
    speed_on,
)
from .judge import (
    ONE,
    AnyVerdict,
    Breaches,
    Excess,
    Rules,
    RunsCase,
    Ticks,
    after_end,
    arrival,
    claimed_ends,
    entered_once,
    excesses,
    in_order,
    instance_digest,
    misclaimed,
    off_ticks,
)
from .trace_runs import FULL, TraceHolding, group_steps_of, lives_of, steps_of


def known_names(case: RunsCase) -> Breaches:
    """Every job and server that the schedule names is in the instance."""
    servers = {server.name for server in case.instance.servers}
    for i, entry in enumerate(case.schedule.jobs):
        if entry.job not in case.jobs:
            yield case.place(i), ONE
        for k, run in enumerate(entry.runs):
            for server, _ in run.gpus:
                if server not in servers:
                    yield f"{case.place(i, k)}, server {server}", ONE


def planned_once(case: RunsCase) -> Breaches:
    """Every job has one entry."""
    yield from entered_once(case)


def ticks(case: RunsCase) -> Breaches:
    """Runs start and stop at whole ticks."""
    for i, k, run, _ in case.runs():
        yield from off_ticks(case, case.place(i, k), run)


def order(case: RunsCase) -> Breaches:
    """A run stops after its start, and a job's next run starts no earlier than that."""
    yield from in_order(case)


def pieces(case: RunsCase) -> Breaches:
    """A piece is one GPU or more."""
    for i, k, run, _ in case.runs():
        for server, count in run.gpus:
            if count < 1:
                yield f"{case.place(i, k)}, server {server}", Fraction(1 - count)


def gang(case: RunsCase) -> Breaches:
    """A run has exactly the GPUs of its job's request, or another number in its `speeds`."""
    for i, k, run, job in case.runs():
        held = sum(count for _, count in run.gpus)
        if held != job.gpus:
            may = [job.gpus, *(width.gpus for width in job.speeds)]
            if held not in may:
                yield case.place(i, k), Fraction(min(abs(held - width) for width in may))


def one_kind(case: RunsCase) -> Breaches:
    """A run is on GPUs of one kind, on which its job has a speed with this number of GPUs."""
    kinds = {server.name: server.gpu for server in case.instance.servers}
    if set(kinds.values()) == {None}:
        return
    for i, k, run, job in case.runs():
        own = {kinds[server] for server, _ in run.gpus if server in kinds}
        held = sum(count for _, count in run.gpus)
        # A number that it has on no kind is a breach of `gang`. The requested number counts here.
        width = held if any(entry.gpus == held for entry in job.speeds) else job.gpus
        if len(own) > 1 or any(speed_on(job, width, gpu) is None for gpu in own):
            yield case.place(i, k), ONE


def regions(case: RunsCase) -> Breaches:
    """A job is only on servers in regions that it may run in."""
    places = {server.name: server.region for server in case.instance.servers}
    for i, k, run, job in case.runs():
        if job.allowed_regions is not None:
            for server, _ in run.gpus:
                if server in places and places[server] not in job.allowed_regions:
                    yield f"{case.place(i, k)}, server {server}", ONE


def packing(case: RunsCase) -> Breaches:
    """Only a job with a `packed_speed` takes half of its GPUs."""
    for i, k, run, job in case.runs():
        if run.share == "half" and job.packed_speed is None:
            yield case.place(i, k), ONE


def capacity(case: RunsCase) -> Breaches:
    """No server has more GPUs in use than it has, at any moment."""
    steps = steps_of(case.instance, (held for life in case.lives for held in life.held))
    for server in case.instance.servers:
        for excess in excesses(steps[server.name], 2 * server.gpus):
            yield f"server {server.name}, {_stretch(case, excess)}", Fraction(excess.gpus, 2)


def _stretch(case: RunsCase, excess: Excess[int]) -> str:
    end = "..." if excess.end is None else case.ticks.text(excess.end)
    return f"seconds [{case.ticks.text(excess.start)}, {end})"


def most(case: RunsCase) -> Breaches:
    """No group holds more GPUs than its `most`, at any moment."""
    halves = {group.name: 2 * group.most for group in case.instance.groups if group.most}
    steps = group_steps_of(halves, (held for life in case.lives for held in life.held))
    for name, limit in halves.items():
        for excess in excesses(steps[name], limit):
            yield f"group {name}, {_stretch(case, excess)}", Fraction(excess.gpus, 2)


def outages(case: RunsCase) -> Breaches:
    """No run holds GPUs of a server during an outage of it. The amount is the time in seconds."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for one in case.instance.outages:
        span = case.ticks.at(one.from_s), case.ticks.at(one.until_s)
        spans.setdefault(one.server, []).append(span)
    for own in spans.values():
        own.sort()
    for life in case.lives if spans else ():
        for held in life.held:
            for server in held.run.pieces:
                for over in _overlaps(spans.get(server, ()), held.start, held.stop):
                    where = f"{case.place(life.entry, held.run.index)}, server {server}"
                    yield where, over * case.ticks.seconds


def _overlaps(spans: Sequence[tuple[int, int]], start: int, stop: int) -> Iterator[int]:
    """Yield how long each span overlaps a period. The spans are in order and do not overlap."""
    for k in range(bisect_right(spans, start, key=itemgetter(1)), len(spans)):
        begin, end = spans[k]
        if begin >= stop:
            return
        if (over := min(stop, end) - max(start, begin)) > 0:
            yield over


def completes(case: RunsCase) -> Breaches:
    """The runs of a job do all its work. The amount is the remaining work, at full speed."""
    for life in case.lives:
        if life.end is None:
            yield case.place(life.entry), Fraction(life.left, FULL) * case.ticks.seconds


def claims(case: RunsCase) -> Breaches:
    """A claimed end is the end of the job's work. A claimed mean is the mean completion time."""
    yield from claimed_ends(case)
    yield from misclaimed("mean_jct_s", case.schedule.mean_jct_s, case.mean_jct)


RULES = Rules(
    instance_digest,
    known_names,
    planned_once,
    ticks,
    order,
    arrival,
    pieces,
    gang,
    one_kind,
    regions,
    packing,
    capacity,
    most,
    outages,
    completes,
    after_end,
    claims,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceVerdict(AnyVerdict):
    """Every violation, the ends of jobs, and their holdings until then.

    `ends`, in seconds, has the jobs that end. `mean_jct`, the mean of end minus arrival, is None
    unless every job of the instance ends. `held` has the runs of each job in order of time.
    """

    ends: Mapping[str, Fraction]
    mean_jct: Fraction | None
    held: tuple[TraceHolding, ...]

    @property
    def objective(self) -> Fraction | None:
        """The mean completion time."""
        return self.mean_jct


def check_trace(instance: TraceInstance, schedule: TraceSchedule) -> TraceVerdict:
    """Check a schedule against its instance, recomputing everything from the raw data.

    The judge continues after a violation. It uses the first entry of every job, and its runs with
    known servers, GPUs and a stop after the start. A run that starts before its predecessor stops
    is moved to that stop. A run with a disallowed width or share loses no speed by it. The instance
    must be accepted by the reader.
    """
    ticks, types = Ticks(instance.tick_s), named_types(instance)
    lives = lives_of(instance, schedule, ticks)
    ended = [(life.job, life.end) for life in lives if life.end is not None]
    ends = {job.name: end * ticks.seconds for job, end in ended}
    mean_jct = None
    if len(ended) == len(instance.jobs):
        total = sum(end - ticks.at(job.arrival_s) for job, end in ended)
        mean_jct = total * ticks.seconds / len(ended)
    case = RunsCase(
        instance=instance,
        schedule=schedule,
        jobs={job.name: in_first_phase(types, job) for job in instance.jobs},
        ticks=ticks,
        lives=lives,
        ends=ends,
        mean_jct=mean_jct,
    )
    return TraceVerdict(
        violations=RULES.violations(case),
        ends=ends,
        mean_jct=mean_jct,
        held=tuple(held for life in lives for held in life.held),
    )
