"""Gantt charts of servers over time, from a judged schedule to an image file.

A timeline (`analysis/timeline/`) is laid out in plain shapes and painted as SVG by Ringyard's
writer, also inside an HTML page, or as PNG or PDF by matplotlib. `slots.py` lays out families with
slots. Each of the other families has a file or folder of its name.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from ...families.registry import family_of
from ...instances.errors import RefusedError
from ...instances.reading.vocabulary import AnySchedule, Instance
from ...instances.writing import write_whole
from ..check.judge import AnyVerdict
from ..drawing.paint import form_of, painted
from ..drawing.shapes import Picture
from ..tables.model import Table
from ..tables.notations import to_csv
from ..timeline import Timeline

FORMATS = ("svg", "png", "pdf", "html")
GROUP_FORMATS = ("svg", "png", "pdf", "csv")
"""Suffixes that name a format, of a chart and of the GPUs of groups."""


class Chart(NamedTuple):
    """The steps from a judged schedule to its timeline, its picture and its page."""

    timeline: Callable[[Any, Any, Any, Fraction | None], Timeline]
    """A function, usually a class, of instance, schedule, verdict, and a bound or None."""
    lay_out: Callable[[Any], Picture]
    page: Callable[[Any, Picture], str]
    groups: Callable[[Any], Picture] | None = None
    """The GPUs of groups of jobs over time, drawn."""
    group_table: Callable[[Any], Table] | None = None
    """The same as numbers, without rows if no job has a group."""


def gantt_format(path: Path) -> str:
    """Return the format of a file's suffix, or raise the reason why it cannot be drawn.

    Call this before long computations whose result will be drawn. Records in `families/` name the
    charts.
    """
    return form_of(path, FORMATS, "chart")


def chart_of(instance: Instance) -> Chart:
    """Return the chart of an instance's schedules, and refuse a family without timelines.

    Call this before long computations whose result will be drawn.

    Raises:
        RefusedError: If the family has no chart.
    """
    family = family_of(instance)
    if isinstance(family.chart, Chart):
        return family.chart
    raise RefusedError(f"{instance.name}: {family.chartless.format(instance.name)}")


def draw_gantt(
    instance: Instance,
    schedule: AnySchedule,
    verdict: AnyVerdict,
    path: Path,
    bound: Fraction | None = None,
) -> None:
    """Draw a schedule, valid or not, in the format given by the suffix of `path`.

    `verdict` is the judge's verdict on this schedule. `bound` is a proved bound on the objective.
    """
    form, chart = gantt_format(path), chart_of(instance)
    timeline = chart.timeline(instance, schedule, verdict, bound)
    picture = chart.lay_out(timeline)
    made = chart.page(timeline, picture).encode() if form == "html" else painted(picture, form)
    write_whole(path, made)


def draw_change(
    before: tuple[Instance, AnySchedule, Any],
    after: tuple[Instance, AnySchedule, Any],
    marks: Mapping[str, str],
    path: Path,
) -> None:
    """Draw an old plan above a new one, on one scale of time.

    Jobs have the colours of their `marks`, such as "on other GPUs", if the family's chart has
    room for single jobs.
    """
    form = form_of(path, FORMATS[:3], "chart")
    chart = chart_of(after[0])
    last = max(max(one[2].ends.values(), default=0) for one in (before, after))
    last /= Fraction(getattr(after[0], "tick_s", 1))
    old, new = (
        chart.lay_out(replace(chart.timeline(*one, None), marks=marks, until=last))
        for one in (before, after)
    )
    write_whole(path, painted(old.above(new), form))


def gantt_picture(
    instance: Instance, schedule: AnySchedule, verdict: AnyVerdict, bound: Fraction | None = None
) -> Picture:
    """Return the picture of a schedule, for a page that writes it itself."""
    chart = chart_of(instance)
    return chart.lay_out(chart.timeline(instance, schedule, verdict, bound))


def group_gpus(
    instance: Instance, schedule: AnySchedule, verdict: AnyVerdict
) -> tuple[Picture, Table]:
    """Return the GPUs that each group of jobs holds over time, as a picture and as numbers.

    Raises:
        RefusedError: If the family or the jobs have no groups.
    """
    chart = family_of(instance).chart
    if not isinstance(chart, Chart) or chart.groups is None or chart.group_table is None:
        raise RefusedError(f"{instance.name}: its jobs cannot have groups. Choose a trace.")
    timeline = chart.timeline(instance, schedule, verdict, None)
    table = chart.group_table(timeline)
    if len(table.columns) < 2:
        raise RefusedError(f"{instance.name}: no job has a group. Import the log with --group.")
    return chart.groups(timeline), table


def write_groups(picture: Picture, table: Table, path: Path) -> None:
    """Write both in the format given by the suffix of `path`."""
    form = form_of(path, GROUP_FORMATS, "groups")
    write_whole(path, to_csv(table).encode() if form == "csv" else painted(picture, form))
