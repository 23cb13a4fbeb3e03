"""`ringyard plot`: a figure of a campaign."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..analysis.charts import Panel, draw_figure, figure_format
from ..analysis.charts.looks import LOOKS
from ..analysis.check import check
from ..analysis.figures.convergence import convergence
from ..analysis.figures.ecdf import ecdf_of
from ..analysis.figures.profile import ratio_profile_of, time_profile_of
from ..analysis.figures.ratios import factors_of, ratios_of
from ..analysis.figures.tradeoff import tradeoff_of
from ..analysis.gantt import draw_gantt, gantt_format
from ..analysis.rows import BOUND, Row
from ..analysis.sources import Sources
from ..analysis.stats.wrong import mark_wrong
from ..campaigns.store import existing
from ..instances.errors import InputError, Problem, Words
from ..outside.entry_points import named
from .shared.choice import ALL_ROWS, Chosen, kind_problems, listed, refuse_mixed, rows_of
from .shared.options import place_problems, written
from .shared.sources import sources_of

KINDS = {
    "gantt": "one schedule",
    "ecdf": "completion times of jobs",
    "profile": "performance profiles on time",
    "profile-ratio": "performance profiles on objectives",
    "convergence": "objective and bound over time",
    "tradeoff": "time against quality",
    "ratios": "ratios to bounds",
    "factors": "ratios to proved factors",
}

GROUP = "ringyard.figures"
"""Entry points of this group are figures of other packages: a function of rows and sources each,
which gives a `Panel`."""


def plot_command(
    folder: Path,
    /,
    *,
    kind: str,
    out: Path,
    choice: Chosen = ALL_ROWS,
    log_time: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Draw a figure of a campaign's rows.

    Parameters
    ----------
    folder
        Folder of a campaign, as `ringyard run` makes it.
    kind
        One schedule (gantt), completion times of jobs (ecdf), performance profiles on time
        (profile) or on objectives (profile-ratio), objective and bound over time (convergence),
        time against quality (tradeoff), ratios to bounds (ratios) or to proved factors (factors);
        or one of another package, from `ringyard list figures`.
    out
        Write this file: .svg, .pdf or .png; a gantt also .html.
    log_time
        With convergence: a logarithmic axis of time.
    """
    _refuse(kind, out, folder)
    store = existing(folder)
    rows, sources = choice.rows(rows_of(store)), sources_of(store)
    with written(out):
        if kind == "gantt":
            _draw_schedule(sources, rows, out)
        else:
            if kind in KINDS:
                panel = _panel(kind, rows, sources, log_time)
            else:
                panel = _outside(kind, rows, sources)
            draw_figure(panel, out)
    return 0


def _refuse(kind: str, out: Path, folder: Path) -> None:
    problems = place_problems("--out", str(folder), out)
    problems += kind_problems("--kind", kind, [*KINDS, *named(GROUP)], "ringyard plot")
    if problems:
        raise InputError("ringyard plot", problems)
    if kind == "gantt":
        gantt_format(out)
    else:
        figure_format(out)


def _first_runs(rows: list[Row]) -> list[Row]:
    """Return of each method the first run: the least seed, the least repetition."""
    first: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: (row["method"], row["seed"], row["repetition"])):
        first.setdefault(row["method"], row)
    return list(first.values())


def _draw_schedule(sources: Sources, rows: list[Row], out: Path) -> None:
    """Draw the schedule of one run, the first of its seeds."""
    rows = [row for row in rows if row["schedule"]]
    if not rows:
        problem = Problem("rows", Words("no schedule"), "a run with one", "choose another run")
        raise InputError("rows of the campaign", [problem])
    refuse_mixed(rows, "instance")
    refuse_mixed(rows, "method")
    first = _first_runs(rows)[0]
    instance, schedule = sources.read(first)
    bound = None if first["bound"] is None else Fraction(str(first["bound"]))
    draw_gantt(instance, schedule, check(instance, schedule), out, bound)


def _outside(kind: str, rows: list[Row], sources: Sources) -> Panel:
    """Return a figure of another package."""
    one = named(GROUP)[kind]
    found: Panel = one.guard(one.load(Callable), Panel)(rows, sources)
    return found


def _panel(kind: str, rows: list[Row], sources: Sources, log_time: bool) -> Panel:

    refuse_mixed(rows, "family")
    rows = mark_wrong(rows)
    runs = [row for row in rows if row["method"] != BOUND]
    bounds = [row for row in rows if row["method"] == BOUND]
    if kind == "convergence":
        refuse_mixed(rows, "instance")
        runs = _first_runs([row for row in runs if row["trajectory"]])
    _refuse_many(runs)
    seedless = sources.seedless(runs)
    draw: dict[str, Callable[[], Panel]] = {
        "ecdf": lambda: ecdf_of(runs, sources.read, seedless=seedless),
        "profile": lambda: time_profile_of(runs, seedless=seedless),
        "profile-ratio": lambda: ratio_profile_of(runs, seedless=seedless),
        "convergence": lambda: convergence(runs + bounds, log_time=log_time),
        "tradeoff": lambda: tradeoff_of(runs, seedless=seedless),
        "ratios": lambda: ratios_of(rows),
        "factors": lambda: factors_of(rows, sources),
    }
    return draw[kind]()


def _refuse_many(rows: list[Row]) -> None:
    """Refuse more methods than a figure can tell apart, and none at all."""
    names = sorted({row["method"] for row in rows})
    if not 0 < len(names) <= len(LOOKS):
        found = Words(f"{len(names):,} of them: {listed(names)}" if names else "no run to draw")
        expected = f"1 to {len(LOOKS)} for a figure"
        raise InputError(
            "rows of the campaign", [Problem("--method", found, expected, "choose some")]
        )
