"""Tables: columns, rows of cells, emphasis, and the text of a cell."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import floor, isfinite, log10
from statistics import median
from typing import Literal

from ..intervals import Interval

Cell = str | float | Interval | None


class Aside(float):
    """A number that is not compared with the others of its column."""


HUGE = 1e15
"""Numbers from here on are shown by their power of ten."""
SMALL = 10
"""Objectives below this get four digits."""


def cell_text(cell: Cell, digits: int | None) -> str:
    """Return a cell as text: numbers with `digits` decimals, an interval after its mean."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    places = digits or 0
    if not isinstance(cell, Interval):
        return number_text(cell, places)
    mean = number_text(cell.mean, places)
    return f"{mean} ({ends_text(cell, places, ' to ')})" if cell.bounded else mean


def decimals(cells: Iterable[Cell], most: int) -> int:
    """Return the number of decimals of a column: `most`, or 0 if all its numbers are whole."""
    numbers = [n for cell in cells for n in _numbers(cell)]
    return 0 if all(float(n).is_integer() for n in numbers) else most


def value_decimals(cells: Sequence[Cell]) -> int:
    """Return the decimals of objectives: 0 or 1, but four digits if most objectives are small."""
    places = decimals(cells, 1)
    sizes = [abs(n) for cell in cells for n in _numbers(cell) if n and isfinite(n)]
    typical = median(sizes) if sizes else HUGE
    return 3 - floor(log10(typical)) if places and typical < SMALL else places


def _numbers(cell: Cell) -> tuple[float, ...]:
    if isinstance(cell, Interval):
        return (cell.mean, cell.low, cell.high) if cell.bounded else (cell.mean,)
    return () if cell is None or isinstance(cell, str) else (cell,)


def ends_text(interval: Interval, places: int, between: str) -> str:
    """Show both ends of an interval."""
    return between.join(number_text(end, places) for end in (interval.low, interval.high))


def number_text(value: float, places: int) -> str:
    """Show a number, without a minus before zero."""
    if not isfinite(value) or abs(value) >= HUGE:
        return f"{value:.3g}"
    return f"{round(value, places) + 0.0:.{places}f}"  # Adding 0 takes the sign off a zero.


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of numbers, or of texts."""

    head: str
    digits: int | None = 0
    """Number of decimals, None for a column of texts."""
    best: Literal["min", "max"] | None = None
    """The number of a row group shown in bold. Numbers equal as shown are all bold."""
    over: str = ""
    """A head above this one, which neighbours may share."""
    about: str = ""
    """One-line description of the cells, for lists of columns."""
    notes: tuple[str, ...] = ()
    """Sentences below every table that shows the column. A sentence about several columns belongs
    to each of them and is written once."""
    legend: tuple[str, ...] = ()
    """Sentences on its marks or intervals, for the legend of every table that shows the column."""
    floor: float = 0
    """Numbers from 0 to below this one are shown as less than it."""
    optional: int = 0
    """Priority with which a narrow table leaves the column out, the highest first, 0 for never."""
    beside: bool = False
    """True for marks of the numbers in the column before, which print next to them."""

    @property
    def name(self) -> str:
        """Both heads in one line."""
        return f"{self.over}: {self.head}" if self.over else self.head

    def text(self, cell: Cell) -> str:
        """Return a cell of this column as text."""
        if self.floor and isinstance(cell, int | float) and 0 <= cell < self.floor:
            return f"< {self.floor:g}"
        return cell_text(cell, self.digits)


def texts(*heads: str, over: str = "") -> tuple[Column, ...]:
    """Return columns of texts."""
    return tuple(Column(head=head, digits=None, over=over) for head in heads)


def numbers(*heads: str, digits: int = 0, over: str = "") -> tuple[Column, ...]:
    """Return columns of numbers with as many decimals."""
    return tuple(Column(head=head, digits=digits, over=over) for head in heads)


def columns_of(heads: Mapping[str, int | None], over: str = "") -> tuple[Column, ...]:
    """Return columns with their number of decimals by head, None for texts."""
    return tuple(Column(head=head, digits=digits, over=over) for head, digits in heads.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A caption, columns, rows of equal length, and notes below."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    """Paragraphs below the notes of the columns, independent of the columns shown."""
    shared: int = 0
    """Number of leading cells that define a group of consecutive rows."""
    legend: str = ""
    """Meaning of marks, independent of the columns shown."""
    bold: str = ""
    """Meaning of bold numbers, as in "the best of each group", unused without a best column."""
    measures: tuple[Column, ...] = ()
    """The measure of each row if methods are columns: its decimals and best number."""
    captioned: bool = False
    """True if the caption contains facts missing in the heads. Markdown then shows it, too."""

    def __post_init__(self) -> None:
        """Refuse a row with too many or too few cells."""
        wrong = [row for row in self.rows if len(row) != len(self.columns)]
        if wrong:
            raise ValueError(f"{wrong[0]!r} has {len(wrong[0])} cells for {len(self.columns)}")

    @property
    def long_caption(self) -> str:
        """The caption with the meaning of marks."""
        return " ".join([f"{self.caption}.", *self.marks()]) if self.marks() else self.caption

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The notes of the shown columns as one paragraph, and the notes of the table."""
        of_columns = " ".join(dict.fromkeys(note for one in self._shown() for note in one.notes))
        return (of_columns, *self.notes) if of_columns else self.notes

    @property
    def below(self) -> tuple[str, ...]:
        """All notes with the meaning of marks, if there is no room for a long caption."""
        return (" ".join(self.marks()), *self.paragraphs) if self.marks() else self.paragraphs

    def marks(self, sign: str = "Bold") -> tuple[str, ...]:
        """Return sentences on marks and intervals, where `sign` marks the best number."""
        shown = self._shown()
        bold = (f"{sign}: {self.bold}.",) if self.bold and any(one.best for one in shown) else ()
        of_columns = dict.fromkeys(sentence for one in shown for sentence in one.legend)
        return (*[self.legend] * bool(self.legend), *of_columns, *bold)

    def with_places(self, kept: Sequence[int]) -> "Table":
        """Return the table with these columns in this order, where those of groups come first."""
        return replace(
            self,
            columns=tuple(self.columns[j] for j in kept),
            rows=tuple(tuple(row[j] for j in kept) for row in self.rows),
            shared=sum(j < self.shared for j in kept),
        )

    def _shown(self) -> tuple[Column, ...]:
        """Return all columns, and the measures of rows if methods are columns."""
        return (*self.columns, *self.measures)

    def text(self, i: int, j: int) -> str:
        """Return the text of a cell."""
        return self.kind(i, j).text(self.rows[i][j])

    def texts(self) -> list[list[str]]:
        """Return the texts of all cells by row."""
        return [[self.text(i, j) for j in range(len(self.columns))] for i in range(len(self.rows))]

    def kind(self, i: int, j: int) -> Column:
        """Return the column of a cell, or its row's measure if rows are measures."""
        column = self.columns[j]
        return self.measures[i] if self.measures and column.digits is not None else column

    def groups(self) -> Iterator[list[int]]:
        """Yield the positions of the rows of each group, a single group without `shared`."""
        places = range(len(self.rows))
        for _, some in groupby(places, key=lambda i: self.rows[i][: self.shared]):
            yield list(some)

    def best(self) -> set[tuple[int, int]]:
        """Return row and column of the best numbers, unless all are equal."""
        return {place for places in self._compared() for place in self._best(places)}

    def _compared(self) -> Iterator[list[tuple[int, int]]]:
        """Yield the places of numbers among which one is best: of a column, or of a measure."""
        width = range(len(self.columns))
        if self.measures:
            yield from ([(i, j) for j in width] for i in range(len(self.rows)))
        else:
            yield from ([(i, j) for i in rows] for rows in self.groups() for j in width)

    def _best(self, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the positions whose number is equal as shown to the minimum or maximum."""
        kind = self.kind(*places[-1])
        cells = {(i, j): self.rows[i][j] for i, j in places}
        values = {at: None if isinstance(c, Aside) else mean(c) for at, c in cells.items()}
        numbers = {at: value for at, value in values.items() if value is not None}
        finite = {at: value for at, value in numbers.items() if kind.best and isfinite(value)}
        least = (min if kind.best == "min" else max)(finite.values(), default=0.0)
        best = [at for at, value in finite.items() if kind.text(value) == kind.text(least)]
        return best if len(best) < len(finite) else []


def mean(cell: Cell) -> float | None:
    """Return the number of a cell, if it has one."""
    if isinstance(cell, Interval):
        return cell.mean
    return None if isinstance(cell, str) else cell


Heads = Mapping[str, int | Mapping[str, int | None] | None]
"""Columns by head: decimals of each, None for texts, or the columns below a common head."""


def table_of(
    caption: str,
    columns: Heads | Sequence[Column],
    rows: Iterable[tuple[Cell, ...]],
    *notes: str,
    shared: int = 0,
) -> Table:
    """Return a table. Its columns may be given by their heads."""
    shown = tuple(_columns(columns) if isinstance(columns, Mapping) else columns)
    return Table(caption=caption, columns=shown, rows=tuple(rows), notes=notes, shared=shared)


def _columns(heads: Heads) -> Iterator[Column]:
    for head, digits in heads.items():
        if isinstance(digits, Mapping):
            yield from columns_of(digits, over=head)
        else:
            yield Column(head=head, digits=digits)
