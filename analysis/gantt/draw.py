"""From a judged schedule to a file with its picture."""

from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...families import family_of
from ...instances.errors import InputError, MissingError, Problem, RefusedError, shorten
from ...instances.reading.files import AnySchedule, Instance
from ...instances.writing import write_whole
from ..check import AnyVerdict
from .chart import Chart
from .shapes import Picture
from .svg import to_svg

FORMATS = ("svg", "png", "pdf", "html")
"""Suffixes that name a format."""


def gantt_format(path: Path) -> str:
    """Return the format that a file's suffix names, or say why it cannot be drawn.

    Call this before long work whose result is to be drawn.
    """
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        problem = Problem(
            "suffix", path.suffix, "one of .svg, .png, .pdf, .html", "name the file chart.svg"
        )
        raise InputError(str(path), [problem])
    if form in ("png", "pdf") and find_spec("matplotlib") is None:
        raise MissingError(
            f"{shorten(str(path))}: a {form.upper()} chart needs matplotlib, which is not "
            "installed: pip install 'ringyard[plot]'; or draw an .svg or .html file"
        )
    return form


def refuse_timeless(instance: Instance) -> None:
    """Refuse an instance whose schedules say nothing of when.

    Call this before long work whose result is to be drawn.

    Raises:
        RefusedError: If there is no chart of its schedules.
    """
    family = family_of(instance)
    if family.chart is None:
        raise RefusedError(f"{instance.name}: {family.chartless.format(instance.name)}")


def draw_gantt(
    instance: Instance,
    schedule: AnySchedule,
    verdict: AnyVerdict,
    path: Path,
    bound: Fraction | None = None,
) -> None:
    """Draw a schedule, valid or not, in the format that the suffix of `path` names.

    `verdict` is the judge's on this schedule; `bound` is a certified bound on the objective.
    """
    form, (chart, facts) = gantt_format(path), _gather(instance, schedule, verdict, bound)
    picture = chart.lay_out(facts)
    if form == "svg":
        return write_whole(path, to_svg(picture).encode())
    if form == "html":
        return write_whole(path, chart.page(facts, picture).encode())
    from .plot import to_plot

    return write_whole(path, to_plot(picture, form))


def gantt_picture(
    instance: Instance, schedule: AnySchedule, verdict: AnyVerdict, bound: Fraction | None = None
) -> Picture:
    """Return the picture of a schedule, for a page that writes it itself."""
    chart, facts = _gather(instance, schedule, verdict, bound)
    return chart.lay_out(facts)


def _gather(
    instance: Instance, schedule: Any, verdict: Any, bound: Fraction | None
) -> tuple[Chart, Any]:
    refuse_timeless(instance)
    chart: Chart = family_of(instance).chart
    return chart, chart.gather(instance, schedule, verdict, bound)
