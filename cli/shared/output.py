"""Output of commands: JSON on standard output, tables, and errors on standard error."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import zip_longest
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from ...instances.errors import InputError, RingyardError, visible
from .progress import clear, messages, results

if TYPE_CHECKING:
    from ...analysis.tables.model import Table
    from ...families.family import Family


class _Streams:
    """Stream of results: standard error if standard output is used for a file."""

    diverted = False
    printed: ClassVar[list[str]] = []
    failed: OSError | None = None


def begin() -> None:
    """Clear the printed results. Results use standard output."""
    _Streams.diverted, _Streams.printed, _Streams.failed = False, [], None


def divert() -> None:
    """Send results to standard error from now on."""
    _Streams.diverted = True


def printed() -> str:
    """Return the results so far, for the case that standard output lost them."""
    return "".join(_Streams.printed)


NARROWEST = 20
"""Least width of a last column that is wrapped alone."""


def emit(value: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    import json

    _result(json_visible(json.dumps(value, indent=2, ensure_ascii=not _unicode(results()))))


def say(text: str = "") -> None:
    """Print a line, or several, on standard output."""
    _result(_printable(text, results()))


def _result(text: str) -> None:
    if _Streams.diverted:
        note(text)
    else:
        clear()
        _Streams.printed.append(text + "\n")
        _tried(lambda: results().write(text + "\n"))


class Printed:
    """Results that another package's command prints with `print`, redirected to `say`."""

    def __init__(self) -> None:
        """Write to the current stream of results."""
        self._stream = results()

    def write(self, text: str) -> int:
        """Print a text on standard output, or on standard error if that is used for a file."""
        stream = messages() if _Streams.diverted else self._stream
        clear()
        if not _Streams.diverted:
            _Streams.printed.append(text)
        _tried(lambda: stream.write(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the stream."""
        return getattr(self._stream, name)


def flush() -> None:
    """Flush the printed text."""
    _tried(results().flush)


def finish() -> None:
    """Flush the printed text. Raise earlier write errors."""
    flush()
    if _Streams.failed is not None:
        raise _Streams.failed


def _tried(do: Callable[[], object]) -> None:
    """Write, or store the error: a full disk must not stop the command."""
    if _Streams.failed is None:
        try:
            do()
        except BrokenPipeError:
            raise
        except OSError as error:
            _Streams.failed = error


def note(text: str) -> None:
    """Print a line on standard error, after earlier output. Ignore a closed stream."""
    flush()
    clear()
    with suppress(OSError, ValueError):
        messages().write(_printable(text, messages()) + "\n")
        messages().flush()


def json_visible(text: str) -> str:
    """Escape unprintable characters in the text of a JSON object, all within its strings."""
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        c if c.isprintable() or c == "\n" else f"\\u{ord(c):04x}" if ord(c) < 2**16 else c
        for c in text
    )


def _unicode(stream: TextIO) -> bool:
    return (stream.encoding or "utf-8").lower().replace("-", "") in ("utf8", "utf16", "utf32")


def _printable(text: str, stream: TextIO) -> str:
    """Escape control characters, and characters that the encoding lacks."""
    text = visible(text, but="\n")
    if _unicode(stream):
        return text
    return text.encode(stream.encoding, "backslashreplace").decode(stream.encoding)


def report_error(error: RingyardError) -> None:
    """Print an error, with one line for each problem of an input."""
    if isinstance(error, InputError):
        count = len(error.problems)
        note(f"error: {error.source}: {count} problem{'s' if count != 1 else ''}")
        for problem in error.problems:
            note(f"  {problem}")
    else:
        note(f"error: {error}")


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[Any]],
    kinds: Sequence[bool] | None = None,
) -> None:
    """Print rows in aligned columns, numbers to the right. Long last cells wrap.

    For a terminal all text columns are wrapped if necessary to make lines fit. If that is not
    enough, each row becomes a paragraph. `kinds` marks columns of numbers that are texts here.
    """
    texts = [[cell(value) for value in row] for row in rows]
    kinds = (
        kinds
        or [
            all(isinstance(v, int | float | Fraction | None) for v in column)
            for column in zip(*rows, strict=True)
        ]
        or [False] * len(headers)
    )
    widths = _widths(headers, texts, kinds)
    if widths is None:
        for row in texts:
            say("\n".join(paragraph(headers, row, _columns() or 0)))
        return
    folds = [[_fold(part, width) for part, width in zip(row, widths, strict=True)] for row in texts]
    apart = any(len(part) > 1 for row in folds for part in row[:-1])
    _line([_fold(head, width) for head, width in zip(headers, widths, strict=True)], widths, kinds)
    _line([["-" * width] for width in widths], widths, kinds)
    for i, cells in enumerate(folds):
        if apart and i:
            say()
        _line(cells, widths, kinds)


def _widths(
    headers: Sequence[str], texts: Sequence[Sequence[str]], kinds: Sequence[bool]
) -> list[int] | None:
    """Return the column widths, or None if lines would not fit into the terminal."""
    widths = [
        max(len(header), *(len(row[i]) for row in texts), 1) for i, header in enumerate(headers)
    ]
    columns = _columns() or 0
    if (room := columns - sum(widths[:-1]) - 2 * (len(widths) - 1)) >= NARROWEST:
        widths[-1] = min(widths[-1], room)
    elif terminal():
        for i, header in enumerate(headers):
            if kinds[i]:
                widths[i] = max(map(len, [*header.split(), *(row[i] for row in texts)]))
        return folded(widths, kinds, columns)
    return widths


def _fold(text: str, width: int) -> list[str]:
    return wrap(text, width) if len(text) > width else [text]


def _line(cells: Sequence[list[str]], widths: Sequence[int], kinds: Sequence[bool]) -> None:
    """Print the lines of cells side by side."""
    for parts in zip_longest(*cells, fillvalue=""):
        aligned = [
            part.rjust(width) if right else part.ljust(width)
            for part, width, right in zip(parts, widths, kinds, strict=True)
        ]
        say("  ".join(aligned).rstrip())


def show_rows(headers: Sequence[str], rows: Sequence[Sequence[Any]], total: int) -> None:
    """Print the first rows, and report how many are left out."""
    if rows:
        table(headers, rows)
    if total > len(rows):
        say(f"  ... and {total - len(rows)} more (--jobs N shows more)")


def terminal() -> int | None:
    """Return the width of the terminal that shows the output, or None without a terminal."""
    return _columns() if results().isatty() else None


def show_table(one: "Table", most: int | None = None) -> None:
    """Print a table, and an empty line.

    A table wider than the terminal is wrapped. If that is not enough, the last numeric columns are
    left out. With `most`, optional columns are left out first, and without a terminal, lines have
    at most `most` characters.
    """
    columns = terminal()
    room = columns or most or 0
    text, out = _shortened(one, room, optional=most is not None)
    if columns is None or _wide(text) <= columns:
        why = "the terminal is too narrow" if columns else f"a line has at most {room} characters"
        hidden = f"hidden, because {why}: {'; '.join(out)}"
        say(f"{text}\n" + (fill(hidden, room or NARROWEST) + "\n" if out else ""))
        return
    say(f"{one.caption}\n")
    heads = [column.name for column in one.columns]
    numbers = [column.digits is not None for column in one.columns]
    rows = one.texts()
    left = list[str]()
    while sum(numbers) > 1 and _widths(heads, rows, numbers) is None:
        last = len(numbers) - 1 - numbers[::-1].index(True)
        left.insert(0, heads[last])
        heads, numbers = (
            [*heads[:last], *heads[last + 1 :]],
            [*numbers[:last], *numbers[last + 1 :]],
        )
        rows = [[*row[:last], *row[last + 1 :]] for row in rows]
    table(heads, rows, numbers)
    if left:
        say("\n" + fill(f"hidden, because the terminal is too narrow: {', '.join(left)}", columns))
    say()
    if one.below:
        say("\n".join(fill(below, columns) for below in one.below) + "\n")


def _shortened(one: "Table", room: int, *, optional: bool) -> tuple[str, list[str]]:
    """Return a table as text, and the names of its optional columns that have no room."""
    from ...analysis.tables.notations import NOTES, to_plain

    kept, text = list(range(len(one.columns))), to_plain(one, room or NOTES).rstrip()
    while optional and room and _wide(text) > room:
        last = max(reversed(kept), key=lambda j: one.columns[j].optional)
        if not one.columns[last].optional:
            break
        kept.remove(last)
        text = to_plain(one.with_places(kept), room).rstrip()
    return text, [column.name for j, column in enumerate(one.columns) if j not in kept]


def _wide(text: str) -> int:
    return max(map(len, text.splitlines()))


def _columns() -> int | None:
    """Return the line width: COLUMNS, or the terminal's, or None."""
    printed = os.environ.get("COLUMNS", "")
    if printed.isdecimal() and int(printed):
        return int(printed)
    try:
        return os.get_terminal_size(results().fileno()).columns
    except (OSError, ValueError):
        return None


def cell(value: Any) -> str:
    """Format a value for a table: exact integers, other numbers to 4 decimals, - for None."""
    if value is None:
        return "-"
    if isinstance(value, Fraction):
        from ...instances.reading.encode import fraction_text

        return fraction_text(value)
    return f"{value:.4g}" if isinstance(value, float) else visible(str(value))


def timed(seconds: Any, shown: str = "", unit: str = "s") -> str:
    """Format seconds, or a time in another unit. Long times also in hours or days."""
    text = f"{shown or cell(seconds)} {unit}"
    for length, longer in ((86_400, "d"), (3_600, "h")):
        if seconds >= 2 * length and longer != unit:
            return f"{text} ({float(seconds) / length:,.1f} {longer})"
    return text


def valued(family: "Family", value: Fraction | None) -> str:
    """Format an objective with its unit. Long times also in hours or days."""
    if value is None or not family.clock:
        return family.valued(cell(value))
    return timed(value * (3600 if family.clock == "h" else 1), cell(value), family.clock)


def percent(value: Fraction | float | None) -> str:
    """Format a ratio in per cent."""
    return "-" if value is None else f"{100 * float(value):.2f} %"


LEAST = 18
"""Least width of a wrapped column."""

SHORT = 24
"""Length up to which cells share a line of a paragraph."""


def folded(widths: Sequence[int], kinds: Sequence[bool], columns: int) -> list[int] | None:
    """Return widths with which lines fit, keeping numbers and if possible the first column whole.

    The widest text columns shrink first. Return None if that is not enough.
    """
    room = columns - 2 * (len(widths) - 1)
    for whole in ({0}, set[int]()):
        texts = [i for i, right in enumerate(kinds) if not right and i not in whole]
        left = room - sum(width for i, width in enumerate(widths) if i not in texts)
        for level in range(max(*widths, LEAST), LEAST - 1, -1):
            if sum(min(widths[i], level) for i in texts) <= left:
                return [min(w, level) if i in texts else w for i, w in enumerate(widths)]
    return None


def paragraph(headers: Sequence[str], cells: Sequence[str], columns: int) -> Iterator[str]:
    """Yield the lines of a row: its first cell, then the other cells that are not empty."""
    yield cells[0]
    pairs = zip(headers[1:], cells[1:], strict=True)
    text = [head if text == "*" else f"{head}: {text}" for head, text in pairs if text]
    line = ""
    for one in text:
        if line and (len(one) > SHORT or len(line) + 2 + len(one) > columns):
            yield line
            line = ""
        if len(one) > SHORT:
            yield from wrap(one, columns, initial_indent="  ", subsequent_indent="    ")
        else:
            line += f"  {one}"
    if line:
        yield line
