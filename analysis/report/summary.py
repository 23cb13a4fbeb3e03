"""One line per method: how often it answered, how fast it is, how far from the bound."""

from collections.abc import Collection, Sequence
from typing import Any

from ...instances.errors import InputError
from ..rows import BOUND, Row
from ..stats.cases import Case, by_method, case_of, for_all_seeds
from ..stats.counts import Counts, count_runs
from ..stats.summary import UNPROVED, Overview, Summary, summary
from .grid import Grid, Heads, columns_of


def latest(rows: Sequence[Row]) -> list[Row]:
    """Return of each method on each case the run that was made last.

    Several differ in what a mean must not mix: version, source, limits.
    """
    found: dict[tuple[str, Case], Row] = {}
    for row in rows:
        place = row["method"], case_of(row)
        if place not in found or found[place]["started"] < row["started"]:
            found[place] = row
    return list(found.values())


def comparable(rows: Sequence[Row], seedless: Collection[str]) -> tuple[list[Row], list[str]]:
    """Return the rows of methods that have cases in common, and the methods that are left out.

    Those that ran most come first; who shares no case with all of them so far is left out. The
    run of a method among the `seedless` stands for every seed.
    """
    table = for_all_seeds(by_method(rows), seedless)
    cases = {method: set(runs) for method, runs in table.items()}
    common: set[Case] = set()
    left_out: list[str] = []
    for method in sorted(cases, key=lambda method: (-len(cases[method]), method)):
        shared = common & cases[method] if common else cases[method]
        if shared:
            common = shared
        else:
            left_out.append(method)
    return [row for row in rows if row["method"] not in left_out], sorted(left_out)


HEADS: Heads = {
    "family": ("family", "text", "problem family"),
    "method": ("method", "text", "method, with the options behind its name"),
    "runs": ("runs", "count", "runs of the method in the campaign"),
    "solved": ("solved", "count", "runs that prove an optimum, or that there is no schedule"),
    "valid": ("valid", "count", "runs with a schedule in which the judge found nothing wrong"),
    "failed": ("failed", "count", "runs that left nothing, wrong ones included"),
    "wrong": ("wrong", "count", "runs with an invalid schedule, or a bound that is refuted"),
    "cases": (
        "cases",
        "count",
        "cases that all methods with means ran; what follows is over these",
    ),
    "seconds": (
        "mean time",
        "seconds",
        "shifted geometric mean of seconds to a solution, shift 10 s; others count as the limit; "
        "none of a method most of whose runs end by themselves without a proof",
    ),
    "scaled": ("scaled", "number", "the same, divided by the least of the methods"),
    "par10": ("PAR10", "seconds", "mean seconds to a solution; others count as ten limits"),
    "own": (
        "mean run",
        "seconds",
        "shifted geometric mean of the seconds that runs took, shift 10 s, however they ended",
    ),
    "ratio": (
        "mean ratio",
        "number",
        "geometric mean of the objective over the best proved bound (or its inverse where much "
        "is good) over the cases that all methods answered",
    ),
    "integral": (
        "primal integral",
        "percent",
        "part of the limit lost to schedules worse than the best known, mean over cases",
    ),
}


def summaries(rows: Sequence[Row], seedless: Collection[str] = ()) -> tuple[Grid, tuple[str, ...]]:
    """Return a line for each method of each family, and why some numbers are missing.

    The run of a method among the `seedless` stands for every seed.
    """
    lines: list[dict[str, Any]] = []
    remarks: list[str] = []
    for family in dict.fromkeys(row["family"] for row in rows):
        mine = [row for row in rows if row["family"] == family]
        if any(row["method"] != BOUND for row in mine):
            lines += _lines(family, mine, seedless, remarks)
    columns = columns_of(HEADS, lines)
    return Grid(name="methods", about="all methods", columns=columns), tuple(remarks)


def _lines(
    family: str, rows: list[Row], seedless: Collection[str], remarks: list[str]
) -> list[dict[str, Any]]:
    """Return the lines of a family; where no means can be had, there are only counts."""
    last = latest(rows)
    if older := len(rows) - len(last):
        remarks.append(f"{family}: {older:,} runs that were made again later are left out")
    shared, others = comparable(last, seedless)
    if others:
        remarks.append(f"{family}: no means of {', '.join(others)}: no case that the others ran")
    try:
        means = _means(family, summary(shared, seedless=seedless, restrict=True), remarks)
    except InputError as error:
        means = {}
        remarks.append(f"{family}: no means, since {error}")
    return [
        _counts(family, method, counts) | means.get(method, {})
        for method, counts in count_runs(last).items()
    ]


def _means(family: str, overview: Overview, remarks: list[str]) -> dict[str, dict[str, Any]]:
    if overview.left_out:
        remarks.append(
            f"{family}: {overview.left_out:,} cases that some method did not run are left out of "
            f"the means, {overview.cases:,} remain; mean ratios are over {overview.together:,}"
        )
    said: dict[str, list[str]] = {}
    for line in overview.methods:
        for text in line.notes:
            said.setdefault(text, []).append(line.method)
    told = (text for text in said if text != UNPROVED)
    remarks.extend(f"{family}: {', '.join(said[text])}: {text}" for text in told)
    return {line.method: _mean(line, overview.cases) for line in overview.methods}


def _mean(line: Summary, cases: int) -> dict[str, Any]:
    return {
        "cases": cases,
        "seconds": line.seconds and line.seconds.value,
        "scaled": line.scaled,
        "par10": line.par10,
        "own": line.own,
        "ratio": line.ratio,
        "integral": line.primal_integral,
    }


def _counts(family: str, method: str, counts: Counts) -> dict[str, Any]:
    named = {name: getattr(counts, name) for name in ("runs", "solved", "valid", "failed", "wrong")}
    return {"family": family, "method": method, **named}
