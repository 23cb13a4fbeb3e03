"""One line per method: how often it answered, how fast it is, how far from the bound."""

from collections.abc import Sequence
from typing import Any

from ...instances.errors import InputError
from ..rows import Row
from ..stats.cases import BOUND
from ..stats.counts import Counts, count_runs
from ..stats.summary import Overview, Summary, summary
from .grid import Column, Form, Grid

HEADS: dict[str, tuple[str, Form, str]] = {
    "family": ("family", "text", "problem family"),
    "method": ("method", "text", "method, with the options behind its name"),
    "runs": ("runs", "count", "runs of the method in the campaign"),
    "solved": ("solved", "count", "runs that prove an optimum, or that there is no schedule"),
    "valid": ("valid", "count", "runs with a schedule in which the judge found nothing wrong"),
    "failed": ("failed", "count", "runs that left nothing, wrong ones included"),
    "wrong": ("wrong", "count", "runs with an invalid schedule, or a bound that is refuted"),
    "cases": ("cases", "count", "what all methods of the family ran; what follows is over these"),
    "seconds": (
        "mean time",
        "seconds",
        "shifted geometric mean of seconds to a solution, shift 10 s; others count as the limit",
    ),
    "scaled": ("scaled", "number", "the same, divided by the least of the methods"),
    "par10": ("PAR10", "seconds", "mean seconds to a solution; others count as ten limits"),
    "ratio": (
        "mean ratio",
        "number",
        "geometric mean of the objective over the best certified bound (or its inverse where much "
        "is good) over the cases that all methods answered",
    ),
    "integral": (
        "primal integral",
        "percent",
        "part of the limit lost to schedules worse than the best known, mean over cases",
    ),
}
"""Head, form and meaning of every column."""


def summaries(rows: Sequence[Row]) -> tuple[Grid, tuple[str, ...]]:
    """Return a line for each method of each family, and why some numbers are missing."""
    lines: list[dict[str, Any]] = []
    remarks: list[str] = []
    for family in dict.fromkeys(row["family"] for row in rows):
        mine = [row for row in rows if row["family"] == family and row["method"] != BOUND]
        if mine:
            lines += _lines(family, mine, remarks)
    columns = tuple(
        Column(
            name=name, head=head, form=form, about=about, values=[line.get(name) for line in lines]
        )
        for name, (head, form, about) in HEADS.items()
    )
    return Grid(name="methods", about="all methods", columns=columns), tuple(remarks)


def _lines(family: str, rows: list[Row], remarks: list[str]) -> list[dict[str, Any]]:
    """Return the lines of a family; without cases that all ran there are only counts."""
    counted = count_runs(rows)
    try:
        overview = summary(rows, restrict=True)
    except InputError as error:
        remarks.append(f"{family}: no means, since {error}")
        return [_counts(family, method, counts) for method, counts in counted.items()]
    if overview.left_out:
        remarks.append(
            f"{family}: {overview.left_out:,} cases that some method did not run are left out of "
            f"the means, {overview.cases:,} remain; mean ratios are over {overview.together:,}"
        )
    for line in overview.methods:
        remarks.extend(f"{family}: {line.method}: {text}" for text in line.notes)
    return [
        _counts(family, line.method, counted[line.method]) | _means(line, overview)
        for line in overview.methods
    ]


def _counts(family: str, method: str, counts: Counts) -> dict[str, Any]:
    named = {name: getattr(counts, name) for name in ("runs", "solved", "valid", "failed", "wrong")}
    return {"family": family, "method": method, **named}


def _means(line: Summary, overview: Overview) -> dict[str, Any]:
    return {
        "cases": overview.cases,
        "seconds": line.seconds and line.seconds.value,
        "scaled": line.scaled,
        "par10": line.par10,
        "ratio": line.ratio,
        "integral": line.primal_integral,
    }
