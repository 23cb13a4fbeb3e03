"""A timeline's lives as data for the page: bands of lanes, and bars on them.

`gantt.js` draws it.
"""

from fractions import Fraction
from typing import Any

from ...instances.errors import visible
from ..gantt.lanes import LaneStay, assign_lanes
from ..timeline import Bar, Life, Lives, Moment

DIGITS = 6
"""Moments and rates are rounded to so many decimals."""

MOST_IDLE = 200
"""Of more machines than this, only those are drawn that do something."""


def plain(lives: Lives) -> dict[str, Any]:
    """Return a timeline as plain values for JSON; of very many machines, those that work."""
    bars = [(i, bar) for i, life in enumerate(lives.jobs) for bar in life.bars]
    blocks = _blocks(lives, [bar for _, bar in bars])
    count = len(lives.machines)
    used = sorted({bar.machine for _, bar in bars}) if count > MOST_IDLE else range(count)
    place = {machine: i for i, machine in enumerate(used)}
    lanes = {machine: lives.machines[machine][1] for machine in used}
    for (_, bar), lanes_of_bar in zip(bars, blocks, strict=True):
        lanes[bar.machine] = max(lanes[bar.machine], lanes_of_bar[-1])
    return {
        "unit": lives.unit,
        "rate": lives.rate,
        "line": _short(lives.line),
        "bound": _short(lives.bound),
        "end": _end(lives, [bar for _, bar in bars]),
        "bands": [
            {"name": visible(lives.machines[machine][0]), "lanes": max(1, lanes[machine])}
            for machine in used
        ],
        "jobs": [_job(job, lives.tick) for job in lives.jobs],
        "bars": [
            {
                "job": job,
                "band": place[bar.machine],
                "start": _short(bar.start, lives.tick),
                "end": _short(bar.end, lives.tick),
                "what": bar.what,
                "lanes": lanes_of_bar,
            }
            for (job, bar), lanes_of_bar in zip(bars, blocks, strict=True)
        ],
    }


def _blocks(lives: Lives, bars: list[Bar]) -> list[list[int]]:
    """Return the lanes of every bar: first lane and the one behind the last, block by block."""
    by_machine: dict[int, list[int]] = {}
    for i, bar in enumerate(bars):
        by_machine.setdefault(bar.machine, []).append(i)
    found: list[list[int]] = [[] for _ in bars]
    for machine, places in by_machine.items():
        some = [bars[i] for i in places]
        ends = [None if bar.end is None else Fraction(bar.end) for bar in some]
        stays = [
            LaneStay(Fraction(b.start), end, b.units) for b, end in zip(some, ends, strict=True)
        ]
        room = lives.machines[machine][1] or sum(bar.units for bar in some)
        for i, blocks in zip(places, assign_lanes(stays, room), strict=True):
            found[i] = [lane for block in blocks for lane in block]
    return found


def _job(job: Life, tick: Moment) -> dict[str, Any]:
    spans = [
        [_short(s.start, tick), _short(s.end, tick), _short(s.rate), s.contention, _short(s.lost)]
        for s in job.spans
    ]
    known = {"name": visible(job.name), "about": job.about, "spans": spans}
    return known | {"start": _short(job.start, tick), "end": _short(job.end, tick)}


def _end(lives: Lives, bars: list[Bar]) -> float:
    """Return the last moment to draw; what never ends gets a little more room."""
    ends = [bar.end for bar in bars if bar.end is not None]
    spans = [span.end for job in lives.jobs for span in job.spans]
    starts = [job.start for job in lives.jobs]
    last = float(max([*ends, *spans, *starts, lives.bound or 0], default=0) * lives.tick)
    endless = any(bar.end is None for bar in bars)
    return round(last * (1.1 if endless else 1), DIGITS) or 1


def _short(value: Moment | float | None, tick: Moment = 1) -> float | int | None:
    """Return a number, or a moment in ticks, with few decimals."""
    if value is None:
        return None
    rounded = round(float(value * tick), DIGITS)
    return int(rounded) if rounded.is_integer() else rounded
