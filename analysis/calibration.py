"""Laws of contention fitted to measured all-reduces.

Each measurement gives the time of an all-reduce and the number of rings that shared its uplinks.
The laws give the slowdown by the number of rings on an uplink, and all are fitted to the same
measurements.

The model is time = start-up + (bytes sent / bandwidth) * slowdown(rings). For a fixed share, every
law is linear in the start-up and the seconds per gigabyte. The share is searched in hundredths, and
the other numbers come from nonnegative least squares of the relative errors. Intervals are from a
bootstrap of residuals.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import log, sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from ..instances.errors import ABSENT, InputError, Problem, plural
from ..instances.importers.lines import LineLayout, decoded, table
from ..instances.importers.reading import Cells, Exact, Reading, Record, collecting
from ..instances.reading.decode import read_text
from .figures.canvas import Figure, draw, finished, guide, new_figure, whole_ticks
from .figures.style import LOOKS, POINTS
from .tables import Cell, Table, columns_of, numbers, texts

Floats = NDArray[np.float64]

LAYOUT = LineLayout(needed=("rings", "bytes", "seconds"), others=("gpus",))
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
RANK = re.compile(r"#\s+Rank\s+\d+", re.IGNORECASE)
AT_ONCE = re.compile(r"(.+)=(\d{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredReduce:
    """A line of a file: the time of one all-reduce, alone or concurrent with equal ones."""

    place: str
    """File and line."""
    rings: int
    """Rings on the uplink at once, this one among them."""
    gpus: int
    """Workers of the ring, one per server."""
    size: float
    """Bytes to be added up."""
    seconds: float

    @property
    def sent(self) -> float:
        """Gigabytes that each worker sends."""
        return 2 * (self.gpus - 1) / self.gpus * self.size / 1e9


def read_measured(
    file: str, *, gpus: int | None = None, columns: str = "", unit: str = "s"
) -> list[MeasuredReduce]:
    """Read a CSV file, or output of `all_reduce_perf` from nccl-tests.

    Args:
        file: Its path, or `PATH=K` for nccl-tests if K all-reduces ran concurrently.
        gpus: Workers of a ring, if the file does not give them.
        columns: Names that replace a CSV's header, as ``rings=job_num,bytes=msg_size``.
        unit: Unit of the times of a CSV.

    Raises:
        InputError: With the errors of the file, line by line.
    """
    split = None if Path(file).exists() else AT_ONCE.fullmatch(file)
    name, rings = (split[1], int(split[2])) if split else (file, None)
    with collecting(name) as reading:
        text = read_text(Path(name), decode=partial(decoded, reading=reading))
        if any(line.lstrip().startswith("#") for line in text.splitlines()):
            found = list(_nccl(name, text, 1 if rings is None else rings, gpus, reading))
        else:
            named = tuple(part.strip() for part in columns.split(",") if part.strip())
            rows = table(text, LAYOUT, reading, named)
            make = partial(_line, name=name, gpus=gpus, unit=UNITS[unit])
            found = list(reading.each(rows, make))
            if rings is not None:
                advice = f"a CSV has a column rings: give {name} without =K"
                reading.reject("file", file, "=K after files of nccl-tests only", advice)
        if not found and not reading.problems:
            reading.reject("file", ABSENT, "at least one measurement", "add lines")
    return found


def _line(
    record: Record, cells: Cells, *, name: str, gpus: int | None, unit: float
) -> MeasuredReduce | None:
    """Return the measurement on a line of a CSV."""
    if gpus is None and "gpus" not in cells.cells:
        advice = "give --gpus, the number of workers in a ring, or add the column"
        raise InputError(name, [Problem("gpus", ABSENT, "a column gpus, or --gpus", advice)])
    wide: Exact | None = gpus if gpus is not None else cells.whole("gpus")
    numbers = {
        "rings": (cells.whole("rings"), 1),
        "gpus": (wide, 2),
        "bytes": (cells.number("bytes"), 0),
        "seconds": (cells.number("seconds"), 0),
    }
    for column, (value, least) in numbers.items():
        if not value or value < least:
            expected = f"an integer of at least {least}" if least else "a number above 0"
            cells.reject(column, expected, "correct it, or remove the line", value or ABSENT)
            return None
    rings, wide, size, seconds = (value or 0 for value, _ in numbers.values())
    return MeasuredReduce(
        place=f"{name}, {record.place}",
        rings=int(rings),
        gpus=int(wide),
        size=float(size),
        seconds=float(seconds) * unit,
    )


def _nccl(
    name: str, text: str, rings: int, gpus: int | None, reading: Reading
) -> Iterator[MeasuredReduce]:
    """Yield the lines of `all_reduce_perf`: the times out of place, which come first."""
    lines = text.splitlines()
    width = sum(bool(RANK.match(line.lstrip())) for line in lines) or gpus
    heads = [line.lstrip("# ").split() for line in lines if line.lstrip().startswith("#")]
    head = next((one for one in heads if {"size", "time"} <= set(one)), None)
    if head is None:
        advice = "check the file: a CSV has no lines with #"
        reading.reject("file", ABSENT, "the nccl-tests header, # size .. time", advice)
        return
    if width is None or width < 2:
        reading.reject("--gpus", width or ABSENT, "2 or more workers of a ring", "give --gpus")
        return
    if rings < 1:
        reading.reject("file", f"={rings}", "=K with 1 or more rings", "correct it")
        return
    for number, line in enumerate(lines, 1):
        cells = line.split()
        if not cells or cells[0].startswith("#"):
            continue
        size, micros = _numbers(cells, head)
        if size is None or micros is None:
            expected = f"{len(head)} entries with a size and a time"
            reading.note(Problem(f"line {number}", line.strip()[:80], expected, "remove the line"))
        elif size > 0 and micros > 0:
            yield MeasuredReduce(
                place=f"{name}, line {number}",
                rings=rings,
                gpus=width,
                size=size,
                seconds=micros * UNITS["us"],
            )


def _numbers(cells: Sequence[str], head: Sequence[str]) -> tuple[float | None, float | None]:
    """Return bytes and microseconds of a line, None for a field that is not a number."""
    try:
        return float(cells[head.index("size")]), float(cells[head.index("time")])
    except (IndexError, ValueError):
        return None, None


LEVEL = 0.95
"""Confidence level of the intervals."""
SHARES = tuple(i / 100 for i in range(1, 101))


class ContentionLaw(NamedTuple):
    """A law of the slowdown x, the factor by which k rings on a link lengthen each transfer."""

    name: str
    formula: str
    shares: tuple[float, ...] = (1.0,)
    degrades: bool = False
    free: bool = False
    """True if each number of rings has a separate slowdown."""


NOTHING = ContentionLaw("none", "x = 1", shares=(0.0,))
FAIR = ContentionLaw("fluid, one link", "x = k")
LEAF = ContentionLaw("fluid, leaf", "x = max(1, o k / S)", shares=SHARES)
LINEAR = ContentionLaw("linear", "x = k + a (k - 1)", degrades=True)
UPLINK = ContentionLaw(
    "server_uplink", "as linear, k = max(1, share k)", shares=SHARES, degrades=True
)
FREE = ContentionLaw("any", "a number for each k", free=True)


class Fitted(NamedTuple):
    """The numbers of a law, in seconds and gigabytes per second."""

    start_s: float
    s_per_gb: float
    share: float
    degradation: float

    @property
    def bandwidth(self) -> float:
        """Gigabytes per second of a ring alone."""
        return 1 / self.s_per_gb

    def slowdown(self, rings: float) -> float:
        """Return the slowdown of a transfer if `rings` rings share the link."""
        effective = max(1.0, self.share * rings)
        return effective + self.degradation * (effective - 1)

    def times(self, asked: Sequence[MeasuredReduce]) -> Floats:
        """Return the seconds that measurements should have taken."""
        seconds = [
            self.start_s + one.sent * self.s_per_gb * self.slowdown(one.rings) for one in asked
        ]
        return np.array(seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class LawFit:
    """A law fitted to the measurements."""

    law: ContentionLaw
    numbers: Fitted | None
    """None if each number of rings has a separate slowdown."""
    errors: tuple[float, ...]
    """Fitted over measured time, less 1, measurement by measurement."""
    predicted: float | None = None
    """RMS error when each ring count is left out and predicted from the remaining ones."""
    intervals: tuple[tuple[float, float], ...] = ()
    """Intervals of start-up, bandwidth, share and degradation."""

    @property
    def rms(self) -> float:
        """Root of the mean squared error."""
        return _rms(self.errors)


def laws_for(measured: Sequence[MeasuredReduce], rack_servers: int | None) -> list[ContentionLaw]:
    """Return the laws that the measurements distinguish."""
    apart = len({one.rings for one in measured} - {1})
    leaf = [] if rack_servers is None else [LEAF]
    return [NOTHING, FAIR, *leaf, LINEAR, *([UPLINK] if apart > 1 else []), FREE]


def fit(law: ContentionLaw, measured: Sequence[MeasuredReduce], seed: int, redraws: int) -> LawFit:
    """Fit a law, with bootstrap intervals of its numbers."""
    times = _seconds(measured)
    numbers = None if law.free else _solve(law, measured, times)
    guess = _free(measured, times) if numbers is None else numbers.times(measured)
    intervals: tuple[tuple[float, float], ...] = ()
    if numbers is not None and redraws:
        rng = np.random.default_rng(seed)
        # A fit takes some of the scatter with it: what is left is stretched back.
        spare = max(1, len(times) - 2 - law.degrades - (len(law.shares) > 1))
        relative = (times / guess - 1) * (len(times) / spare) ** 0.5
        drawn = []
        for _ in range(redraws):
            again = guess * np.maximum(0.01, 1 + rng.choice(relative, len(times)))
            one = _solve(law, measured, again)
            drawn.append((one.start_s, one.bandwidth, one.share, one.degradation))
        ends = np.quantile(np.array(drawn), [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        intervals = tuple((float(low), float(high)) for low, high in ends.T)
    return LawFit(
        law=law,
        numbers=numbers,
        errors=tuple((guess / times - 1).tolist()),
        predicted=None if law.free else _predicted(law, measured),
        intervals=intervals,
    )


def _seconds(measured: Sequence[MeasuredReduce]) -> Floats:
    return np.array([one.seconds for one in measured])


def _solve(law: ContentionLaw, measured: Sequence[MeasuredReduce], times: Floats) -> Fitted:
    """Return the numbers that fit the times of the measurements best."""
    sent = np.array([one.sent for one in measured])
    rings = np.array([one.rings for one in measured])
    starts = len(np.unique(sent)) > 1
    best: tuple[float, Fitted] | None = None
    for share in law.shares:
        effective = np.maximum(1.0, share * rings)
        columns = [np.ones(len(times)) if starts else np.zeros(len(times)), sent * effective]
        columns += [sent * (effective - 1)] if law.degrades else []
        found, error = _least_squares(columns, times)
        if best is None or error < best[0] - 1e-12:
            each = max(found[1], 1e-12)  # Times that do not grow with bytes fit no bandwidth.
            more = found[2] / each if law.degrades else 0.0
            best = error, Fitted(found[0], each, share, more)
    assert best is not None
    return best[1]


def _free(measured: Sequence[MeasuredReduce], times: Floats) -> Floats:
    """Return times fitted with a separate slowdown for each number of rings.

    No law of rings alone fits better.
    """
    sent = np.array([one.sent for one in measured])
    rings = np.array([one.rings for one in measured])
    starts = len(np.unique(sent)) > 1
    columns = [np.ones(len(times))] if starts else []
    columns += [np.where(rings == k, sent, 0.0) for k in sorted(set(rings.tolist()))]
    found, _ = _least_squares(columns, times)
    guess: Floats = np.array(columns).T @ np.array(found)
    return guess


def _least_squares(columns: Sequence[Floats], times: Floats) -> tuple[list[float], float]:
    """Return nonnegative numbers that minimize the relative errors, and the errors' sizes."""
    found, error = nnls(np.array(columns).T / times[:, None], np.ones(len(times)))
    return found.tolist(), float(error)


def _predicted(law: ContentionLaw, measured: Sequence[MeasuredReduce]) -> float | None:
    """Return the RMS error when each ring count is left out and predicted."""
    errors: list[float] = []
    for k in sorted({one.rings for one in measured}):
        rest = [one for one in measured if one.rings != k]
        if len({one.rings for one in rest}) < 2:
            return None
        left = [one for one in measured if one.rings == k]
        guess = _solve(law, rest, _seconds(rest)).times(left)
        errors += (guess / _seconds(left) - 1).tolist()
    return _rms(errors)


def _rms(errors: Sequence[float]) -> float:
    return sqrt(sum(e * e for e in errors) / len(errors))


WRONG = 0.2
"""A model is called wrong of measurements that it misses by more than this part."""
SHOWN = 5


def _unit_of(seconds: float) -> tuple[float, str]:
    """Return the largest unit that is at most a time, in seconds, and its name."""
    name = next((name for name, size in UNITS.items() if seconds >= size), "us")
    return UNITS[name], name.replace("u", "µ")


def _time(seconds: float) -> str:
    """Return a time in a unit that fits."""
    size, name = _unit_of(seconds)
    return f"{seconds / size:.4g} {name}"


def laws_table(fits: Sequence[LawFit], measured: Sequence[MeasuredReduce]) -> Table:
    """Return a line for each law."""
    starts = [one.numbers.start_s for one in fits if one.numbers and one.numbers.start_s > 1e-9]
    unit, name = _unit_of(min(starts, default=1.0))
    return Table(
        caption=f"Contention laws fitted to {len(measured)} all-reduces",
        columns=(
            *texts("law", "slowdown x by k rings"),
            *columns_of({f"start-up, {name}": 1, "GB/s": 4, "share": 2, "degradation": 2}),
            *numbers("rms", "worst", "predicted", digits=1, over="error, %"),
        ),
        rows=tuple(_row(one, unit) for one in fits),
        notes=(
            "rms, worst: errors of the fitted times. Predicted: RMS error when each ring count is "
            "left out and predicted from the rest of the measurements.",
        ),
    )


def _row(one: LawFit, unit: float) -> tuple[Cell, ...]:
    values: list[Cell] = [None] * 4
    if one.numbers is not None:
        (start, _, share, more), law = one.numbers, one.law
        values = [
            start / unit,
            one.numbers.bandwidth,
            share if len(law.shares) > 1 or law is LINEAR else None,
            more if law.degrades else None,
        ]
    predicted = None if one.predicted is None else 100 * one.predicted
    worst = 100 * max(map(abs, one.errors))
    return (one.law.name, one.law.formula, *values, 100 * one.rms, worst, predicted)


def chosen(fits: Sequence[LawFit]) -> LawFit:
    """Return the law of `makespan` instances that predicts best.

    If prediction cannot test any law, return the law with the most parameters.
    """
    known = [one for one in fits if one.law in (FAIR, LINEAR, UPLINK)]
    predicted = [one for one in known if one.predicted is not None]
    return min(predicted, key=lambda one: round(one.predicted or 0, 3), default=known[-1])


def remarks(
    fits: Sequence[LawFit], measured: Sequence[MeasuredReduce], rack_servers: int | None
) -> list[str]:
    """Return remarks on the fitted numbers, their uncertainty, and large errors of the model."""
    lines = []
    best = chosen(fits)
    if best.predicted is not None:
        lines.append(f"best prediction: {best.law.name}")
    lines += [_intervals(one) for one in fits if one.intervals and one.law in (best.law, UPLINK)]
    if not any(one.law is UPLINK for one in fits):
        lines.append(
            "share 1 is assumed: separating share from degradation requires measurements with 2 or "
            "more ring counts above 1"
        )
    if len({one.sent for one in measured}) == 1:
        lines.append(
            "start-up 0 is assumed: separating it from the bandwidth requires several sizes"
        )
    leaf = next((one for one in fits if one.law is LEAF), None)
    if leaf is not None and leaf.numbers is not None and rack_servers is not None:
        above = leaf.numbers.share * rack_servers
        lines.append(f"oversubscription of leaves ({rack_servers} servers each): {above:.3g}")
    return lines + _wrong(fits, best, measured)


def _intervals(one: LawFit) -> str:
    (low, high), *others = one.intervals
    size, unit = _unit_of(high)
    spans = [f"start-up {low / size:.3g} to {high / size:.3g} {unit}"]
    names = ("bandwidth", "share", "degradation")
    free = (True, len(one.law.shares) > 1, one.law.degrades)
    spans += [
        f"{name} {low:.3g} to {high:.3g}" + " GB/s" * (name == "bandwidth")
        for name, (low, high), given in zip(names, others, free, strict=True)
        if given
    ]
    return f"{100 * LEVEL:.0f} % confidence intervals of {one.law.name}: {', '.join(spans)}"


def _wrong(fits: Sequence[LawFit], best: LawFit, measured: Sequence[MeasuredReduce]) -> list[str]:
    """Report large errors of the model, and whether a different law of rings could fit better."""
    missed = [
        (error, one) for error, one in zip(best.errors, measured, strict=True) if abs(error) > WRONG
    ]
    if not missed:
        return []
    free = next(one for one in fits if one.law is FREE)
    count = f"{len(missed)} of {len(measured)} measurements"
    lines = [f"warning: {best.law.name} misses {count} by more than {WRONG:.0%}"]
    missed.sort(key=lambda pair: -abs(pair[0]))
    lines += [
        f"  {one.place}: {one.rings} rings, {one.size:,.0f} bytes: measured "
        f"{_time(one.seconds)}, model {_time((1 + error) * one.seconds)} ({100 * error:+.0f} %)"
        for error, one in missed[:SHOWN]
    ]
    if free.rms > best.rms / 2:
        lines.append(
            "  no law of the ring count alone fits much better: a free slowdown per ring count "
            f"leaves an RMS error of {100 * free.rms:.1f} %"
        )
    else:
        lines.append("  the law is wrong in the number of rings, not in the transfer size")
    return lines


def draw_contention(fits: Sequence[LawFit], measured: Sequence[MeasuredReduce]) -> Figure:
    """Draw slowdowns as measured, size by size, and the curves of the laws."""
    best = chosen(fits)
    numbers = best.numbers
    assert numbers is not None
    figure, axes = new_figure(
        "slowdown of all-reduces by number of concurrent rings, measured and modelled",
        across="rings on the uplink",
        up="slowdown of the transfer",
    )
    sizes = sorted({one.size for one in measured})
    count = min(len(sizes), len(LOOKS))
    drawn = [sizes[i * (len(sizes) - 1) // max(1, count - 1)] for i in range(count)]
    for size, look in zip(drawn, LOOKS, strict=False):
        points = sorted(
            (float(one.rings), _slowdown(one, numbers.start_s, numbers.s_per_gb))
            for one in measured
            if one.size == size
        )
        draw(axes, points, _size_text(size), look | POINTS)
    most = max(one.rings for one in measured)
    ends = [1 + i * (most - 1) / 60 for i in range(61)]
    for one in fits:
        if one.numbers is not None and one.law in (best.law, LEAF):
            guide(axes, [(k, one.numbers.slowdown(k)) for k in ends], one.law.name)
    axes.set(xlim=(0, None), ylim=(0, None))
    whole_ticks(axes.xaxis)
    more = len(sizes) - len(drawn)
    return finished(figure, (f"{plural(more, 'more size')} not shown",) if more else ())


def _size_text(size: float) -> str:
    """Return bytes in a unit that fits: binary if it divides them, else decimal."""
    base, names = (1024, "KiB MiB GiB") if size % 1024 == 0 else (1000, "kB MB GB")
    power = min(3, int(log(size, base) + 1e-9))
    return f"{size / base**power:.4g} {['bytes', *names.split()][power]}"


def _slowdown(one: MeasuredReduce, start: float, each: float) -> float:
    return (one.seconds - start) / (one.sent * each)
