"""Which jobs of a trace are replayed, when they arrive, and how much they communicate."""

import re
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from ...analysis.trace.parts import group_name
from ...analysis.whatif.cases import ALL
from ...instances import TraceInstance, TraceJob
from ...instances.errors import InputError, unknown
from .clusters import COMMAND, not_known, parts, wrong


def first_jobs(trace: TraceInstance, count: int | None) -> TraceInstance:
    """Return the trace with only the given number of jobs, the earliest arrivals."""
    if count is None or count >= len(trace.jobs):
        return trace
    ranked = sorted(range(len(trace.jobs)), key=lambda i: trace.jobs[i].arrival_s)
    kept = sorted(ranked[:count])
    return replace(trace, jobs=tuple(trace.jobs[i] for i in kept))


def talking(trace: TraceInstance, words: str | None) -> TraceInstance:
    """Return the trace with changed communication of all jobs, or of jobs with a given model."""
    if words is None:
        return trace
    pairs = [word.rpartition("=") for word in parts("--communication", words)]
    of = {model: _amount("--communication", text) for model, _, text in pairs}
    models = sorted({job.model for job in trace.jobs if job.model})
    for model in of.keys() - {*models, ""}:
        raise not_known("--communication", model, models or ["numbers only: no job has a model"])

    def talk(job: TraceJob) -> TraceJob:
        value = of.get(job.model or "", of.get(""))
        return job if value is None else replace(job, communication=value)

    return replace(trace, jobs=tuple(map(talk, trace.jobs)))


def selections_of(words: str | None, trace: TraceInstance) -> dict[str, frozenset[str]]:
    """Return the names of the jobs that are left out, by value of the axis `jobs`."""
    found = {ALL: frozenset[str]()}
    seen = set[frozenset[str]]()
    for word in parts("--without", words, once=True) if words is not None else ():
        gone: set[str] = set()
        pieces = re.split(r"\+(?=group=|model=)", word)
        if len(set(pieces)) < len(pieces) or frozenset(pieces) in seen:
            raise wrong("--without", word, "each group and model once", "drop the second")
        seen.add(frozenset(pieces))
        for piece in pieces:
            kind, _, name = piece.partition("=")
            if kind not in ("group", "model"):
                expected = "group=NAME or model=NAME, several joined by +"
                raise wrong("--without", piece, expected, "write group=NAME, for example")
            label = group_name if kind == "group" else _model
            own = [job.name for job in trace.jobs if label(job) == name]
            if not own:
                known = sorted({label(job) for job in trace.jobs} - {""})
                more = f" and {len(known) - MOST:,} more" if len(known) > MOST else ""
                expected = f"a {kind} of the jobs: {', '.join(known[:MOST]) or 'they have none'}"
                problem = unknown("--without", name, known, "name one of them", expected + more)
                raise InputError(COMMAND, [problem])
            gone.update(own)
        if len(gone) == len(trace.jobs):
            raise wrong("--without", word, "some jobs left, but it has all", "leave out fewer")
        found[f"without {word}"] = frozenset(gone)
    return found


def _model(job: TraceJob) -> str:
    return job.model or ""


MOST = 12
"""An error lists at most this many groups or models."""


def reduced(trace: TraceInstance, gone: frozenset[str]) -> TraceInstance:
    """Return the trace without the jobs of these names."""
    if not gone:
        return trace
    return replace(trace, jobs=tuple(job for job in trace.jobs if job.name not in gone))


def loads_of(words: str) -> dict[str, Decimal]:
    """Return the factors on the arrival rate."""
    return {word: _amount("--load", word, positive=True) for word in parts("--load", words)}


def at_load(trace: TraceInstance, load: Decimal) -> TraceInstance:
    """Return the trace with arrivals that come so much faster, to the nearest tick."""
    if load == 1:
        return trace
    per = Fraction(load) * Fraction(trace.tick_s)
    jobs = tuple(
        replace(job, arrival_s=round(Fraction(job.arrival_s) / per) * trace.tick_s)
        for job in trace.jobs
    )
    return replace(trace, jobs=jobs)


def _amount(option: str, text: str, *, positive: bool = False) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or not 0 <= value <= 1000 or (positive and not value):
        expected = f"a number {'above 0, at most' if positive else 'from 0 to'} 1000"
        advice = "give 1 to leave arrivals unchanged" if positive else "write 0.5, for example"
        raise wrong(option, text, expected, advice)
    return value
