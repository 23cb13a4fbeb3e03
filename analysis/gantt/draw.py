"""From a judged schedule to a file with its picture."""

from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...instances.errors import InputError, MissingError, Problem, RefusedError, shorten
from ...instances.reading.files import AnySchedule, Instance
from ...instances.writing import write_whole
from ..check import AnyVerdict
from .fleet import FleetFacts, gather_fleet, lay_out_fleet, to_fleet_page
from .makespan.facts import Facts, gather
from .makespan.layout import lay_out
from .page import to_page
from .shapes import Picture
from .slots import SlotFacts, gather_slots, lay_out_slots, to_slots_page
from .svg import to_svg
from .trace import TraceFacts, gather_trace, lay_out_trace, to_trace_page
from .transfers import TransferFacts, gather_transfers, lay_out_transfers, to_transfers_page

AnyFacts = Facts | SlotFacts | TraceFacts | FleetFacts | TransferFacts

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


TIMELESS = {
    "rental": (
        "a plan of widths has no times to draw; draw what budgets buy with "
        "ringyard rent {} --plot curve.svg, or solve a fleet"
    ),
    "coded": "a code has no times to draw; see what it gains with ringyard code {}",
    "shuffle": "messages have no times to draw; see what they cost with ringyard shuffle {}",
}
"""Families whose schedules say nothing of when: why, and what to do."""


def refuse_timeless(instance: Instance) -> None:
    """Refuse an instance whose schedules say nothing of when.

    Call this before long work whose result is to be drawn.

    Raises:
        RefusedError: If there is no chart of its schedules.
    """
    if instance.kind in TIMELESS:
        raise RefusedError(f"{instance.name}: {TIMELESS[instance.kind].format(instance.name)}")


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
    form, facts = gantt_format(path), _gather(instance, schedule, verdict, bound)
    picture = _lay_out(facts)
    if form == "svg":
        return write_whole(path, to_svg(picture).encode())
    if form == "html":
        return write_whole(path, _page(facts, picture).encode())
    from .plot import to_plot

    return write_whole(path, to_plot(picture, form))


def gantt_picture(
    instance: Instance, schedule: AnySchedule, verdict: AnyVerdict, bound: Fraction | None = None
) -> Picture:
    """Return the picture of a schedule, for a page that writes it itself."""
    return _lay_out(_gather(instance, schedule, verdict, bound))


def _gather(instance: Any, schedule: Any, verdict: Any, bound: Fraction | None) -> AnyFacts:
    refuse_timeless(instance)
    known: Any = {
        "makespan": gather,
        "trace": gather_trace,
        "fleet": gather_fleet,
        "transfers": gather_transfers,
    }
    facts: AnyFacts = known.get(instance.kind, gather_slots)(instance, schedule, verdict, bound)
    return facts


def _lay_out(facts: AnyFacts) -> Picture:
    if isinstance(facts, Facts):
        return lay_out(facts)
    if isinstance(facts, FleetFacts):
        return lay_out_fleet(facts)
    if isinstance(facts, TransferFacts):
        return lay_out_transfers(facts)
    return lay_out_trace(facts) if isinstance(facts, TraceFacts) else lay_out_slots(facts)


def _page(facts: AnyFacts, picture: Picture) -> str:
    if isinstance(facts, Facts):
        return to_page(facts, picture)
    if isinstance(facts, TraceFacts):
        return to_trace_page(facts, picture)
    if isinstance(facts, FleetFacts):
        return to_fleet_page(facts, picture)
    if isinstance(facts, TransferFacts):
        return to_transfers_page(facts, picture)
    return to_slots_page(facts, picture)
