"""Results of other studies, as their tables show them: numbers, intervals, notes."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from itertools import product
from math import exp, inf, isfinite, log, sqrt
from pathlib import Path
from typing import NamedTuple

from ...analysis.intervals import ABOVE, FEWEST, Interval, next_draw, widening
from ...campaigns.reproductions import END
from ...instances.reading.decode import read_text
from ..reproductions import REPRODUCTIONS

PAGES = Path(__file__).parents[2] / "docs"
"""The pages of a checkout, which show measurements. An installed wheel has no pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredParts:
    """Results of other reproductions: parts of pages, or, without pages, files of a folder."""

    docs: Path | None = None
    out: Path = field(default_factory=Path)

    def part(self, name: str, part: str) -> str | None:
        """Return the Markdown of a part of a reproduction, or None if it was not made."""
        if self.docs is None:
            path = self.out / name / f"{part}.md"
            return _text(path) if path.is_file() else None
        one = next(one for one in REPRODUCTIONS if one.name == name)
        for page in one.pages:
            _, mark, rest = _text(self.docs / page).partition(f"<!-- {part} -->\n")
            if mark:
                return rest.partition(END)[0]
        return None

    def sampled(self, name: str, part: str, column: str = "") -> "Sampled | None":
        """Return what the note of a table says of its intervals, or None if it does not.

        A sentence on geometric means, "Mean / SRSF: geometric mean .. (..)", is on its column only.
        """
        text = self.part(name, part) or ""
        found, scales = SAMPLED.search(text), {f"({scale.value})": scale for scale in Scale}
        if found is None or (scale := scales.get(found[2])) is None:
            return None
        own = re.search(rf"(?:\. |and ){re.escape(column)}: geometric mean\b", text, re.IGNORECASE)
        return Sampled(int(found[1]), Scale.RATIOS if column and own else scale)

    def together(self, name: str, part: str, rows: int) -> "Reader":
        """Return what reads the intervals of a table so that those of all its rows hold at once."""
        text = self.part(name, part) or ""
        seeds, found = SEEDS.search(text), STUDENT.search(text)
        scale = next((one for one in Scale if found and found[0] == f"({one.value})"), Scale.PLAIN)
        if found and "odds" in found[0]:
            scale = Scale.ODDS
        times = widening(rows, int(seeds[1]) if seeds else FEWEST)
        return lambda cell: widened(span(cell), times, scale)

    def rows(self, name: str, part: str) -> list[dict[str, str]]:
        """Return the rows of a table by the heads of its columns, empty if it was not made."""
        lines = [line for line in (self.part(name, part) or "").splitlines() if line[:1] == "|"]
        cells = [[_cell(cell) for cell in line.strip("| ").split("|")] for line in lines]
        return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


class Scale(Enum):
    """The scale on which intervals are symmetric, by the words of notes."""

    PLAIN = "Student's t"
    RATIOS = "Student's t on logarithms"
    """Geometric means: the logarithms of the draws have Student's t."""
    MEANS = f"{ABOVE} 0"
    """Arithmetic means: the delta method, which leaves the draws as they are."""
    ODDS = "Student's t on the logarithm of odds"
    """Means of shares: the delta method on their odds."""


class Sampled(NamedTuple):
    """How a table's intervals were computed."""

    seeds: int
    scale: Scale


SAMPLED = re.compile(
    r"(\d+) (?:\w+ )?(?:seeds|draws|paths)[^.]*95 % intervals (\(Student's t[^)]*\))"
)
"""The sentence of a note on the intervals of its table."""

STUDENT = re.compile(r"\(Student's t[^)]*\)")
"""The scale of the intervals of a table."""

SEEDS = re.compile(r"[Oo]ver (\d+) (?:\w+ )?(?:seeds|draws|paths)")
"""The number of values behind the intervals of a table, whatever their scale. A table that does not
say it may have the fewest that an interval can have."""

CLEAR = 0.01
"""A ratio whose whole interval is so near to 1 is of two that are equally good."""


class ShownNumber(NamedTuple):
    """A number as it is shown, with its interval."""

    mean: float
    low: float = -inf
    high: float = inf
    """Infinite without an interval."""
    half: float = 0.0
    """Half a unit of the last digit: the lower end may have been rounded by so much."""
    half_high: float = 0.0
    """The same of the upper end."""

    def within(self, least: float, most: float) -> bool | None:
        """Return True if the interval is in a range, False if it is outside, and else None.

        Either holds for all intervals that are shown as this one.
        """
        low, high = self.low - self.half, self.high + self.half_high
        if high < least or low > most:
            return False
        return True if least <= low and high <= most else None

    def holds(self, number: float, half: float = 0.0) -> bool | None:
        """Return whether the interval holds a number that may have been rounded by `half`.

        Either is so for all intervals and numbers that are shown as these.
        """
        if self.within(-inf, number - half) or self.within(number + half, inf):
            return False
        low, high = self.low + self.half, self.high - self.half_high
        return True if low <= number - half and number + half <= high else None

    def beside(self, least: float, most: float) -> bool | None:
        """Return the same of a ratio, and False if it is 1 for all that is claimed of a side."""
        side = (least, most) in ((0, 1), (1, inf))
        equal = side and self.within(1 - CLEAR, 1 + CLEAR)
        return False if equal else self.within(least, most)


Reader = Callable[[str], ShownNumber]
"""Reads an entry of a table."""

NUMBER = r"(-?[\d.]+(?:e[+-]\d+)?|-?inf)"
SHOWN = re.compile(rf"(?:\w+: )?{NUMBER}(?: \({NUMBER} to {NUMBER}\))?")


def span(cell: str, *, exact: bool = False) -> ShownNumber:
    """Read a number as tables show it. Exact numbers are their own interval. Words are no part."""
    found = SHOWN.fullmatch(cell)
    if found is None:
        raise ValueError(f"{cell!r} is no number with or without an interval")
    ends = [found[1]] * 2 if exact else [end for end in found.groups()[1:] if end]
    numbers = [float(one) for one in (found[1], *ends)]
    shown = ShownNumber(*numbers)
    half = 0.0 if exact else max(map(half_a_digit, (found[1], *ends)))
    return shown._replace(half=half, half_high=half)


def half_a_digit(number: str) -> float:
    """Return half a unit of the last digit of a number."""
    if number.endswith("inf"):
        return 0.0
    digits, _, exponent = number.partition("e")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


def _cell(cell: str) -> str:
    """Return the text of an entry without Markdown marks."""
    return cell.strip(" *").replace("\\", "")


def _text(path: Path) -> str:
    return _read(path, path.stat().st_mtime_ns)


@cache
def _read(path: Path, _: int) -> str:
    return read_text(path, regular=True)


def predicted(shown: ShownNumber, sampled: Sampled, *, less: bool = False) -> ShownNumber:
    """Return the 95 % prediction interval of one more draw, with the ends that rounding leaves.

    Where the interval of the mean is Student's, of draws or of their logarithms, it is
    sqrt(seeds + 1) times as wide. Draws behind an arithmetic mean above 0 are taken as lognormal.
    """
    if less:
        mean, high, low = (1 - one / 100 for one in shown[:3])
        offs = shown.half_high / 100, shown.half / 100
        ratio = predicted(ShownNumber(mean, low, high, *offs), sampled)
        low, high = 100 * (1 - ratio.high), 100 * (1 - ratio.low)
        return ShownNumber(shown.mean, low, high, 100 * ratio.half_high, 100 * ratio.half)
    if sampled.scale is Scale.MEANS:
        return _next_draw(shown, sampled.seeds)
    return widened(shown, sqrt(sampled.seeds + 1), sampled.scale)


def _next_draw(shown: ShownNumber, seeds: int) -> ShownNumber:
    """Return the prediction interval of a lognormal draw, over all that rounds to what is shown."""

    def ends(mean: float, low: float, high: float) -> tuple[float, float]:
        if low >= high:
            return mean, mean
        if low <= 0:
            return 0.0, inf
        draw = next_draw(Interval(mean=mean, low=low, high=high, count=seeds))
        return draw.low, draw.high

    mean, low, high, half, half_high = shown
    here = ends(mean, low, high)
    offs = product((-half, half), (-half, half), (-half_high, half_high))
    least, most = zip(*(ends(mean + a, low + b, high + c) for a, b, c in offs), strict=True)
    return ShownNumber(mean, *here, here[0] - min(least), max(most) - here[1])


def widened(shown: ShownNumber, times: float, scale: Scale) -> ShownNumber:
    """Return a number with an interval that is `times` as wide, on the scale of the interval.

    Rounding moves its ends farthest if mean and end were rounded in opposite directions.
    """
    mean, low, high, *halves = shown
    plain = scale is Scale.PLAIN or not (isfinite(low) and isfinite(high))
    odds = scale is Scale.ODDS and high < 1

    def moved(mean: float, end: float) -> float:
        if plain:
            return mean + times * (end - mean)
        if min(mean, end) <= 0 or (odds and max(mean, end) >= 1):
            return inf
        try:
            if odds:
                mean, end = mean / (1 - mean), end / (1 - end)
            far = exp(log(mean) + times * log(end / mean))
        except OverflowError:
            return inf
        return far / (1 + far) if odds else far

    ends, offs = [moved(mean, end) for end in (low, high)], []
    for end, half, found in zip((low, high), halves, ends, strict=True):
        ways = (half, -half) if isfinite(end) else ()
        offs.append(max((abs(moved(mean - by, end + by) - found) for by in ways), default=0.0))
    return ShownNumber(mean, *ends, *offs)
