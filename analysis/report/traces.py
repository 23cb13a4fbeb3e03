"""The timeline of a `trace` schedule: who runs where and when, as the judge has it."""

from fractions import Fraction
from typing import Any

from ...instances import TraceInstance, TraceJob
from ..check import TraceVerdict
from ..check.trace.timeline import TraceHolding
from ..gantt.words import number, plural
from .timeline import Bar, Job, Span, Timeline


def trace_timeline(
    instance: TraceInstance, _: Any, verdict: TraceVerdict, __: float | None = None
) -> Timeline:
    """Return the timeline of a judged schedule, in seconds and half GPUs."""
    place = {server.name: i for i, server in enumerate(instance.servers)}
    runs: dict[str, list[TraceHolding]] = {}
    for held in verdict.held:
        runs.setdefault(held.run.job.name, []).append(held)
    tick = Fraction(instance.tick_s)
    jobs: list[Job] = []
    bars: list[Bar] = []
    for job in instance.jobs:
        own = runs.get(job.name, [])
        if not own:
            continue
        bars += [
            Bar(
                job=len(jobs),
                band=place[server],
                start=held.start * tick,
                end=held.stop * tick,
                units=count if held.run.half else 2 * count,
                what=("half of " if held.run.half else "") + plural(count, "GPU"),
            )
            for held in own
            for server, count in held.run.pieces.items()
        ]
        jobs.append(_job(job, own, verdict.ends.get(job.name), tick))
    return Timeline(
        machines=tuple((server.name, 2 * server.gpus) for server in instance.servers),
        jobs=tuple(jobs),
        bars=tuple(bars),
        unit="s",
        rate="GPUs",
    )


def _job(job: TraceJob, runs: list[TraceHolding], end: Fraction | None, tick: Fraction) -> Job:
    took = "never ends" if end is None else f"took {number(end - Fraction(job.arrival_s))} s"
    about = f"{plural(job.gpus, 'GPU')}, arrives at {number(job.arrival_s)}, "
    return Job(
        name=job.name,
        about=about + f"{plural(len(runs), 'run')}, {took}",
        start=runs[0].start * tick,
        end=end,
        spans=tuple(span for held in runs for span in _spans(held, tick)),
    )


def _spans(held: TraceHolding, tick: Fraction) -> list[Span]:
    """Return the time in which a run restarts, if there is any, and that in which it works."""
    servers = len(held.run.pieces)
    where = "inside one server" if servers == 1 else f"over {plural(servers, 'server')}"
    parts = (
        (held.start, held.works, "restarts", 0),
        (held.works, held.stop, where, held.run.width),
    )
    return [
        Span(start=start * tick, end=end * tick, rate=gpus, contention=words)
        for start, end, words, gpus in parts
        if end > start
    ]
