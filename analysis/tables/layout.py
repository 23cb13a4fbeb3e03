"""The layout of a table on a page: type size, column widths, and parts if necessary."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, takewhile
from re import fullmatch

from ..intervals import Interval
from .latex_text import BOLD, in_lines, least_width, text_width, widest
from .model import Column, Table, ends_text

NUMBER = r"(-?)([0-9]+)(?:\.([0-9]+))?"
"""A number as siunitx reads it: sign, digits, decimals."""

TEXT_WIDTH = 345.0
"""Points in a line of the article class at 10 points, on A4 as on letter paper."""

TEXT = 110.0
"""The widest text allowed in a column of numbers. A column with a wider text is a text column."""

INTERVAL = 0.8
"""Width of 10-point text in the type of intervals, which is always the smallest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeSize:
    """A size of type, with half the space between columns, and how narrow texts may become."""

    size: str
    scale: float
    """Width of 10-point text in this type. Small letters shrink less in width than in height."""
    line: float
    space: float
    least: float
    head: float
    """Heads up to this width, in points of 10, stay in one line."""


APART = TypeSize(size="footnotesize", scale=0.85, line=9.5, space=3, least=52, head=38)
"""Type of a table in parts."""

STEPS = (
    TypeSize(size="normalsize", scale=1.0, line=12, space=6, least=110, head=56),
    TypeSize(size="small", scale=0.925, line=11, space=5, least=110, head=56),
    TypeSize(size="footnotesize", scale=0.85, line=9.5, space=4, least=80, head=56),
    APART,
    TypeSize(size="scriptsize", scale=0.8, line=8, space=2.5, least=40, head=38),
)
"""Sizes in the order of preference. If none of them fits, the table is split into parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnShape:
    """A column in print, with widths at 10 points until it is placed."""

    place: int
    title: str
    head: tuple[str, ...]
    """The title in lines."""
    format: str | None
    """The siunitx format of its numbers, None for texts."""
    body: float
    """The width of texts, or of numbers without intervals."""
    ends: float
    """The width of what stands beside the numbers, intervals or marks, 0 without either."""
    over: float = 0
    """Its share of the width that the words of the head above need."""
    marked: bool = False
    """True if marks stand beside the numbers."""
    squeezed: float | None = None
    """The width at which its texts are broken into lines."""
    breadth: float = 0
    """The same, in points of 10."""

    def width(self, scale: float) -> float:
        """Return the width at a scale."""
        if self.squeezed is not None:
            return self.squeezed
        pair = self.body * scale + (self.ends + 3 if self.ends else 0)
        return max(pair, widest(self.head) * scale, self.over * scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLayout:
    """Shapes of columns, in one part or in several below each other."""

    step: TypeSize
    parts: tuple[tuple[ColumnShape, ...], ...]


def compact(table: Table, width: float) -> tuple[Table, tuple[str, ...]]:
    """Return the table without the optional columns that it has no room for, and their names.

    On the width of a page, there is room if the table comes in one part. In a column, that part
    must be in type of 8 points or more, without broken short texts.
    """
    kept = list(range(len(table.columns)))
    found = table
    while not _has_room(found, width):
        last = max(reversed(kept), key=lambda j: table.columns[j].optional)
        if not table.columns[last].optional:
            break
        kept.remove(last)
        found = table.with_places(kept)
    names = (one.name for j, one in enumerate(table.columns) if j not in kept)
    return found, tuple(names)


def _has_room(table: Table, width: float) -> bool:
    if width >= TEXT_WIDTH:
        return len(lay_out(table, width).parts) == 1
    return any(_neat(table, step, width) for step in STEPS)


def lay_out(table: Table, width: float) -> TableLayout:
    """Return the largest type in which all columns fit, or else parts that fit.

    Narrower columns of longer texts and smaller type are preferred to a column of short texts with
    several lines in every row.
    """
    neat = ((step, _neat(table, step, width)) for step in STEPS)
    calm = ((step, _calm(table, step, width)) for step in STEPS)
    squeezed = ((step, _fit(_shapes(table, step), step, width)) for step in STEPS)
    for step, part in chain(neat, calm, squeezed):
        if part:
            return TableLayout(step=step, parts=(part,))
    shapes = _shapes(table, APART)
    texts = len(list(takewhile(lambda shape: shape.format is None, shapes)))
    lead = min(max(table.shared, min(texts, 2)), len(shapes) - 1)
    return TableLayout(step=APART, parts=tuple(_parts(shapes[:lead], shapes[lead:], width)))


Fitted = tuple[ColumnShape, ...] | None


def _neat(table: Table, step: TypeSize, width: float) -> Fitted:
    """Fit the columns in type of 8 points or more without a second line for any short text."""
    if step.scale < APART.scale:
        return None
    shapes = _shapes(table, step)
    short = (one.place for one in shapes if one.place >= table.shared and one.body <= TEXT)
    return _fit(shapes, step, width, set(short))


def _calm(table: Table, step: TypeSize, width: float) -> Fitted:
    """Fit the columns without squeezing columns of short texts."""
    shapes, whole = _shapes(table, step), set[int]()
    while fitted := _fit(shapes, step, width, whole):
        restless = {shape.place for shape in fitted if _restless(table, shape)}
        if not restless:
            break
        whole |= restless
    return fitted


def _restless(table: Table, shape: ColumnShape) -> bool:
    """Return True if a column of short texts is so narrow that each of them takes several lines."""
    if shape.squeezed is None or shape.place < table.shared or shape.body > TEXT:
        return False
    texts = (table.text(i, shape.place) for i in range(len(table.rows)))
    return all(len(in_lines(text, shape.breadth)) > 1 for text in texts)


def _shapes(table: Table, step: TypeSize) -> list[ColumnShape]:
    found: list[ColumnShape] = []
    for place, column in enumerate(table.columns):
        if not column.beside or not found or found[-1].place != place - 1 or not found[-1].marked:
            found.append(_shape(table, place, step))
    whole: list[ColumnShape] = []
    for over, group in groupby(found, key=lambda shape: table.columns[shape.place].over):
        some = list(group)
        whole += (replace(shape, over=least_width(over) / len(some)) for shape in some)
    return whole


def _shape(table: Table, place: int, step: TypeSize) -> ColumnShape:
    column, cells = table.columns[place], [row[place] for row in table.rows]
    kinds = [table.kind(i, place) for i in range(len(cells))]
    whole = [c.mean if isinstance(c, Interval) else c for c in cells]
    means = [kind.text(cell) for kind, cell in zip(kinds, whole, strict=True)]
    found = [fullmatch(NUMBER, mean) for mean in means]
    numbers = [match for match in found if match and column.digits is not None]
    texts = [mean for mean, match in zip(means, found, strict=True) if not match]
    bold = BOLD if any(kind.best for kind in kinds) else 1
    if not numbers or widest(texts) > TEXT:
        body = widest(["--", *map(Column.text, kinds, cells)]) * bold
        return ColumnShape(
            place=place,
            title=column.head,
            head=_head(column.head, body, step),
            format=None,
            body=body,
            ends=0,
        )
    sign = "-" if any(match[1] for match in numbers) else ""
    digits, places = (max(len(match[i] or "") for match in numbers) for i in (2, 3))
    marked = place + 1 < len(table.columns) and table.columns[place + 1].beside
    tails = [tail_of(table, i, place, marked=marked) for i in range(len(cells))]
    body = text_width(sign and "+") + 5 * (digits + places) + 1.7 * (digits // 3) + 2.8
    return ColumnShape(
        place=place,
        title=column.head,
        head=_head(column.head, body, step),
        format=f"{sign}{digits}.{places}" if places else f"{sign}{digits}",
        body=max(body * bold, widest(texts)),
        ends=widest(tails) * INTERVAL,
        marked=marked,
    )


def tail_of(table: Table, row: int, place: int, *, marked: bool) -> str:
    """Return what stands beside a number: its mark, or the ends of its interval."""
    if marked:
        return table.text(row, place + 1)
    cell = table.rows[row][place]
    if not isinstance(cell, Interval) or not cell.bounded:
        return ""
    return f"[{ends_text(cell, table.kind(row, place).digits or 0, ', ')}]"


def _head(text: str, body: float, step: TypeSize) -> tuple[str, ...]:
    return tuple(in_lines(text, max(step.head, min(TEXT, max(body, least_width(text))))))


def _fit(
    shapes: Sequence[ColumnShape], step: TypeSize, width: float, whole: Collection[int] = ()
) -> Fitted:
    """Return the shapes, long texts but `whole` squeezed as far as the step allows, if they fit."""
    stiff = {shape.place for shape in shapes if shape.format}.union(whole)
    room = width - 2 * step.space * (len(shapes) - 1)
    room -= sum(shape.width(step.scale) for shape in shapes if shape.place in stiff)
    texts = sorted(shape.width(step.scale) for shape in shapes if shape.place not in stiff)
    level = _level(texts, room)
    if level < min(step.least, max(texts, default=0)):
        return None
    return tuple(
        shape
        if shape.place in stiff or shape.width(step.scale) <= level
        else _squeezed(shape, level, step)
        for shape in shapes
    )


def _squeezed(shape: ColumnShape, level: float, step: TypeSize) -> ColumnShape:
    breadth = 0.97 * level / step.scale
    head = tuple(in_lines(shape.title, breadth))
    return replace(shape, squeezed=level, breadth=breadth, head=head)


def _level(widths: list[float], room: float) -> float:
    """Return the width at which to cut ascending widths, so that they fill the room."""
    for i, width in enumerate(widths):
        if width * (len(widths) - i) > room:
            return room / (len(widths) - i)
        room -= width
    return room + max(widths, default=0.0)


def _parts(
    lead: list[ColumnShape], rest: list[ColumnShape], width: float
) -> list[tuple[ColumnShape, ...]]:
    """Repeat the leading columns before groups of the remaining columns, evenly if that fits."""
    fitted = _filled(lead, rest, width)
    each = -(-len(rest) // len(fitted))
    even = [
        _fit([*lead, *rest[start : start + each]], APART, width)
        for start in range(0, len(rest), each)
    ]
    whole = [part for part in even if part is not None]
    return whole if len(whole) == len(even) else fitted


def _filled(
    lead: list[ColumnShape], rest: list[ColumnShape], width: float
) -> list[tuple[ColumnShape, ...]]:
    """Fill each part with as many columns as fit, without leading ones if necessary."""
    for count in range(len(rest), 0, -1):
        fitted = _fit([*lead, *rest[:count]], APART, width)
        if fitted:
            return [fitted, *(_filled(lead, rest[count:], width) if rest[count:] else [])]
    if lead:
        return _filled([], [*lead, *rest], width)
    return [(rest[0],), *(_filled([], rest[1:], width) if rest[1:] else [])]
