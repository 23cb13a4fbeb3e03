"""Separated text into lines of cells, under a header or without one."""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO

from ..decode import Decoder
from ..errors import ABSENT, Words, nearest, quoted, shorten
from .cells import Cells

EMPTY = Words("an empty file")
NAMES = {",": "commas", "\t": "tabs", "|": "bars (|)", ";": "semicolons"}


def records(text: str, delimiter: str, faults: Decoder) -> Iterator[tuple[int, list[str]]]:
    """Yield number and cells of the lines that hold anything; only commas come with quotes."""
    reader = csv.reader(
        StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE,
        strict=True,
    )
    try:
        for record in reader:
            cells = [cell.strip() for cell in record]
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        found = Words(f"a line that cannot be split ({error})")
        advice = "check its quotes"
        faults.fault(f"line {reader.line_num}", found, "cells separated by commas", advice)


def table(
    text: str, columns: Sequence[str], faults: Decoder, delimiter: str = ","
) -> Iterator[Cells]:
    """Yield the lines below a header that has all these columns, perhaps among others."""
    lines = records(text, delimiter, faults)
    number, header = next(lines, (0, []))
    if not header:
        if not faults.problems:
            faults.fault("file", EMPTY, "names of columns, then a line for each job", "complete it")
        return
    if not _fits(number, header, columns, delimiter, faults):
        return
    for number, cells in lines:
        place = f"line {number}"
        if len(cells) == len(header):
            yield Cells(place, dict(zip(header, cells, strict=True)), faults)
        else:
            found = Words(f"{len(cells)} cells")
            expected = f"{len(header)}, as many as the header has"
            faults.fault(place, found, expected, "correct or remove the line")


def _fits(
    number: int, header: list[str], columns: Sequence[str], delimiter: str, faults: Decoder
) -> bool:
    """Note the columns that are missing or stand twice."""
    place, before = f"line {number}", len(faults.problems)
    used = next((d for d in NAMES if d != delimiter and d in header[0]), None)
    if len(header) == 1 and len(columns) > 1 and used:
        expected = f"columns separated by {NAMES[delimiter]}"
        advice = f"separate them so, or check the format; here stand {NAMES[used]}"
        faults.fault(place, header[0], expected, advice)
        return False
    others = [name for name in header if name not in columns]
    for name in columns:
        if name not in header:
            like = nearest(name, others)
            known = f"the columns are {shorten(', '.join(header), 200)}"
            advice = f"rename column {quoted(like)}" if like else f"check the format; {known}"
            faults.fault(place, ABSENT, f"a column {name}", advice)
        elif header.count(name) > 1:
            found = Words(f"column {name} {header.count(name)} times")
            faults.fault(place, found, "it once", "remove or rename one")
    return len(faults.problems) == before
