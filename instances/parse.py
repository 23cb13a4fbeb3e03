"""JSON text to plain values, with numbers exactly as written and every excess refused."""

import gzip
import json
import zlib
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from .errors import InputError, Problem, nearest
from .vocabulary import MAX_DIGITS

MAX_BYTES = 64 * 2**20
"""Largest file read; an instance of 20,000 jobs takes about 4 MB."""


class Refused:
    """A number token that cannot be used; the decoder reports it where it stands."""

    def __init__(self, token: str, why: str) -> None:
        """Keep the token and the reason."""
        self.token, self.why = token, why

    def __str__(self) -> str:
        """The token as written."""
        return self.token


class Repeated(dict[str, Any]):
    """An object in which keys stand twice; the decoder reports them."""

    keys_twice: list[str]


def parse_json(text: str, source: str) -> Any:
    """Parse JSON text; raise `InputError` where it is no JSON."""
    try:
        return json.loads(
            text,
            parse_float=_real,
            parse_int=_whole,
            parse_constant=lambda token: Refused(token, "a finite number"),
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        found = text[error.pos : error.pos + 20] or "the end of the file"
        advice = "complete the file" if error.pos >= len(text.rstrip()) else "correct the text"
        raise InputError(
            source, [Problem(place, found, f"JSON ({error.msg.lower()})", advice)]
        ) from None
    except RecursionError:
        raise InputError(
            source,
            [Problem("file", "lists within lists", "at most a few levels", "flatten the file")],
        ) from None


def read_text(path: Path) -> str:
    """Read a file (or a gzip file by its name) as UTF-8; raise `InputError` if that fails."""
    source = str(path)
    try:
        if path.is_dir():
            raise InputError(source, [Problem("file", "a folder", "a file", "name a file in it")])
        opener: Any = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rb") as stream:
            data: bytes = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise InputError(source, [_missing(path)]) from None
    except (OSError, EOFError, zlib.error, ValueError) as error:
        problem = Problem("file", str(error), "a readable file", "check the file and its rights")
        raise InputError(source, [problem]) from None
    if len(data) > MAX_BYTES:
        size = f"more than {MAX_BYTES // 2**20} MiB"
        limit = f"at most {MAX_BYTES // 2**20} MiB"
        raise InputError(source, [Problem("file", size, limit, "split the instance")])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = Problem(
            f"byte {error.start}",
            f"byte 0x{data[error.start]:02x}",
            "UTF-8 text",
            "save the file as UTF-8",
        )
        raise InputError(source, [problem]) from None


def _missing(path: Path) -> Problem:
    folder = path.parent
    siblings = [p.name for p in folder.iterdir()] if folder.is_dir() else []
    like = nearest(path.name, siblings)
    advice = f"did you mean {str(folder / like)!r}?" if like else "check the path"
    return Problem("file", "nothing there", "an existing file", advice)


def _real(token: str) -> Decimal | Refused:
    try:
        value = Decimal(token)
    except InvalidOperation:
        return Refused(token, "a number of ordinary size")
    if len(value.as_tuple().digits) > MAX_DIGITS or not -MAX_DIGITS <= value.adjusted() <= (
        MAX_DIGITS
    ):
        if value == 0:
            return Decimal(0)
        limit = f"a number of at most {MAX_DIGITS} digits between 1e-{MAX_DIGITS} and 1e{MAX_DIGITS}"
        return Refused(token, limit)
    return value


def _whole(token: str) -> int | Refused:
    if len(token) > MAX_DIGITS:
        return Refused(token, f"an integer of at most {MAX_DIGITS} digits")
    return int(token)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    seen: set[str] = set()
    twice = Repeated(plain)
    twice.keys_twice = sorted({key for key, _ in pairs if key in seen or seen.add(key)})  # type: ignore[func-returns-value]
    return twice
