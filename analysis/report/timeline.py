"""A schedule as data for the page: bands of lanes, bars on them, and how fast each job works.

`gantt.js` draws it. Machines are bands; what a job holds on one from one moment to another is a
bar; a span is a stretch of a job's life in which its rate does not change.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...instances.errors import visible
from ..gantt.lanes import Stay, assign_lanes

DIGITS = 6
"""Moments and rates are rounded to so many decimals."""

MOST_IDLE = 200
"""Of more machines than this, only those are drawn that do something."""

Moment = Fraction | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """`units` GPUs or parts of job number `job` on a band, in words `what`; no end is for ever."""

    job: int
    band: int
    start: Moment
    end: Moment | None
    units: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of time with a rate; `lost` is the part of its bandwidth that others take."""

    start: Moment
    end: Moment
    rate: float
    contention: str
    lost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job that works, with its spans in order of time; without an end it never ends."""

    name: str
    about: str
    start: Moment
    end: Moment | None
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Machines by name, with the lanes they have (0 if that is not one number), and what is done.

    `line` is the value of the objective where that is a moment, `bound` the certified bound on it.
    """

    machines: tuple[tuple[str, int], ...]
    jobs: tuple[Job, ...]
    bars: tuple[Bar, ...]
    unit: str
    rate: str
    line: Moment | None = None
    bound: float | None = None
    size: str = ""
    """How much is shown, in words."""


def plain(timeline: Timeline) -> dict[str, Any]:
    """Return a timeline as plain values for JSON; of very many machines, those that work."""
    blocks = _blocks(timeline)
    count = len(timeline.machines)
    used = sorted({bar.band for bar in timeline.bars}) if count > MOST_IDLE else range(count)
    place = {band: i for i, band in enumerate(used)}
    lanes = {band: timeline.machines[band][1] for band in used}
    for bar, lanes_of_bar in zip(timeline.bars, blocks, strict=True):
        lanes[bar.band] = max(lanes[bar.band], lanes_of_bar[-1])
    return {
        "unit": timeline.unit,
        "rate": timeline.rate,
        "line": _short(timeline.line),
        "bound": _short(timeline.bound),
        "end": _end(timeline),
        "bands": [
            {"name": visible(timeline.machines[band][0]), "lanes": max(1, lanes[band])}
            for band in used
        ],
        "jobs": [_job(job) for job in timeline.jobs],
        "bars": [
            {
                "job": bar.job,
                "band": place[bar.band],
                "start": _short(bar.start),
                "end": _short(bar.end),
                "what": bar.what,
                "lanes": lanes_of_bar,
            }
            for bar, lanes_of_bar in zip(timeline.bars, blocks, strict=True)
        ],
    }


def _blocks(timeline: Timeline) -> list[list[int]]:
    """Return the lanes of every bar: first lane and the one behind the last, block by block."""
    by_band: dict[int, list[int]] = {}
    for i, bar in enumerate(timeline.bars):
        by_band.setdefault(bar.band, []).append(i)
    found: list[list[int]] = [[] for _ in timeline.bars]
    for band, places in by_band.items():
        bars = [timeline.bars[i] for i in places]
        stays = [Stay(Fraction(b.start), _exact(b.end), b.units) for b in bars]
        room = timeline.machines[band][1] or sum(bar.units for bar in bars)
        for i, blocks in zip(places, assign_lanes(stays, room), strict=True):
            found[i] = [lane for block in blocks for lane in block]
    return found


def _job(job: Job) -> dict[str, Any]:
    spans = [
        [_short(s.start), _short(s.end), _short(s.rate), s.contention, _short(s.lost)]
        for s in job.spans
    ]
    known = {"name": visible(job.name), "about": job.about, "spans": spans}
    return known | {"start": _short(job.start), "end": _short(job.end)}


def _end(timeline: Timeline) -> float:
    """Return the last moment to draw; what never ends gets a little more room."""
    ends = [bar.end for bar in timeline.bars if bar.end is not None]
    spans = [span.end for job in timeline.jobs for span in job.spans]
    starts = [job.start for job in timeline.jobs]
    last = float(max([*ends, *spans, *starts, timeline.bound or 0], default=0))
    endless = any(bar.end is None for bar in timeline.bars)
    return round(last * (1.1 if endless else 1), DIGITS) or 1


def _exact(moment: Moment | None) -> Fraction | None:
    return None if moment is None else Fraction(moment)


def _short(value: Moment | float | None) -> float | int | None:
    if value is None:
        return None
    rounded = round(float(value), DIGITS)
    return int(rounded) if rounded.is_integer() else rounded
