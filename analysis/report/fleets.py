"""The timeline of a `fleet` log: who holds how many GPUs when, by type, as the judge has it."""

from fractions import Fraction

from ...instances import FleetInstance, FleetJob, FleetLog
from ..check import FleetVerdict
from ..check.fleet.timeline import FleetHolding, lives_of
from ..check.trace.ticks import Ticks
from ..gantt.words import number, plural
from .timeline import Bar, Job, Span, Timeline

MOST_LANES = 1000
"""Lanes of all bars that are there at once, about; a GPU has up to ten of them."""


def fleet_timeline(
    instance: FleetInstance, log: FleetLog, verdict: FleetVerdict, _: float | None = None
) -> Timeline:
    """Return the timeline of a judged log in hours: a band for each type of jobs."""
    ticks = Ticks(instance.tick_s)
    lives = {life.job.name: life for life in lives_of(instance, log, ticks)}
    place = {one.name: i for i, one in enumerate(instance.types)}
    most = max(float(lease.gpus) for lease in log.leases)
    lanes = max(1, min(10, int(MOST_LANES / most)))
    restart, hour = ticks.at(instance.rescale_s), 3600 / ticks.seconds
    jobs: list[Job] = []
    bars: list[Bar] = []
    for job in instance.jobs:
        held = lives[job.name].held if job.name in lives else []
        if not held:
            continue
        bars += [
            Bar(
                job=len(jobs),
                band=place[job.type],
                start=one.start / hour,
                end=one.stop / hour,
                units=max(1, round(lanes * float(one.gpus))),
                what=_gpus(one),
            )
            for one in held
        ]
        jobs.append(_job(job, held, verdict.ends.get(job.name), restart, hour))
    shown = f"{plural(len(jobs), 'job')} of {plural(len(instance.types), 'type')}"
    return Timeline(
        machines=tuple((one.name, 0) for one in instance.types),
        jobs=tuple(jobs),
        bars=tuple(bars),
        unit="h",
        rate="GPUs",
        size=f"{shown}, as high as they have GPUs",
    )


def _gpus(held: FleetHolding) -> str:
    return plural(int(held.gpus), "GPU") if held.gpus % 1 == 0 else f"{number(held.gpus)} GPUs"


def _job(
    job: FleetJob, held: list[FleetHolding], end: Fraction | None, restart: int, hour: Fraction
) -> Job:
    arrival = Fraction(job.arrival_s) / 3600
    took = "never ends" if end is None else f"took {number(end / 3600 - arrival)} h"
    spans = []
    for place, one in enumerate(held):
        works = min(one.stop, one.start + restart) if place else one.start
        parts = (one.start, works, 0.0, "restarts"), (works, one.stop, float(one.gpus), "works")
        spans += [
            Span(start=start / hour, end=stop / hour, rate=gpus, contention=words)
            for start, stop, gpus, words in parts
            if stop > start
        ]
    return Job(
        name=job.name,
        about=f"type {job.type}, arrives at {number(arrival)}, {plural(len(held), 'run')}, {took}",
        start=held[0].start / hour,
        end=None if end is None else end / 3600,
        spans=tuple(spans),
    )
