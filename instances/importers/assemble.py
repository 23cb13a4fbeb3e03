"""Foreign jobs into an instance: what is left out is counted, what is rounded is measured."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction

from ..decode import Decoder
from ..encode import decimal_text
from ..errors import Words
from ..trace import RackServer, TraceInstance, TraceJob
from .choices import Choices, Imported
from .job import Exact, Foreign, ForeignJob

EXACT = Context(prec=100)


def assemble(
    foreign: Foreign,
    servers: tuple[RackServer, ...],
    law: tuple[Decimal, ...],
    choices: Choices,
    faults: Decoder,
) -> Imported | None:
    """Make an instance of foreign jobs; None, after noting why, where there is none."""
    dropped: Counter[str] = Counter()
    usable = []
    for job in foreign.jobs:
        why = _why_not(job, choices)
        dropped.update([why] if why else [])
        usable += [] if why else [job]
    total = sum(server.gpus for server in servers)
    chosen = _chosen(usable, total, choices, dropped)
    if not chosen:
        found = Words(f"{len(foreign.jobs)} jobs, left out: {counted(dropped)}")
        faults.fault("file", found, "a job that can be used", "leave out less")
    for job in _large(chosen, total):
        expected = f"at most {total} GPUs, all of the cluster, for job {job.name!r}"
        advice = "enlarge the cluster, or leave such jobs out with --largest drop"
        faults.fault(job.place, job.gpus, expected, advice)
    if faults.problems:
        return None
    tick = Fraction(choices.tick_s)
    zero = 0 if choices.keep_arrivals else min(_arrival(job) for job in chosen)
    rounded = [_rounded(job, zero, tick) for job in chosen]
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
    )
    _note_problems(instance, chosen, faults)
    made = Imported(
        instance=instance,
        read=len(foreign.jobs),
        dropped={why: dropped[why] for why in sorted(dropped) if dropped[why]},
        rounding_s=Fraction(max(error for _, error in rounded)),
        remarks=foreign.remarks,
    )
    return replace(made, instance=replace(instance, title=_title(instance), notes=_notes(made)))


def counted(dropped: Mapping[str, int]) -> str:
    """Return in words how many jobs were left out, by reason."""
    shown = [f"{count:,} ({why})" for why, count in sorted(dropped.items()) if count]
    return ", ".join(shown) or "none"


def _why_not(job: ForeignJob, choices: Choices) -> str:
    """Return why a job cannot be used, or is not wanted; nothing if it is."""
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


def _chosen(
    jobs: list[ForeignJob], total: int, choices: Choices, dropped: Counter[str]
) -> list[ForeignJob]:
    """Return the jobs of the window, and of them the first; in the order of the file."""
    begin = min(map(_arrival, jobs), default=0)
    low = begin + Fraction(choices.from_s or 0)
    high = None if choices.until_s is None else begin + Fraction(choices.until_s)
    inside = [j for j in jobs if low <= _arrival(j) and (high is None or _arrival(j) < high)]
    dropped["outside the window"] += len(jobs) - len(inside)
    if choices.largest == "drop":
        dropped["more GPUs than there are"] += len(_large(inside, total))
        inside = [job for job in inside if (job.gpus or 0) <= total]
    early = sorted(range(len(inside)), key=lambda i: _arrival(inside[i]))[: choices.first]
    dropped[f"after the first {choices.first}"] += len(inside) - len(early)
    return [inside[i] for i in sorted(early)]


def _large(jobs: list[ForeignJob], total: int) -> list[ForeignJob]:
    """Return the jobs that need more GPUs than there are."""
    return [job for job in jobs if (job.gpus or 0) > total]


def _arrival(job: ForeignJob) -> Exact:
    return job.arrival or 0


def _rounded(job: ForeignJob, zero: Exact, tick: Fraction) -> tuple[TraceJob, Exact]:
    """Return a job with its times in whole ticks, and the larger of both errors, in seconds."""
    arrival, early = _in_ticks(_arrival(job) - zero, tick, 0)
    duration, short = _in_ticks(job.duration or 0, tick, 1)
    made = TraceJob(
        name=job.name,
        arrival_s=arrival,
        gpus=job.gpus or 0,
        duration_s=duration,
        model=job.model,
        **job.more,
    )
    return made, max(early, short)


def _in_ticks(seconds: Exact, tick: Fraction, least: int) -> tuple[Decimal, Exact]:
    """Round to ticks, halves to even, and say by how much."""
    if tick == 1 and isinstance(seconds, int):
        return Decimal(seconds), 0
    exact = max(least, round(seconds / tick)) * tick
    return EXACT.divide(Decimal(exact.numerator), Decimal(exact.denominator)), abs(exact - seconds)


def _note_problems(instance: TraceInstance, jobs: list[ForeignJob], faults: Decoder) -> None:
    """Note what is wrong with the whole, at the places of the foreign file."""
    for problem in instance.problems():
        path, expected = (
            re.sub(r"jobs\[(\d+)\]\.?", lambda at: f"{jobs[int(at[1])].place} ", text).strip()
            for text in (problem.path, problem.expected)
        )
        faults.note(replace(problem, path=path, expected=expected))


def _title(instance: TraceInstance) -> str:
    return f"{len(instance.jobs):,} jobs on {instance.gpus:,} GPUs"


def _notes(made: Imported) -> str:
    parts: Iterable[str] = (
        f"Imported: {len(made.instance.jobs):,} of {made.read:,} jobs",
        f"left out: {counted(made.dropped)}",
        f"times rounded to {decimal_text(made.instance.tick_s)} s by at most "
        f"{float(made.rounding_s):.3g} s",
        *made.remarks,
    )
    return "; ".join(parts) + "."
