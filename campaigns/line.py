"""A row as a line of a journal, with a digest that tells whether the line was changed since.

The digest is of the line itself, up to where the digest stands: nothing has to be written anew
to see that it is right. It is no signature, as anyone who changes a row can compute another.
"""

import json
from hashlib import sha256

from ..analysis.rows import COLUMNS, LATER, VERSION, Row
from ..instances.errors import shorten
from .cells import wrong_cell

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
        read = dict.fromkeys(LATER) | read
        if read.keys() != COLUMNS.keys():
            raise UnreadableError(NO_ROW)
    row = {name: read[name] for name in COLUMNS}  # All rows share the names in memory.
    wrong = wrong_cell(row, escaped=b"\\u" in line)
    if wrong == "family" and type(row[wrong]) is str:
        load = "load it: ringyard --plugin FILE.py COMMAND .."
        raise UnreadableError(f"of an unknown family, {shorten(row[wrong])} ({load})")
    if wrong is not None:
        raise UnreadableError(f"with a wrong value of `{wrong}`")
    return row
