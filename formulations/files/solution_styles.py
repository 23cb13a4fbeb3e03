"""Lines of solution files that are tables: of HiGHS, in its five styles, and of GLPK, in two."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

HIGHS_POINT, HIGHS_COLUMNS = "# Primal solution values", "# Columns"
OLD_HIGHS = "Number of columns and rows for primal or dual solution or basis"
GLPK_SIZES = re.compile(r"s (bas|mip|ipt) \d+ \d+ (\S+)")
GLPK_COLUMNS = "No. Column name"
NO_GLPK_POINT = re.compile("INFEASIBLE|UNDEFINED|EMPTY")
UNDEFINED = ("u", "n")
"""GLPK's letters for no point."""


class ValueLine(NamedTuple):
    """A column by name or by place, and its value, as a line of a file says it."""

    number: int
    """Of the line, from 1."""
    line: str
    column: str | int
    value: str | None
    """None if the line has none."""


def styled(lines: list[str]) -> Iterator[ValueLine] | None:
    """Return the values of columns if the lines are in one of these styles, else None.

    Without a point, nothing is yielded.
    """
    for begins, style in STYLES:
        at = next((n for n, line in enumerate(lines) if begins(line)), None)
        if at is not None:
            return style(lines, at)
    return None


def _highs(lines: list[str], at: int) -> Iterator[ValueLine]:
    """Read names and values. In the sparse style, the number of the column follows."""
    columns = (n for n in range(at, len(lines)) if lines[n].startswith(HIGHS_COLUMNS))
    begin = next(columns, len(lines))
    sparse = lines[begin : begin + 1] and lines[begin].split()[-1] == "sparse"
    for n in range(begin + 1, len(lines)):
        line = lines[n].strip()
        if line.startswith("#"):
            return
        words = line.rsplit(maxsplit=2 if sparse else 1)
        if words:
            yield ValueLine(n + 1, line, words[0], words[1] if len(words) > 1 else None)


def _old_highs(lines: list[str], at: int) -> Iterator[ValueLine]:
    """Read values in the order of columns."""
    begin = next((n for n in range(at, len(lines)) if lines[n] == "Columns"), len(lines))
    for place, n in enumerate(range(begin + 1, len(lines))):
        if lines[n] == "Rows":
            return
        yield ValueLine(n + 1, lines[n], place, lines[n].strip() or None)


def _pretty_highs(lines: list[str], at: int) -> Iterator[ValueLine]:
    """Read the table of columns, of which the head says the places."""
    head = lines[at]
    ends = [head.index(word) + len(word) for word in ("Upper", "Primal")]
    name = head.index("Name")
    for n in range(at + 1, len(lines)):
        if lines[n].startswith("Rows"):
            return
        if value := lines[n][slice(*ends)].strip():
            yield ValueLine(n + 1, lines[n], lines[n][name:].strip(), value)


def _glpk(lines: list[str], at: int) -> Iterator[ValueLine]:
    """Read lines ``j NUMBER VALUE``, or with a status before the value."""
    found = GLPK_SIZES.match(lines[at])
    kind, status = found.groups() if found else ("", "")
    place = 3 if kind == "bas" else 2
    if status in UNDEFINED or (kind == "mip" and lines[at].split()[4] in UNDEFINED):
        return
    for n in range(at + 1, len(lines)):
        words = lines[n].split()
        if words[:1] == ["j"]:
            column = int(words[1]) - 1 if words[1:2] and words[1].isdecimal() else lines[n]
            yield ValueLine(n + 1, lines[n], column, words[place] if words[place:] else None)


def _pretty_glpk(lines: list[str], at: int) -> Iterator[ValueLine]:
    """Read the table of columns. A long name has a line of its own."""
    if any(line.startswith("Status:") and NO_GLPK_POINT.search(line) for line in lines[:at]):
        return
    activity = lines[at].index("Activity")
    spans = [one.span() for one in re.finditer("-+", lines[at + 1] if lines[at + 1 :] else "")]
    begin, end = next((span for span in spans if span[0] <= activity < span[1]), (0, 0))
    name, (_, first) = "", spans[0] if spans else (0, 6)
    _, last = spans[1] if spans[1:] else (0, 19)
    for n in range(at + 2, len(lines)):
        line = lines[n]
        if not line.strip():
            return
        number = line[:first].strip()
        name = line[first:].split()[0] if number and line[first:].strip() else name
        value = line[begin:end].strip() if not number or len(name) <= last - first - 1 else ""
        if value:
            yield ValueLine(n + 1, line, name, value.split()[0])


def _none(lines: list[str], at: int) -> Iterator[ValueLine]:
    """Read a file of GLPK without tables."""
    return iter(())


Style = Callable[[list[str], int], Iterator[ValueLine]]

STYLES: tuple[tuple[Callable[[str], bool], Style], ...] = (
    (lambda line: line.strip() == HIGHS_POINT, _highs),
    (lambda line: line.endswith(OLD_HIGHS), _old_highs),
    (lambda line: line.split()[:2] == ["Index", "Status"] and "Primal" in line, _pretty_highs),
    (lambda line: GLPK_SIZES.match(line) is not None, _glpk),
    (lambda line: line.strip().startswith(GLPK_COLUMNS) and "Activity" in line, _pretty_glpk),
    (lambda line: line.startswith("Problem: "), _none),
)
"""What a line of each style looks like, and its reader."""
