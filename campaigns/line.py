"""A row as a line of a journal: its cells checked, with a digest that tells whether it changed.

The digest is of the line itself, up to where the digest stands: nothing has to be written anew
to see that it is right. It is no signature, as anyone who changes a row can compute another.
"""

import json
from contextlib import suppress
from hashlib import sha256
from operator import itemgetter
from typing import Any

from ..analysis.rows import ANSWERED, COLUMNS, FAILED, FORMER, LATER, NEEDED, UNKNOWN, VERSION, Row
from ..families import FAMILIES
from ..instances import BoundKind
from ..instances.errors import shorten

Types = tuple[type, ...]

_TYPES: dict[str, Types] = {
    "text": (str,),
    "integer": (int,),
    "number": (float, int),
    "boolean": (bool,),
    "list": (list,),
}

_MOST = {"integer": 2**63, "number": 1e300}
"""What is not below has no place in a column of other programs, or in a sum."""

_NAMES = ("key", "instance", "digest", "method", "schedule")
"""Texts that people read and files are named after."""

_CHOICES: dict[str, frozenset[Any]] = {
    "sense": frozenset(("min", "max")),
    "status": frozenset((*ANSWERED, *FAILED, UNKNOWN)),
    "bound_kind": frozenset((None, *BoundKind)),
}

_COUNTED = [(kind, [n for n, (k, _) in COLUMNS.items() if k == kind]) for kind in _MOST]
_NUMBERS = [(names, itemgetter(*names), _MOST[kind]) for kind, names in _COUNTED]

_right: set[Types] = set()
"""Types of whole rows that were found to be right: few rows of a journal differ in them."""


def wrong_cell(row: Row, *, escaped: bool) -> str | None:
    """Return the name of a column in which something else stands than may, or None.

    A text has characters that cannot be written only if something in the row is `escaped`.
    """
    types = tuple(map(type, row.values()))
    if types not in _right:
        for (name, (kind, _)), found in zip(COLUMNS.items(), types, strict=True):
            if found not in _TYPES[kind] and (name in NEEDED or found is not type(None)):
                return name
        _right.add(types)
    return (
        _wrong_number(row)
        or _wrong_choice(row)
        or _wrong_name(row)
        or (_unwritable(row) if escaped else None)
        or _wrong_step(row["trajectory"])
    )


def _wrong_number(row: Row) -> str | None:
    for names, cells, most in _NUMBERS:
        for value in cells(row):
            if value is not None and not -most < value < most:
                return next(name for name in names if row[name] is value)
    return None


def _wrong_choice(row: Row) -> str | None:
    if row["family"] not in FAMILIES:
        return "family"
    for name, choices in _CHOICES.items():
        if row[name] not in choices:
            return name
    if row["valid"] and row["objective"] is None:
        return "objective"
    if row["bound"] is not None and row["bound_kind"] is None:
        return "bound_kind"
    return "violations" if row["violations"] < 0 else None


def _wrong_name(row: Row) -> str | None:
    for name in _NAMES:
        text = row[name]
        if text is not None and not (text and text.isprintable()):
            return name
    if "/" in row["digest"]:
        return "digest"
    place = row["schedule"]
    if place is not None and (not place.startswith("schedules/") or place.count("/") != 1):
        return "schedule"
    return None


def _unwritable(row: Row) -> str | None:
    """Find half of a pair of surrogates, which no file can hold."""
    for name, value in row.items():
        if type(value) is str:
            try:
                value.encode()
            except UnicodeEncodeError:
                return name
    return None


def _wrong_step(trajectory: list[Any] | None) -> str | None:
    """Find what is not seconds, an objective, and a bound or None."""
    most = _MOST["number"]
    for step in trajectory or ():
        if type(step) is not list or len(step) != 3:
            return "trajectory"
        for value in step if step[2] is not None else step[:2]:
            if type(value) not in _TYPES["number"] or not -most < value < most:
                return "trajectory"
    return None


DIGEST = "row_digest"

_MARK = f', "{DIGEST}": "'.encode()


def _refuse(token: str) -> None:
    """Refuse NaN and the infinities, which JSON does not have."""
    raise ValueError(token)


_DECODER = json.JSONDecoder(parse_constant=_refuse)

CHANGED, OTHER_VERSION, NO_ROW = (
    "changed since written",
    "of another version",
    "with no row of a run",
)


class UnreadableError(ValueError):
    """A line that is no row, or no longer the one that was written; says why in few words."""


def seal(data: bytes) -> str:
    """Return the digest of what is written."""
    return sha256(data).hexdigest()[:32]


def to_line(row: Row) -> bytes:
    """Write a row with its digest."""
    cells = {name: row[name] for name in COLUMNS if name != DIGEST}
    text = json.dumps(cells, ensure_ascii=True, allow_nan=False)[:-1].encode()
    return text + _MARK + seal(text).encode() + b'"}\n'


def from_line(line: bytes) -> Row:
    """Read a row; raise `UnreadableError` if it was changed, or is none."""
    line = line.removesuffix(b"\r")
    text, mark, digest = line.rpartition(_MARK)
    if mark and digest != seal(text).encode() + b'"}':
        raise UnreadableError(CHANGED)
    try:
        read = _DECODER.decode(str(line, "utf-8"))
    except (ValueError, RecursionError):
        raise UnreadableError(NO_ROW) from None
    if type(read) is not dict or "v" not in read:
        raise UnreadableError(NO_ROW)
    if read["v"] != VERSION:
        raise UnreadableError(OTHER_VERSION)
    if read.keys() != COLUMNS.keys():
        read = {FORMER.get(name, name): value for name, value in read.items()}
        read = dict.fromkeys(LATER) | read
        if read.keys() != COLUMNS.keys():
            raise UnreadableError(NO_ROW)
    row = {name: read[name] for name in COLUMNS}  # All rows share the names in memory.
    with suppress(ValueError):  # What is no kind is found below.
        row["bound_kind"] = read["bound_kind"] and BoundKind(read["bound_kind"]).value
    wrong = wrong_cell(row, escaped=b"\\u" in line)
    if wrong == "family" and type(row[wrong]) is str:
        load = "load it: ringyard --plugin FILE.py COMMAND .."
        raise UnreadableError(f"of an unknown family, {shorten(row[wrong])} ({load})")
    if wrong is not None:
        raise UnreadableError(f"with a wrong value of `{wrong}`")
    return row
