"""What is said of a schedule and its jobs: headline, tooltips, units of time."""

from fractions import Fraction

from ....instances.errors import visible
from ..words import fit, number, percent, plural
from .facts import TraceBars, TraceFacts

UNITS = ((86_400, "days"), (3600, "hours"), (1, "s"))
LEAST = 4
"""A unit is used from so many of it on."""


def headline(facts: TraceFacts) -> str:
    """Say in one line what was scheduled, how, and how well."""
    parts = [fit(facts.instance, 16, 480), fit(facts.method, 16, 260), mean_words(facts)]
    if facts.bound is not None:
        parts.append(f"bound {number(facts.bound)} s")
    if facts.gap is not None:
        parts.append(f"gap {percent(facts.gap)}")
    return " · ".join(filter(None, parts))


def mean_words(facts: TraceFacts) -> str:
    """Say the mean completion time, or how many jobs end at all."""
    if facts.mean_jct is not None:
        return f"mean completion time {number(facts.mean_jct)} s"
    ended = sum(job.end is not None for job in facts.jobs)
    return f"{ended:,} of {plural(len(facts.jobs), 'job')} end"


def time_unit(horizon: int, tick: Fraction) -> tuple[float, str]:
    """Return a unit of time that suits a length: its ticks, and its name."""
    seconds = float(horizon * tick)
    size, name = next((unit for unit in UNITS if seconds >= LEAST * unit[0]), UNITS[-1])
    return float(size / tick), name


def moment(facts: TraceFacts, ticks: int) -> str:
    """Say a number of ticks in seconds."""
    return f"{number(ticks * facts.tick)} s"


def tooltip(job: TraceBars, facts: TraceFacts) -> str:
    """Describe a job in a few lines."""
    lines = [f"{visible(job.name)}: {plural(job.gpus, 'GPU')}, arrives at"]
    lines[0] += f" {moment(facts, job.arrival)}"
    if not job.runs:
        return "\n".join([*lines, "never runs"])
    lines.append(
        f"{plural(len(job.runs), 'run')}, the first from {moment(facts, job.runs[0].start)}"
    )
    if any(run.run.half for run in job.runs):
        lines.append("shares its GPUs in part of the time")
    if job.end is None:
        return "\n".join([*lines, "never ends"])
    took = moment(facts, job.end - job.arrival)
    return "\n".join([*lines, f"ends at {moment(facts, job.end)}, {took} after it came"])
