"""Which schedules the page shows, and each of them as data."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from ...families import FAMILIES, family_of
from ...instances import AnySchedule, Instance
from ...instances.errors import ABSENT, InputError, Problem
from ..check import check
from ..drawing.words import number, percent, plural
from ..rows import Row
from ..sources import Read
from ..stats.references import Key, best_bounds, key_of, sign_of
from ..timeline import Lives
from .matrix import gap, name_of
from .timeline import plain

MOST_BARS = 20_000
"""A schedule with more bars is left out: the page would grow by megabytes."""


def schedules(rows: Sequence[Row], read: Read, most: int) -> tuple[list[dict[str, Any]], str]:
    """Return up to `most` schedules, and say which are left out."""
    ranked = _ranked(rows)
    offered = [row for rank in zip_longest(*ranked) for row in rank if row is not None]
    order = {row["key"]: i for i, row in enumerate(row for some in ranked for row in some)}
    bounds = best_bounds(rows)
    found, large, lost = [], 0, 0
    for row in sorted(offered[:most], key=lambda row: order[row["key"]]):
        try:
            lives = _lives(*read(row), bounds.get(key_of(row)))
        except InputError:
            lost += 1
            continue
        if sum(len(life.bars) for life in lives.jobs) > MOST_BARS:
            large += 1
        else:
            found.append(_shown(row, lives, bounds))
    return found, _left_out(rows, len(found), large, lost)


def _ranked(rows: Sequence[Row]) -> list[list[Row]]:
    """Return for each problem the best run of each method, the best of all first."""
    best: dict[Key, dict[str, Row]] = {}
    for row in rows:
        if row["schedule"] and row["valid"] and FAMILIES[row["family"]].chart:
            known = best.setdefault(key_of(row), {})
            other = known.setdefault(row["method"], row)
            if _rank(row) < _rank(other):
                known[row["method"]] = row
    return [sorted(known.values(), key=_rank) for known in best.values()]


def _rank(row: Row) -> float:
    value: float = sign_of(row) * row["objective"]
    return value


def _lives(instance: Instance, schedule: AnySchedule, bound: float | None) -> Lives:
    verdict: Any = check(instance, schedule)
    if not verdict.valid:
        expected = "what the judge accepts, as the row says"
        raise InputError(schedule.instance, [Problem("schedule", ABSENT, expected, "check it")])
    limit = None if bound is None else Fraction(bound)
    lives: Lives = family_of(instance).chart.timeline(instance, schedule, verdict, limit).lives()
    return lives


def _shown(row: Row, lives: Lives, bounds: dict[Key, float]) -> dict[str, Any]:
    family = FAMILIES[row["family"]]
    value = f"{family.in_full or family.objective} {_value(row['objective'])}"
    value += f" {family.clock}" if family.clock else ""
    bound = bounds.get(key_of(row))
    far = gap(row, bound)
    limit = "" if bound is None else f", certified bound {_value(bound)}, gap {percent(far or 0)}"
    size = f"{plural(len(lives.jobs), 'job')} on {plural(len(lives.machines), 'machine')}"
    run = f"{name_of(row)} by {row['method']}, seed {row['seed']}"
    return {
        "instance": name_of(row),
        "title": f"{row['method']} · {value}",
        "about": f"{run}: {value}{limit}; {lives.size or size}.",
        **plain(lives),
    }


def _value(value: float) -> str:
    """Write an objective, a small one with four digits."""
    return f"{value:.4g}" if 0 < value < 1 else number(value)


def _left_out(rows: Sequence[Row], shown: int, large: int, lost: int) -> str:
    """Say how many schedules of the campaign are not on the page, and why."""
    known = sum(bool(row["schedule"]) for row in rows)
    plans = sum(bool(row["schedule"]) and not FAMILIES[row["family"]].chart for row in rows)
    if shown == known:
        return ""
    words = (
        f"{shown:,} of {plural(known, 'schedule')} are on this page: for every instance the best "
        "run of the best methods, as far as --schedules allows"
    )
    words += f"; {plans:,} are plans, without a timeline" if plans else ""
    words += f"; {lost:,} cannot be read, or are not valid" if lost else ""
    return words + (
        f"; {large:,} with more than {MOST_BARS:,} bars are left out." if large else "."
    )
