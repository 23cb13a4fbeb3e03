"""The kinds of figures that rows make, by name."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from ...instances.errors import InputError, Problem, Words
from ..rows import BOUND, WHERE, Row, listed, refuse_mixed
from ..sources import Sources
from ..stats.references import mark_wrong
from .canvas import Figure
from .comparisons import (
    convergence,
    ecdf_of,
    factors_of,
    ratio_profile_of,
    ratios_of,
    time_profile_of,
    tradeoff_of,
)
from .style import LOOKS

KINDS: dict[str, Callable[..., Figure]] = {
    "ecdf": ecdf_of,
    "profile": time_profile_of,
    "profile-ratio": ratio_profile_of,
    "convergence": convergence,
    "tradeoff": tradeoff_of,
    "ratios": ratios_of,
    "factors": factors_of,
}
"""What draws each kind, of rows and `among` all methods, with more for some kinds."""


def figure_of(
    kind: str, rows: Sequence[Row], sources: Sources, *, log_time: bool = False, lead: str = "--"
) -> Figure:
    """Draw the figure of a kind; `lead` stands before the names of columns in errors."""
    refuse_mixed(rows, "family", lead)
    rows = mark_wrong(rows)
    runs = [row for row in rows if row["method"] != BOUND]
    bounds = [row for row in rows if row["method"] == BOUND]
    if kind == "convergence":
        refuse_mixed(rows, "instance", lead)
        runs = first_runs([row for row in runs if row["trajectory"]])
    names = sorted({row["method"] for row in runs})
    if not 0 < len(names) <= len(LOOKS):
        found = Words(f"{len(names):,} of them: {listed(names)}" if names else "no run to draw")
        expected = f"1 to {len(LOOKS)} for a figure"
        raise InputError(WHERE, [Problem(f"{lead}method", found, expected, "choose some")])
    draw, methods = KINDS[kind], sources.methods
    match kind:
        case "convergence":
            return draw(runs + bounds, log_time=log_time, among=methods)
        case "ratios":
            return draw(rows, among=methods)
        case "factors":
            return draw(rows, sources, among=methods)
        case "ecdf":
            return draw(runs, sources.read, seedless=sources.seedless(runs), among=methods)
        case _:
            return draw(runs, seedless=sources.seedless(runs), among=methods)


def first_runs(rows: Sequence[Row]) -> list[Row]:
    """Return of each method the first run: the least seed, the least repetition."""
    first: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: (row["method"], row["seed"], row["repetition"])):
        first.setdefault(row["method"], row)
    return list(first.values())


def scheduled(rows: Sequence[Row], lead: str = "--") -> Row:
    """Return the run whose schedule is drawn: the first of one method on one instance."""
    rows = [row for row in rows if row["schedule"]]
    if not rows:
        problem = Problem("rows", Words("no schedule"), "a run with one", "choose another run")
        raise InputError(WHERE, [problem])
    refuse_mixed(rows, "instance", lead)
    refuse_mixed(rows, "method", lead)
    return first_runs(rows)[0]


def bound_of(row: Row) -> Fraction | None:
    """Return the bound that a run knew."""
    return None if row["bound"] is None else Fraction(str(row["bound"]))
