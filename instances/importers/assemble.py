"""Conversion of external jobs to an instance: user's choices, left-out jobs, and rounding.

Left-out jobs are counted, and rounding errors are measured.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal
from fractions import Fraction
from typing import Literal

from ..errors import Problem, Words, plural, shown, visible
from ..reading.encode import decimal_text
from ..trace import MOST_TICKS, JobGroup, RackServer, TraceInstance, TraceJob, Width, rooms_by_kind
from .failures import NodeFailures
from .reading import Exact, Foreign, ForeignJob, LeftOutRecords, Reading, counted


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportChoices:
    """A user's choices for an imported trace."""

    name: str
    source: str = ""
    licence: str = ""
    tick_s: Decimal = Decimal(1)
    restart_s: Decimal = Decimal(0)
    resume_s: Decimal | None = None
    first: int | None = None
    """Number of jobs to keep, the first by arrival."""
    from_s: Decimal | None = None
    """Seconds after the first arrival from which jobs are kept."""
    until_s: Decimal | None = None
    """Seconds after the first arrival before which jobs are kept."""
    vc: str | None = None
    """Only this virtual cluster."""
    successful: bool = False
    """True to keep only jobs that ended successfully."""
    largest: Literal["drop", "refuse"] = "drop"
    """Action for jobs that need more GPUs than the cluster has."""
    keep_arrivals: bool = False
    """True to keep times without a shift to a first arrival at 0."""
    quotas: Mapping[str, int] = field(default_factory=dict)
    """GPUs of their own, by group."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """GPUs that the jobs of a group never exceed together, by group."""
    ratios: Mapping[str, Decimal] = field(default_factory=dict)
    """Speeds of kinds of GPUs, relative to each other, for jobs that ran on one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """An imported trace, and a record of the jobs that were left out."""

    instance: TraceInstance
    read: int
    """Records of the file, such as lines: jobs, further attempts, and left-out records."""
    further: int
    """Number of records that are further attempts of kept jobs."""
    left_out: tuple[LeftOutRecords, ...]
    """Left-out records, by reason."""
    unused: tuple[str, ...]
    """Unused columns."""
    rounding_s: Fraction
    """Largest rounding error of an arrival or a duration."""
    remarks: tuple[str, ...]
    failures: NodeFailures | None = None
    """How often nodes fail, if the log shows it."""

    @property
    def dropped(self) -> dict[str, int]:
        """Number of left-out records, by reason."""
        return {one.reason: one.count for one in self.left_out}


EXACT = Context(prec=100)
ADVICE = "lengthen --tick, or correct it"


def assemble(
    foreign: Foreign,
    servers: tuple[RackServer, ...],
    law: tuple[Decimal, ...],
    choices: ImportChoices,
    reading: Reading,
) -> Imported | None:
    """Return an instance of external jobs, or None after reporting the reason."""
    usable = _left([(job, _why_not(job, choices)) for job in foreign.jobs], reading)
    groups = {job.group for job in usable if job.group}
    for option, given in (("--quota", choices.quotas), ("--most", choices.limits)):
        reading.names(option, given, groups, "group", "name their column with --group")
    typed = _typed(_near(usable, choices, reading), servers, choices, reading)
    chosen = _chosen(typed, servers, choices, reading)
    instance, error = None, Fraction(0)
    while chosen:
        instance, error = _instance(chosen, servers, law, choices)
        sound = _sound(instance, chosen, reading)
        if len(sound) == len(chosen):
            break
        chosen = sound
    if not chosen and not reading.problems:
        _nothing(reading)
    if reading.problems or instance is None:
        return None
    all_gpus = plural(instance.gpus, "GPU")
    reading.notes += [
        f"--most {name}={most} has no effect, because the cluster has {all_gpus}"
        for name, most in choices.limits.items()
        if most >= instance.gpus
    ]
    made = Imported(
        instance=instance,
        read=reading.read,
        further=sum(job.records - 1 for job in chosen),
        left_out=reading.left_out,
        unused=tuple(map(visible, reading.unused)),
        rounding_s=error,
        remarks=reading.remarks,
        failures=foreign.failures,
    )
    title = f"{plural(len(instance.jobs), 'job')} on {plural(instance.gpus, 'GPU')}"
    return replace(made, instance=replace(instance, title=title, notes=_notes(made)))


def _nothing(reading: Reading) -> None:
    """Report that no job is left, with the first record of each reason."""
    found = Words(f"{plural(reading.read, 'record')}, left out: {counted(reading.left_out)}")
    reading.reject("file", found, "a job that can be used", "leave out less, or check the format")
    for one in reading.left_out:
        advice = f"{one.count:,} left out: {one.reason}"
        reading.reject(one.first.place, one.first.text, "a job that can be used", advice)


def _left(jobs: Iterable[tuple[ForeignJob, str]], reading: Reading) -> list[ForeignJob]:
    """Return the jobs without a reason to leave them out. Leave out the other jobs."""
    left = []
    for job, why in jobs:
        if why:
            reading.leave(job.record, why, job.records)
        else:
            left.append(job)
    return left


def _why_not(job: ForeignJob, choices: ImportChoices) -> str:
    """Return the reason why a job is invalid or excluded, or an empty string."""
    if job.unusable:
        return job.unusable
    if choices.vc is not None and job.vc != choices.vc:
        return "of another virtual cluster"
    if job.arrival is None:
        return "no arrival"
    if job.gpus == 0 or (job.gpus is None and job.duration):
        return "no GPUs"
    if not job.duration:
        return "never ran"
    if choices.successful and not job.good:
        return "not successful"
    return ""


def _near(jobs: list[ForeignJob], choices: ImportChoices, reading: Reading) -> list[ForeignJob]:
    """Return the jobs of the longest permitted time span with the most jobs."""
    longest = MOST_TICKS * Fraction(choices.tick_s)
    low: Exact = 0
    if not choices.keep_arrivals:
        times = sorted(map(_arrival, jobs))
        begin = most = 0
        for end, time in enumerate(times):
            while time - times[begin] > longest:
                begin += 1
            if end - begin >= most:
                most, low = end - begin + 1, times[begin]
    near = []
    for job in jobs:
        if 0 <= _arrival(job) - low <= longest:
            near.append(job)
            continue
        since = "0" if choices.keep_arrivals else "most others"
        expected = f"at most {MOST_TICKS:.0e} ticks after {since}"
        found = Words(f"{float(_arrival(job)):,.0f} s")
        reading.refuse(job.record, Problem("arrival", found, expected, ADVICE), job.records)
    return near


def _typed(
    jobs: list[ForeignJob],
    servers: tuple[RackServer, ...],
    choices: ImportChoices,
    reading: Reading,
) -> list[ForeignJob]:
    """Return jobs with the kinds of GPUs on which they may run, without kinds if there are none."""
    kinds = {server.gpu for server in servers}
    known = {str(gpu) for gpu in (*kinds, *(job.gpu for job in jobs)) if gpu is not None}
    advice = "name the kinds of the cluster, as in --servers 4x8:v100,2x8:k80"
    reading.names("--speeds", choices.ratios, known, "kind of GPUs", advice)
    if kinds == {None}:
        ran = sum(job.gpu is not None for job in jobs)
        if ran:
            reading.remark("jobs whose kind of GPUs is ignored, because servers have none", ran)
        return [replace(job, gpu=None) for job in jobs] if ran else jobs
    speeds = {kind: speed for kind, speed in choices.ratios.items() if kind in kinds}

    def lacks(job: ForeignJob) -> str:
        able = {job.gpu, *(width.gpu for width in job.more.get("speeds", ()))}
        here = job.gpu is None or able & kinds or (speeds and job.gpu in choices.ratios)
        return (
            ""
            if here
            else f"on GPUs of the kind {shown(str(job.gpu), 40)}, which the cluster lacks"
        )

    left = _left([(job, lacks(job)) for job in jobs], reading)
    return [_with_speeds(job, choices.ratios.get(job.gpu or ""), speeds) for job in left]


def _with_speeds(job: ForeignJob, own: Decimal | None, speeds: Mapping[str, Decimal]) -> ForeignJob:
    """Return a job that may also run on kinds with known speeds, if that of its own is known."""
    if own is None:
        return job
    entries = tuple(
        Width(gpus=job.gpus or 1, gpu=kind, speed=round(speed / own, PLACES))
        for kind, speed in speeds.items()
        if kind != job.gpu
    )
    return replace(job, more={**job.more, "speeds": (*job.more.get("speeds", ()), *entries)})


PLACES = 6
"""Decimals of a relative speed."""


def _chosen(
    jobs: list[ForeignJob],
    servers: tuple[RackServer, ...],
    choices: ImportChoices,
    reading: Reading,
) -> list[ForeignJob]:
    """Return the first jobs of the window, in the order of the file."""
    total = max(rooms_by_kind(servers).values(), default=0)
    begin = min(map(_arrival, jobs), default=0)
    low = begin + Fraction(choices.from_s or 0)
    high = None if choices.until_s is None else begin + Fraction(choices.until_s)
    out = "outside the window"
    inside = _left(
        (
            (j, "" if low <= _arrival(j) and (high is None or _arrival(j) < high) else out)
            for j in jobs
        ),
        reading,
    )
    if choices.largest == "drop":
        large = "more GPUs than the cluster has"
        inside = _left(((j, large if (j.gpus or 0) > total else "") for j in inside), reading)
    early = set(sorted(range(len(inside)), key=lambda i: _arrival(inside[i]))[: choices.first])
    late = f"after the first {choices.first}"
    chosen = _left(((j, "" if i in early else late) for i, j in enumerate(inside)), reading)
    for job in chosen:
        if (job.gpus or 0) > total:
            expected = f"at most {total} GPUs, all of the cluster, for job {job.name!r}"
            advice = "enlarge the cluster, or leave such jobs out with --largest drop"
            reading.reject(job.record.place, job.gpus, expected, advice)
    return chosen


def _arrival(job: ForeignJob) -> Exact:
    return job.arrival or 0


def _instance(
    jobs: list[ForeignJob],
    servers: tuple[RackServer, ...],
    law: tuple[Decimal, ...],
    choices: ImportChoices,
) -> tuple[TraceInstance, Fraction]:
    """Return the instance of these jobs, and the largest rounding error of a time, in seconds."""
    tick = Fraction(choices.tick_s)
    zero = 0 if choices.keep_arrivals else min(_arrival(job) for job in jobs)
    rounded = [_rounded(job, zero, tick) for job in jobs]
    instance = TraceInstance(
        name=choices.name,
        source=choices.source,
        licence=choices.licence,
        servers=servers,
        jobs=tuple(job for job, _ in rounded),
        tick_s=choices.tick_s,
        restart_s=choices.restart_s,
        resume_s=choices.resume_s,
        law=law,
        groups=_groups(jobs, choices),
    )
    return instance, Fraction(max(error for _, error in rounded))


def _groups(jobs: Iterable[ForeignJob], choices: ImportChoices) -> tuple[JobGroup, ...]:
    """Return the groups of jobs, in the order of the file, if one has a quota or a limit."""
    if not (choices.quotas or choices.limits):
        return ()
    names = dict.fromkeys(job.group for job in jobs if job.group)
    return tuple(
        JobGroup(name=name, quota=choices.quotas.get(name, 0), most=choices.limits.get(name))
        for name in names
    )


def _rounded(job: ForeignJob, zero: Exact, tick: Fraction) -> tuple[TraceJob, Exact]:
    """Return a job with its times in whole ticks, and the larger of both errors, in seconds."""
    arrival, early = _in_ticks(_arrival(job) - zero, tick, 0)
    duration, short = _in_ticks(job.duration or 0, tick, 1)
    more = dict(job.more)
    if job.done:
        more["done_s"] = _done(job.done, duration, tick)
    made = TraceJob(
        name=job.name,
        arrival_s=arrival,
        gpus=job.gpus or 0,
        gpu=job.gpu,
        duration_s=duration,
        model=job.model,
        group=job.group,
        limit_s=_label(job.limit, tick, 1),
        due_s=_label(job.due, tick, 1),
        waited_s=_label(job.waited, tick, 0),
        **more,
    )
    return made, max(early, short)


def _done(seconds: Exact, duration: Decimal, tick: Fraction) -> Decimal:
    """Return time that has been worked, in millionths of a tick, with a tick left at least."""
    least = min(Fraction(duration) - tick, Fraction(seconds))
    return _in_ticks(least, tick / 10**6, 0)[0]


def _label(seconds: Exact | None, tick: Fraction, least: int) -> Decimal | None:
    """Return an optional time in whole ticks, or None if it is too long to state."""
    if seconds is None or seconds > MOST_TICKS * tick:
        return None
    return _in_ticks(seconds, tick, least)[0]


def _in_ticks(seconds: Exact, tick: Fraction, least: int) -> tuple[Decimal, Exact]:
    """Round to ticks, halves to even. Return the error as well."""
    if tick == 1 and isinstance(seconds, int):
        return Decimal(seconds), 0
    exact = max(least, round(seconds / tick)) * tick
    return EXACT.divide(Decimal(exact.numerator), Decimal(exact.denominator)), abs(exact - seconds)


def _sound(instance: TraceInstance, jobs: list[ForeignJob], reading: Reading) -> list[ForeignJob]:
    """Return the jobs that are valid together. Report the problems of other jobs."""
    faulty: set[int] = set()
    for problem in instance.problems():
        at = re.match(r"jobs\[(\d+)\]\.?", problem.path)
        if at is None:
            moved = replace(problem, path=_option(instance, problem.path))
            if moved not in reading.problems:
                reading.note(moved)
            continue
        job = jobs[int(at[1])]
        expected = re.sub(
            r"jobs\[(\d+)\]", lambda other: jobs[int(other[1])].record.place, problem.expected
        )
        moved = replace(problem, path=problem.path[at.end() :], expected=expected)
        reading.refuse(job.record, moved, 0 if int(at[1]) in faulty else job.records)
        faulty.add(int(at[1]))
    return [job for i, job in enumerate(jobs) if i not in faulty]


def _option(instance: TraceInstance, path: str) -> str:
    """Return the option that gave a number to a group, or another place as it is."""
    at = re.fullmatch(r"groups\[(\d+)\]\.(quota|most)", path)
    return f"--{at[2]} {instance.groups[int(at[1])].name}" if at else path


def import_text(notes: str) -> str | None:
    """Return from the notes of an instance how many records its import left out, if it did."""
    found = re.match(r"Imported: (.*?); left out: (\d.*?\))(?:; |\.$)", notes)
    return found and f"the import took {found[1]} and left out {found[2]}"


def _notes(made: Imported) -> str:
    parts: Iterable[str] = (
        f"Imported: {plural(len(made.instance.jobs), 'job')} from {plural(made.read, 'record')}",
        f"left out: {counted(made.left_out)}",
        *([f"not used: {', '.join(made.unused)}"] if made.unused else []),
        f"times rounded to {decimal_text(made.instance.tick_s)} s by at most "
        f"{float(made.rounding_s):.3g} s",
        *made.remarks,
    )
    return shown("; ".join(parts) + ".", 10_000)
