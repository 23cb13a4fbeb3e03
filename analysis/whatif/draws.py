"""Means over several draws of random outages, with Student's intervals over the draws."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from math import inf
from statistics import fmean
from typing import Any

import numpy as np

from ..intervals import FEWEST, Interval, mean_above, mean_share, ratio_of_sums
from ..rows import COLUMNS, Row, by_key
from ..stats.references import best_bounds, key_of
from ..tables.model import Cell
from ..trace.parts import PartMetrics
from .cases import AxisRow, ReplayTimes, place_of

MEANS = (*(name for name, (kind, _) in COLUMNS.items() if kind == "number"), "preemptions")
"""Columns that are averaged over draws."""


def cases_of(
    pairs: Iterable[tuple[Mapping[str, str], Row]],
    rows: Sequence[Row],
    times: Mapping[str, ReplayTimes],
) -> list[AxisRow]:
    """Return a case for each question, with means over its draws and times by row key.

    The bounds are the best over all `rows` and methods. The least bound of a draw holds for all.
    """
    bounds = best_bounds(rows)
    best = {key_of(row): row for row in rows if row["bound"] == bounds.get(key_of(row))}
    found = []
    for drawn in by_key(pairs, lambda pair: place_of(pair[0])).values():
        own = [row for _, row in drawn]
        known = [bounds.get(key_of(row)) for row in own]
        least = min(range(len(own)), key=lambda i: known[i] or 0)
        source = best.get(key_of(own[least]))
        found.append(
            AxisRow(
                at=drawn[0][0],
                row=mean_row(own),
                bound=None if None in known else known[least],
                kind=str(source["bound_kind"]) if source else "",
                times=mean_times([times.get(row["key"]) for row in own]),
                drawn=tuple(own) if len(own) > 1 else (),
            )
        )
    return found


def mean_row(rows: Sequence[Row]) -> Row:
    """Return the means of valid rows, with the texts of the first, or the first without a schedule.

    A number that some rows lack is None.
    """
    first = next((row for row in rows if not row["valid"]), rows[0])
    if len(rows) == 1 or not first["valid"]:
        return first
    return {**first, **{name: _mean([row.get(name) for row in rows]) for name in MEANS}}


def mean_times(times: Sequence[ReplayTimes | None]) -> ReplayTimes | None:
    """Return the means of the times of each job and of the metrics of each part."""
    known = [one for one in times if one is not None]
    if len(known) < len(times) or len(known) == 1:
        return times[0] if len(times) == 1 else None
    first = known[0]
    return replace(
        first,
        waits=np.mean([one.waits for one in known], axis=0),
        jcts=np.mean([one.jcts for one in known], axis=0),
        parts=tuple(map(_mean_part, zip(*(one.parts for one in known), strict=True))),
        outages=fmean(one.outages for one in known),
        among={name: _mean_among(known, name) for name in first.among},
    )


def _mean_among(times: Sequence[ReplayTimes], name: str) -> ReplayTimes:
    found = mean_times([one.among[name] for one in times])
    assert found is not None
    return found


def _mean_part(parts: Sequence[PartMetrics]) -> PartMetrics:
    """Return the means of the numbers of a part. A wait in the log is the same in all draws."""
    means: dict[str, Any] = {
        field.name: fmean(getattr(one, field.name) for one in parts)
        for field in fields(PartMetrics)
        if isinstance(getattr(parts[0], field.name), float)
    }
    return replace(parts[0], **means)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None


def drawn_cell(rows: Sequence[Row], name: str) -> Cell:
    """Return the mean of a column over draws, with its interval if there are enough draws."""
    values = [row[name] for row in rows]
    if len(values) < FEWEST or None in values:
        return _mean(values)
    return mean_share(values) if name == "goodput" else mean_above(values, 0)


def drawn_change(before: Sequence[Row], after: Sequence[Row], name: str) -> Interval | None:
    """Return the relative change of the mean of a column, with its interval over the draws.

    The draws are paired. A replay without draws is the same beside each of the others. Without
    enough draws or without a mean above 0 before and after, the change is None.
    """
    first, second = ([row[name] for row in rows] for rows in (before, after))
    count = max(len(first), len(second))
    first, second = (values * count if len(values) == 1 else values for values in (first, second))
    if count < FEWEST or len(first) != len(second) or None in (*first, *second):
        return None
    if min(fmean(first), fmean(second)) <= 0:
        return None
    found = ratio_of_sums(second, first)
    low, high = (end - 1 if abs(end) < inf else end for end in (found.low, found.high))
    return replace(found, mean=found.mean - 1, low=low, high=high)
