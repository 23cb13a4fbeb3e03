"""The schedules that the page shows, each as data that `gantt.js` draws: bands, lanes, bars."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, zip_longest
from typing import Any

from ...families.registry import FAMILIES
from ...instances import AnySchedule, Instance
from ...instances.errors import ABSENT, InputError, Problem, plural, visible
from ..check.judge import check
from ..drawing.shapes import Box, number, percent
from ..gantt import chart_of
from ..gantt.hues import choose_hues
from ..gantt.lanes import LaneStay, assign_lanes
from ..rows import Row
from ..sources import Read
from ..stats.references import Key, best_bounds, key_of, sign_of
from ..timeline import Bar, Life, Lives, Moment
from .tables import gap, name_of

DIGITS = 6
"""Moments and rates are rounded to so many decimals."""

MOST_IDLE = 200
"""Maximum number of machines drawn if some are idle. With more, only busy ones are drawn."""


WIDTH, LANE = 1200.0, 8.0
"""Pixels of the chart and of a lane, to find bars that touch."""


def plain(lives: Lives) -> dict[str, Any]:
    """Return a timeline as plain values for JSON, with only busy machines if too many."""
    bars = [(i, bar) for i, life in enumerate(lives.jobs) for bar in life.bars]
    blocks = _blocks(lives, [bar for _, bar in bars])
    count = len(lives.machines)
    used = sorted({bar.machine for _, bar in bars}) if count > MOST_IDLE else range(count)
    place = {machine: i for i, machine in enumerate(used)}
    lanes = {machine: lives.machines[machine][1] for machine in used}
    for (_, bar), lanes_of_bar in zip(bars, blocks, strict=True):
        lanes[bar.machine] = max(lanes[bar.machine], lanes_of_bar[-1])
    end = _end(lives, [bar for _, bar in bars])
    tops = dict(zip(lanes, accumulate(lanes.values(), initial=0), strict=False))
    boxes = (
        (job, box)
        for (job, bar), block in zip(bars, blocks, strict=True)
        for box in _boxes(bar, block, tops[bar.machine], WIDTH / end, lives.tick)
    )
    hues = choose_hues(boxes)
    return {
        "unit": lives.unit,
        "rate": lives.rate,
        "line": _short(lives.line),
        "bound": _short(lives.bound),
        "end": end,
        "bands": [
            {"name": visible(lives.machines[machine][0]), "lanes": max(1, lanes[machine])}
            for machine in used
        ],
        "jobs": [
            _job(job, lives.tick) | {"hue": hues.get(i, i)} for i, job in enumerate(lives.jobs)
        ],
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


def _boxes(bar: Bar, block: list[int], top: int, scale: float, tick: Moment) -> Iterator[Box]:
    """Yield the rectangles of a bar on paper, where a lane is `LANE` high."""
    left = float(bar.start * tick) * scale
    width = (WIDTH if bar.end is None else float(bar.end * tick) * scale) - left
    for low, high in zip(block[::2], block[1::2], strict=True):
        yield left, LANE * (top + low), width, LANE * (high - low)


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
    """Return the last moment to draw, with some extra room for endless jobs."""
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


MOST_BARS = 20_000
"""A schedule with more bars is left out: the page would grow by megabytes."""


def shown_schedules(rows: Sequence[Row], read: Read, most: int) -> tuple[list[dict[str, Any]], str]:
    """Return up to `most` schedules, and say which are left out."""
    ranked = _ranked(rows)
    candidates = [row for rank in zip_longest(*ranked) for row in rank if row is not None]
    order = {row["key"]: i for i, row in enumerate(row for some in ranked for row in some)}
    bounds = best_bounds(rows)
    found, large, lost = [], 0, 0
    for row in sorted(candidates[:most], key=lambda row: order[row["key"]]):
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
        expected = "a valid schedule, as recorded in the row"
        raise InputError(schedule.instance, [Problem("schedule", ABSENT, expected, "check it")])
    limit = None if bound is None else Fraction(bound)
    return chart_of(instance).timeline(instance, schedule, verdict, limit).lives()


def _shown(row: Row, lives: Lives, bounds: dict[Key, float]) -> dict[str, Any]:
    family = FAMILIES[row["family"]]
    value = f"{family.in_full or family.objective} {_value(row['objective'])}"
    value += f" {family.clock}" if family.clock else ""
    bound = bounds.get(key_of(row))
    far = gap(row, bound)
    limit = "" if bound is None else f", proved bound {_value(bound)}, gap {percent(far or 0)}"
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
    """Return the number of omitted schedules, and the reasons."""
    known = sum(bool(row["schedule"]) for row in rows)
    plans = sum(bool(row["schedule"]) and not FAMILIES[row["family"]].chart for row in rows)
    if shown == known:
        return ""
    words = (
        f"{shown:,} of {plural(known, 'schedule')} are on this page: the best run of the best "
        "methods on each instance, within the limit of --schedules"
    )
    words += f". Plans without a timeline: {plans:,}" if plans else ""
    words += f". Unreadable or invalid: {lost:,}" if lost else ""
    return words + (f". Left out with more than {MOST_BARS:,} bars: {large:,}." if large else ".")
