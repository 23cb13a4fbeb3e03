"""Gantt charts of servers over time, from a judged schedule to an image file.

A timeline (`analysis/timeline/`) is laid out in plain shapes and painted as SVG by Ringyard's
writer, also inside an HTML page, or as PNG or PDF by matplotlib. `slots.py` lays out families with
slots. Each of the other families has a file or folder of its name.
"""

from collections.abc import Callable
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
from ..timeline import Timeline

FORMATS = ("svg", "png", "pdf", "html")
"""Suffixes that name a format."""


class Chart(NamedTuple):
    """The steps from a judged schedule to its timeline, its picture and its page."""

    timeline: Callable[[Any, Any, Any, Fraction | None], Timeline]
    """A function, usually a class, of instance, schedule, verdict, and a bound or None."""
    lay_out: Callable[[Any], Picture]
    page: Callable[[Any, Picture], str]


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


def gantt_picture(
    instance: Instance, schedule: AnySchedule, verdict: AnyVerdict, bound: Fraction | None = None
) -> Picture:
    """Return the picture of a schedule, for a page that writes it itself."""
    chart = chart_of(instance)
    return chart.lay_out(chart.timeline(instance, schedule, verdict, bound))
