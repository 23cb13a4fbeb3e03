"""Codes beside each other, by their number of parts, and what decoding loses: tables, a figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, inf, isfinite, log10

from ..figures.canvas import Figure, draw, finished, new_figure
from ..figures.style import BARE, LOOKS, POINTS
from ..intervals import Interval
from ..tables import Cell, Column, Table, columns_of, numbers, texts
from .decoding import Decoded

SCHEMES_NOTE = (
    "Expected: exact, until the product is known. Gain: the expected time of uncoded parts over "
    "this one."
)
CURVE_NOTE = (
    "MDS: a combination for each worker, any k of which are enough. Repeated: a part for each "
    "worker."
)
DECODED_NOTE = (
    "Error: norm of the difference from the product, relative. Condition: of the k equations that "
    "the first k workers give; with 1e16 or more every digit may be lost."
)

FIGURES = 5
"""Significant digits of the least time of a column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """A method, its number of parts, and its times; None if there is no plan."""

    name: str
    parts: int | None
    expected_s: float | None
    simulated: Interval | None = None
    doubt: bool = False
    """Whether the variance is infinite, and the interval therefore too narrow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsPoint:
    """The expected times with a number of parts."""

    parts: int
    mds_s: float
    repeated_s: float

    def plain(self) -> dict[str, float | None]:
        """Return the numbers by name; None where a time is infinite."""
        times = {"mds_s": self.mds_s, "repeated_s": self.repeated_s}
        finite = {name: time if isfinite(time) else None for name, time in times.items()}
        return {"parts": self.parts, **finite}


def scheme_table(schemes: Sequence[Scheme], caption: str) -> Table:
    """Return a line for each scheme, with what was simulated if it was."""
    shown = [one.expected_s for one in schemes if one.expected_s is not None]
    digits = _decimals(shown)
    plain = next((one.expected_s for one in schemes if one.name == "uncoded"), None)
    columns = [
        *columns_of({"scheme": None, "parts": 0}),
        Column(head="expected, s", digits=digits, best="min"),
        Column(head="gain", digits=2),
    ]
    simulated = any(one.simulated for one in schemes)
    if simulated:
        columns.append(Column(head="simulated, s (95 % interval)", digits=digits))
    rows = []
    for one in schemes:
        gain = None if one.expected_s is None else (plain or inf) / one.expected_s
        row: list[Cell] = [one.name, one.parts, one.expected_s, gain]
        rows.append((*row, one.simulated) if simulated else tuple(row))
    return Table(caption=caption, columns=tuple(columns), rows=tuple(rows), notes=(SCHEMES_NOTE,))


def curve_table(points: Sequence[PartsPoint], caption: str) -> Table:
    """Return a line for each number of parts."""
    times = [time for one in points for time in (one.mds_s, one.repeated_s)]
    digits = _decimals([time for time in times if isfinite(time)])
    return Table(
        caption=caption,
        columns=(
            Column(head="parts"),
            Column(head="MDS, s", digits=digits, best="min"),
            Column(head="repeated, s", digits=digits, best="min"),
        ),
        rows=tuple((one.parts, one.mds_s, one.repeated_s) for one in points),
        notes=(CURVE_NOTE,),
    )


def decoding_table(found: Mapping[int, Mapping[str, Decoded]], caption: str) -> Table:
    """Return a line for each number of parts, with error and condition by kind of code."""
    kinds = list(next(iter(found.values())))
    heads = [head for kind in kinds for head in texts("error", "condition", over=kind)]
    rows: list[tuple[Cell, ...]] = [
        (k, *(f"{value:.0e}" for kind in kinds for value in (row[kind].error, row[kind].condition)))
        for k, row in found.items()
    ]
    return Table(
        caption=caption,
        columns=(*numbers("parts"), *heads),
        rows=tuple(rows),
        notes=(DECODED_NOTE,),
    )


def _decimals(times: Sequence[float]) -> int:
    least = min((time for time in times if time > 0), default=1.0)
    return max(0, FIGURES - 1 - floor(log10(least)))


def draw_curve(name: str, points: Sequence[PartsPoint]) -> Figure:
    """Draw the curves of codes and of repeated parts, with the best of each."""
    about = f"{name}: expected time in seconds against the number of parts"
    figure, axes = new_figure(about, across="parts of the matrix", up="expected time, s", log="y")
    fields = {"MDS code": "mds_s", "repeated parts": "repeated_s"}
    for look, (told, field) in zip(LOOKS, fields.items(), strict=False):
        known = [(one.parts, getattr(one, field)) for one in points]
        line = [(parts, time) for parts, time in known if isfinite(time)]
        if line:
            best = min(line, key=lambda point: point[1])
            draw(axes, line, "", look | BARE)
            named = f"{told}, best: {best[1]:.4g} s with {best[0]}"
            draw(axes, [best], named, look | POINTS)
    return finished(figure, (name,))
