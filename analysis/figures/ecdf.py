"""Which part of the jobs is done within a time (ECDF of job completion times)."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from math import inf
from typing import Any

from ...families import FAMILIES, family_of
from ...instances import AnySchedule, Instance
from ...instances.errors import InputError, Problem, Words
from ..charts import Axis, Panel, Point, series_of
from ..check import check
from ..rows import Row
from .together import all_answered


def completion_times(instance: Instance, verdict: Any) -> list[float]:
    """Return for each job the time from its release, or arrival, to its end; inf for none.

    What counts as a job, and in which unit, the record of its family says. Of some families
    nothing has an end of its own, and nothing is returned.
    """
    return list(family_of(instance).times(instance, verdict))


def ecdf(
    times: Mapping[str, Sequence[float]],
    *,
    unit: str = "slots",
    noun: str = "job",
    notes: tuple[str, ...] = (),
) -> Panel:
    """Return the share of each method's times up to every moment.

    An infinite time is a job that never completes: it counts among the jobs, and the curve ends
    below 1. Methods without a single time are left out.
    """
    known = {name: values for name, values in times.items() if values}
    finite = [value for values in known.values() for value in values if value != inf]
    ends = (min(finite, default=1.0), max(finite, default=1.0))
    series = series_of({name: _rise(values, *ends) for name, values in known.items()}, "steps")
    return Panel(
        about=f"share of {noun}s completed within a time, by method",
        x=Axis(title=f"{noun} completion time ({unit})", log=True),
        y=Axis(title=f"share of {noun}s completed", low=0, high=1),
        series=tuple(series),
        notes=notes,
    )


def ecdf_of(
    rows: Iterable[Row],
    read: Callable[[Row], tuple[Instance, AnySchedule]],
    *,
    seedless: Collection[str] = (),
) -> Panel:
    """Return the completion times of all jobs of the cases that every method answered.

    `read` gives instance and schedule of a row.
    """
    told = [row for row in rows if row["schedule"]]
    together = all_answered(told, seedless)
    times: dict[str, list[float]] = {}
    for name, runs in together.runs.items():
        answers = [read(row) for row in runs]
        times[name] = [
            time
            for instance, schedule in answers
            for time in completion_times(instance, check(instance, schedule))
        ]
    if not any(times.values()):
        found, expected = Words("jobs without an end of their own"), "jobs with one"
        raise InputError("figure", [Problem("rows", found, expected, "choose other instances")])
    return ecdf(times, unit=unit_of(told), noun=noun_of(told), notes=(together.note,))


def unit_of(rows: Iterable[Row]) -> str:
    """Return what completion times are counted in."""
    (family,) = {row["family"] for row in rows}
    return FAMILIES[family].unit or "slots"


def noun_of(rows: Iterable[Row]) -> str:
    """Return what it is that completes."""
    (family,) = {row["family"] for row in rows}
    return FAMILIES[family].item


def _rise(values: Sequence[float], first: float, end: float) -> tuple[Point, ...]:
    counts = sorted(Counter(value for value in values if value != inf).items())
    totals = accumulate(count for _, count in counts)
    steps = [(x, total / len(values)) for (x, _), total in zip(counts, totals, strict=True)]
    start = (steps[0][0] if steps else first, 0.0)
    return start, *steps, (end, steps[-1][1] if steps else 0.0)
