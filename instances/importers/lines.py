"""The text of a log, and the values of its lines, with or without a header."""

import csv
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from typing import Self

from ..errors import ABSENT, Problem, Words, nearest, quoted, shorten, unknown
from ..reading.decode import utf8
from .reading import Cells, Reading, Record

EMPTY = Words("an empty file")
NAMES = {",": "commas", "\t": "tabs", "|": "bars (|)", ";": "semicolons"}

Line = tuple[Record, list[str] | Problem]
"""A line with its values, or the reason why it has none."""


def decoded(data: bytes, reading: Reading) -> str:
    """Return a log as text: UTF-8, or UTF-16 with a byte order mark, or Latin-1 line by line."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return data.decode("utf-16", "strict" if reading.strict else "replace")
    try:
        return utf8(data)
    except UnicodeDecodeError:
        if reading.strict:
            raise
    lines = data.split(b"\n")
    for i, line in enumerate(lines):
        try:
            line.decode()
        except UnicodeDecodeError:
            reading.remark("lines that are not UTF-8, read as Latin-1")
            lines[i] = line.decode("latin-1").encode()
    return utf8(b"\n".join(lines))


def records(text: str, delimiter: str) -> Iterator[Line]:
    """Yield each non-empty line with its values. Only comma-separated values may be quoted."""
    for number, line in enumerate(StringIO(text, newline=""), 1):
        record = Record(f"line {number}", line.rstrip("\r\n").removeprefix("\ufeff"))
        try:
            cells = [cell.strip() for cell in _split(record.text, delimiter)]
        except csv.Error as error:
            found = Words(f"a line that cannot be split ({error})")
            yield record, Problem("", found, "values separated by commas", "check its quotes")
        else:
            if any(cells):
                yield record, cells


def _split(line: str, delimiter: str) -> list[str]:
    if delimiter == "," and '"' in line:
        return next(csv.reader([line], strict=True), [])
    return line.split(delimiter)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineLayout:
    """The layout of a table's lines."""

    needed: Sequence[str]
    """Required columns."""
    others: Sequence[str] = ()
    """Optional columns."""
    mark: str = ""
    """A required column that is not used."""
    strangers: Mapping[str, str] = field(default_factory=dict)
    """Columns that indicate another format, with the remedy."""
    delimiter: str = ","
    headless: bool = True
    """True if --columns may name the columns."""
    mend: Callable[[list[str], list[str], Reading], list[str]] | None = None
    """Merges surplus values to match the header, if possible."""

    def grouped(self, column: str) -> Self:
        """Return the layout in which the user has named a further required column, if any."""
        more = [] if column in ("", *self.needed) else [column]
        return replace(self, needed=(*self.needed, *more))

    def heads(self, cells: list[str]) -> bool:
        """Return True if a line names all required columns."""
        return self.needed[0] in cells and not set(self.needed).difference(cells)

    def plain(self, header: list[str]) -> bool:
        """Return True if no used column appears twice."""
        return all(header.count(name) <= 1 for name in (*self.needed, *self.others) if name)

    def unused(self, header: list[str]) -> dict[str, None]:
        """Return the unused columns."""
        return dict.fromkeys(c for c in header if c and c not in (*self.needed, *self.others))


def table(
    text: str, layout: LineLayout, reading: Reading, given: Sequence[str] = ()
) -> Iterator[tuple[Record, Cells | Problem]]:
    """Yield the lines of a table. A header may follow other lines, and may be repeated.

    Args:
        text: The whole table.
        layout: The layout of its lines.
        reading: Collector of problems with the header.
        given: The columns, if there is no header. Otherwise names of columns in the header, as
            ``arrival_s=submit``.
    """
    pairs = [name.partition("=") for name in given if "=" in name]
    ours = {theirs.strip(): own.strip() for own, _, theirs in pairs}
    headers = [list(given)] if given and not ours else []
    above: list[Record] = []
    first: list[str] = []
    if headers and not _fits("--columns", headers[0], layout, reading):
        return
    known = [name for name in (*layout.needed, *layout.others) if name]
    for own in ours.values():
        if own not in known:
            reading.note(unknown("--columns", own, known, "choose one of them"))
    for record, cells in records(text, layout.delimiter):
        if isinstance(cells, list) and ours:
            named = [ours.get(name, name) for name in cells]
            cells = named if not headers or layout.heads(named) else cells
        if isinstance(cells, list) and layout.heads(cells):
            if headers:
                yield record, AGAIN
            elif not _fits(record.place, cells, layout, reading) or (
                not headers and _lost(ours, record, layout, reading)
            ):
                return
            yield from ((line, ABOVE) for line in above)
            above = []
            headers += [cells] if layout.plain(cells) else []
        elif headers:
            yield record, _row(cells, headers, layout, reading)
        else:
            above.append(record)
            first = first or (cells if isinstance(cells, list) else [record.text])
    for header in headers:
        reading.unused |= layout.unused(header)
    if not headers and not (
        set(ours.values()) & {*first} and _lost(ours, above[0], layout, reading)
    ):
        _no_header(above, first, layout, reading)


def _lost(
    ours: Mapping[str, str], header: Record, layout: LineLayout, reading: Reading
) -> list[str]:
    """Return the columns that --columns names and a header lacks, after reporting them."""
    there = [name.strip() for name in _split(header.text, layout.delimiter)]
    lost = [name for name in ours if name not in there]
    for name in lost:
        expected = f"a column of the log: {shorten(Words(', '.join(there)), 200)}"
        reading.note(unknown("--columns", name, there, "name one of them", expected))
    return lost


def _row(
    cells: list[str] | Problem, headers: list[list[str]], layout: LineLayout, reading: Reading
) -> Cells | Problem:
    """Return the values of a line under the last header with equally many columns."""
    if isinstance(cells, Problem):
        return cells
    header = next((h for h in reversed(headers) if len(h) == len(cells)), headers[-1])
    if layout.mend and len(cells) > len(header):
        cells = layout.mend(cells, header, reading)
    return by_column(cells, header, reading, "in the header")


ABOVE = Problem("", Words("a line above the header"), "no line above the header", "remove the line")
AGAIN = Problem("", Words("a header"), "no second header", "remove the line")


def by_column(
    cells: list[str], header: Sequence[str], reading: Reading, like: str
) -> Cells | Problem:
    """Return the values of a line by column, or the reason why it has none."""
    if len(cells) == len(header):
        return Cells(dict(zip(header, cells, strict=True)), reading)
    expected = f"{len(header)} cells, as {like}"
    return Problem("", Words(f"{len(cells)} cells"), expected, "correct or remove the line")


def _no_header(above: list[Record], first: list[str], layout: LineLayout, reading: Reading) -> None:
    """Report that no line names the columns, and the most similar line."""
    if not above:
        reading.reject("file", EMPTY, "names of columns, then a line for each job", "complete it")
        return
    names = set(layout.needed)
    known = names.intersection(first)
    used = next((d for d in NAMES if d != layout.delimiter and d in first[0]), None)
    if len(first) == 1 and len(names) > 1 and used:
        expected = f"columns separated by {NAMES[layout.delimiter]}"
        advice = f"use this separator, or check the format (found {NAMES[used]})"
        reading.reject(above[0].place, first[0], expected, advice)
    elif known or any(nearest(name, first) for name in names):
        _fits(above[0].place, first, layout, reading)
    else:
        expected = f"a header with the columns {', '.join(layout.needed)}"
        named = ", or name the columns with --columns" if layout.headless else ""
        advice = f"check the format, add a header{named}"
        reading.reject(above[0].place, above[0].text, expected, advice)


def _fits(place: str, header: list[str], layout: LineLayout, reading: Reading) -> bool:
    """Report columns that are missing, duplicate, or indicate another format."""
    before = len(reading.problems)
    others = [name for name in header if name not in layout.needed]
    for name in filter(None, (*layout.needed, layout.mark)):
        if name not in header:
            like = nearest(name, others)
            known = f"The columns are {shorten(', '.join(header), 200)}"
            advice = f"rename column {quoted(like)}" if like else "check the format"
            if layout.headless:
                word = like if like and like.isprintable() else "NAME"
                advice += f", or name it: --columns {name}={word}"
            advice += "" if like else f". {known}"
            reading.reject(place, ABSENT, f"a column {name}", advice)
    for name in filter(None, (*layout.needed, *layout.others)):
        if header.count(name) > 1:
            found = Words(f"column {name} {header.count(name)} times")
            reading.reject(place, found, "it once", "remove or rename one")
    for name, advice in layout.strangers.items():
        if name in header:
            reading.reject(place, Words(f"column {name}"), "a list without it", advice)
    return len(reading.problems) == before
