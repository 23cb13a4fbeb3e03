"""What is said of a log and its jobs: headline and tooltips."""

from fractions import Fraction

from ....instances.errors import visible
from ..words import fit, number, percent, plural
from .facts import FleetBars, FleetFacts


def headline(facts: FleetFacts) -> str:
    """Say in one line what was rented, how, and how well."""
    parts = [fit(facts.instance, 16, 400), fit(facts.method, 16, 200), mean_words(facts)]
    if facts.bound is not None:
        parts.append(f"bound {hours(facts.bound)}")
    if facts.gap is not None:
        parts.append(f"gap {percent(facts.gap)}")
    parts.append(f"{percent(facts.spend_part)} of the budget")
    return " · ".join(filter(None, parts))


def mean_words(facts: FleetFacts) -> str:
    """Say the mean completion time, or how many jobs end at all."""
    if facts.mean_jct is not None:
        return f"mean completion time {hours(facts.mean_jct)}"
    ended = sum(job.end is not None for job in facts.jobs)
    return f"{ended:,} of {plural(len(facts.jobs), 'job')} end"


def hours(value: Fraction) -> str:
    """Write a time in hours with four digits, as many as means are worth."""
    return f"{float(value):,.4g} h"


def widths(job: FleetBars) -> str:
    """Say how many GPUs a job has, run by run."""
    told = [number(run.gpus) for run in job.runs[:8]]
    return ", ".join(told) + (", …" if len(job.runs) > 8 else "")


def tooltip(job: FleetBars, facts: FleetFacts) -> str:
    """Describe a job in a few lines."""
    arrival = hours(facts.hours(job.arrival))
    lines = [f"{visible(job.name)}, {visible(facts.types[job.kind])}: arrives at {arrival}"]
    if not job.runs:
        return "\n".join([*lines, "never runs"])
    first = hours(facts.hours(job.runs[0].start))
    lines.append(f"{plural(len(job.runs), 'run')} from {first} on, with GPUs: {widths(job)}")
    if job.end is None:
        return "\n".join([*lines, "never ends"])
    took = hours(facts.hours(job.end - job.arrival))
    return "\n".join([*lines, f"ends at {hours(facts.hours(job.end))}, {took} after it came"])
