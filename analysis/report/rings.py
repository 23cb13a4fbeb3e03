"""The timeline of a `makespan` schedule: who slows down whom, as the judge computed it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from fractions import Fraction

from ...instances import MakespanInstance, Schedule
from ..check import Verdict
from ..check.makespan.runs import RingRun, runs_of
from ..check.makespan.timing import pace_of
from ..gantt.colours import lost_part
from ..gantt.makespan.facts import Facts, Stint, gather
from ..gantt.words import number, plural
from .timeline import Bar, Job, Span, Timeline

Steps = tuple[list[Fraction], list[int]]
"""Moments, and how many rings a server hosts from each of them on."""


def ring_timeline(
    instance: MakespanInstance, schedule: Schedule, verdict: Verdict, bound: float | None
) -> Timeline:
    """Return the timeline of a judged schedule."""
    facts = gather(instance, schedule, verdict, None)
    runs = {run.job.name: run for run in runs_of(instance, schedule)}
    hosted = _hosted(facts)
    jobs = [_job(instance, stint, runs[stint.job.name], hosted) for stint in facts.stints]
    bars = [
        Bar(
            job=i,
            band=server,
            start=stint.start,
            end=stint.end,
            units=count,
            what=plural(count, "GPU"),
        )
        for i, stint in enumerate(facts.stints)
        for server, count in stint.pieces
    ]
    return Timeline(
        machines=tuple((server.name, server.gpus) for server in facts.servers),
        jobs=tuple(jobs),
        bars=tuple(bars),
        unit="slots" if facts.slot_s == "1" else f"slots of {facts.slot_s} s",
        rate="iterations per slot",
        line=verdict.makespan,
        bound=bound,
    )


def _job(instance: MakespanInstance, stint: Stint, run: RingRun, hosted: dict[int, Steps]) -> Job:
    pace = pace_of(instance, run)
    where = "inside one server" if not stint.is_ring else plural(len(stint.pieces), "server")
    return Job(
        name=stint.job.name,
        about=f"{plural(stint.gpus, 'GPU')}, {where}, {stint.job.iterations:,} iterations",
        start=stint.start,
        end=stint.end,
        spans=tuple(
            Span(
                start=span.start,
                end=span.end,
                rate=float(pace.iterations_per_slot(span.slowdown)),
                contention=_contention(stint, span.start, span.end, span.slowdown, hosted),
                lost=lost_part(float(span.slowdown)),
            )
            for span in stint.spans
        ),
    )


def _contention(
    stint: Stint, start: Fraction, end: Fraction, slowdown: Fraction, hosted: dict[int, Steps]
) -> str:
    """Say how many rings share the busiest of a ring's servers, and what that costs."""
    if not stint.is_ring:
        return "contention: none, the ring stays inside its server"
    rings = max(_most(hosted[server], start, end) for server, _ in stint.pieces)
    return f"contention: {plural(rings, 'ring')} on its busiest server, slowdown {number(slowdown)}"


def _hosted(facts: Facts) -> dict[int, Steps]:
    """Return the number of rings on every server over time."""
    changes: dict[int, dict[Fraction, int]] = {}
    for stint in facts.stints:
        for server, by, moment in _changes(stint):
            there = changes.setdefault(server, {})
            there[moment] = there.get(moment, 0) + by
    found = {}
    for server, there in changes.items():
        moments, counts, rings = sorted(there), [], 0
        for moment in moments:
            rings += there[moment]
            counts.append(rings)
        found[server] = moments, counts
    return found


def _changes(stint: Stint) -> Iterator[tuple[int, int, Fraction]]:
    if stint.is_ring:
        for server, _ in stint.pieces:
            yield server, 1, stint.start
            if stint.end is not None:
                yield server, -1, stint.end


def _most(steps: Steps, start: Fraction, end: Fraction) -> int:
    """Return the most rings from one moment to another."""
    moments, counts = steps
    return max(counts[bisect_right(moments, start) - 1 : bisect_left(moments, end)])
