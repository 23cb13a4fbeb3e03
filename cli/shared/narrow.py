"""A table in fewer columns of characters than it needs: folded, or a paragraph for each row."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

LEAST = 18
"""No column is folded to less."""

SHORT = 24
"""Cells up to this length share a line of a paragraph."""


def folded(widths: Sequence[int], kinds: Sequence[bool], columns: int) -> list[int] | None:
    """Return widths with which lines fit, numbers and if possible the first column left whole.

    The widest texts give way first; None if that is not enough.
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
    """Yield the lines of a row: its first cell, and below it the others that say something."""
    yield cells[0]
    pairs = zip(headers[1:], cells[1:], strict=True)
    told = [head if text == "*" else f"{head}: {text}" for head, text in pairs if text]
    line = ""
    for one in told:
        if line and (len(one) > SHORT or len(line) + 2 + len(one) > columns):
            yield line
            line = ""
        if len(one) > SHORT:
            yield from wrap(one, columns, initial_indent="  ", subsequent_indent="    ")
        else:
            line += f"  {one}"
    if line:
        yield line
