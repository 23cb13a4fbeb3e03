"""From a judged schedule to a file with its picture."""

from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

from ...instances.errors import InputError, MissingError, Problem, shorten
from ...instances.files import write_whole
from ...instances.makespan import MakespanInstance
from ...instances.schedule import Schedule
from ..check import Verdict
from .facts import Facts, gather
from .layout import lay_out
from .page import to_page
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


def draw_gantt(
    instance: MakespanInstance,
    schedule: Schedule,
    verdict: Verdict,
    path: Path,
    bound: Fraction | None = None,
) -> None:
    """Draw a schedule, valid or not, in the format that the suffix of `path` names.

    `verdict` is the judge's on this schedule; `bound` is a certified lower bound.
    """
    painters: dict[str, Callable[[Facts], bytes]] = {
        "svg": lambda facts: to_svg(lay_out(facts)).encode(),
        "html": lambda facts: to_page(facts, lay_out(facts)).encode(),
        "png": lambda facts: _plotted(facts, "png"),
        "pdf": lambda facts: _plotted(facts, "pdf"),
    }
    paint = painters[gantt_format(path)]
    write_whole(path, paint(gather(instance, schedule, verdict, bound)))


def _plotted(facts: Facts, form: str) -> bytes:
    from .plot import to_plot

    return to_plot(lay_out(facts), form)
