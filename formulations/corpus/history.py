"""The history of what is known of the corpus: one line for every improvement, never rewritten.

`history.jsonl` holds a point, a bound, a proof, or the certainty that there is no point, each with
its day and where it comes from. `known_of` derives from the lines of a program what is known today,
in any order of the lines. Lines of a program that has changed since are left out.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

HISTORY = Path(__file__).with_name("history.jsonl")

CLOSE = 1e-6
"""Values nearer than this, relative to them or to 1, are considered equal: the solvers'
tolerance."""

DIGEST = 16
"""Characters of a program's digest in a line."""

Certificate = Literal["", "dual", "judge"]
Side = Literal["point", "bound", "proof", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine:
    """An improvement.

    point: a point that was priced in fractions. bound: a certified lower bound. none: it is
    certified that no point exists. proof: a solver's claim that a value is the optimum, or, without
    a value, that there is no point.
    """

    program: str
    digest: str
    """The beginning of the program's digest."""
    date: str
    side: Side
    value: float | None = None
    miss: float = 0.0
    """By which part of its largest number a point misses a row at most, in fractions."""
    certificate: Certificate = ""
    by: str = ""
    """The solver, or `catalogue`."""
    version: str = ""
    seconds: float | None = None
    limit_s: float | None = None
    threads: int = 1


class Known(NamedTuple):
    """The best point and bound of a program, and the solvers that prove the optimum."""

    value: float | None
    miss: float
    source: str
    bound: float | None
    certificate: Certificate
    proofs: tuple[str, ...]
    """The solvers whose claim the best point does not refute."""


def close(one: float, other: float, tolerance: float = CLOSE) -> bool:
    """Return True if two values are considered equal."""
    return abs(one - other) <= tolerance * max(1.0, abs(other))


def known_of(lines: Iterable[HistoryLine]) -> Known:
    """Return what is known of a program by its lines."""
    lines = list(lines)
    best = best_point_line(lines)
    value = None if best is None else best.value
    bound, certificate = best_bound(lines)
    none = [one.certificate for one in lines if one.side == "none"]
    if none and value is None:
        bound, certificate = None, none[0]
    proofs = {one.by for one in lines if one.side == "proof" and _agrees(one, value)}
    miss, source = (0.0, "") if best is None else (best.miss, best.by)
    return Known(value, miss, source, bound, certificate, tuple(sorted(proofs)))


def best_bound(lines: Iterable[HistoryLine]) -> tuple[float | None, Certificate]:
    """Return the best certified bound and its certificate."""
    bounds = [one for one in lines if one.side == "bound" and one.value is not None]
    best = max(bounds, key=lambda one: (one.value, one.certificate), default=None)
    return (None, "") if best is None else (best.value, best.certificate)


def best_point_line(lines: Iterable[HistoryLine]) -> HistoryLine | None:
    """Return the line of the best point: of those close to the least value, the exactest.

    A point that misses rows within the solvers' tolerance may owe as much of its value to the
    misses. So it is no better than one that holds and is worse by no more than the tolerance.
    """
    points = [(one.value, one) for one in lines if one.side == "point" and one.value is not None]
    if not points:
        return None
    least = min(value for value, _ in points)
    near = [(one.miss, value, one.date, one) for value, one in points if close(value, least)]
    return min(near, key=lambda found: found[:3])[3]


def _agrees(line: HistoryLine, value: float | None) -> bool:
    if line.value is None or value is None:
        return line.value is None and value is None
    return close(line.value, value)


def line_text(line: HistoryLine) -> str:
    """Return the text of a line, without values that are left at their defaults."""
    usual = {field.name: field.default for field in fields(HistoryLine)}
    row = {name: value for name, value in asdict(line).items() if value != usual[name]}
    return json.dumps(row, separators=(",", ":"))


def history_of(text: str) -> dict[str, list[HistoryLine]]:
    """Return the lines of a history by program."""
    found: dict[str, list[HistoryLine]] = {}
    for line in text.splitlines():
        row: dict[str, Any] = json.loads(line)
        found.setdefault(row["program"], []).append(HistoryLine(**row))
    return found


@cache
def history() -> dict[str, list[HistoryLine]]:
    """Return the history that comes with Ringyard, by program."""
    return history_of(HISTORY.read_text(encoding="utf-8"))


def history_of_entry(name: str, digest: str) -> list[HistoryLine]:
    """Return the lines about a program as it is now, by date."""
    lines = [one for one in history().get(name, ()) if digest.startswith(one.digest)]
    return sorted(lines, key=lambda one: one.date)


HEADERS = ("date", "what", "value", "by", "version", "seconds")
"""The heads of a table of lines."""

SIDES = {
    "point": "point",
    "bound": "certified bound",
    "none": "certified: no point",
    "proof": "claimed optimum",
}
"""How the table names the sides."""


def shown_line(line: HistoryLine) -> list[str]:
    """Return the cells of a line."""
    value = "" if line.value is None else f"{line.value:.10g}"
    seconds = "" if line.seconds is None else f"{line.seconds:g}"
    by = line.by or {"dual": "duals", "judge": "the instance's bound"}[line.certificate]
    return [line.date, SIDES[line.side], value, by, line.version, seconds]
