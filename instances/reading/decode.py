"""Decoding of a file's text to the data model: bytes, JSON with exact numbers, records.

Every problem is collected with its place in the file, and reading continues.
"""

import errno
import gzip
import json
import os
import stat
import zlib
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from ..errors import (
    ABSENT,
    MANY,
    InputError,
    Problem,
    RingyardError,
    Words,
    brief,
    nearest,
    quoted,
    reason,
    shorten,
)
from .vocabulary import (
    MAX_DIGITS,
    MAX_FRACTION_DIGITS,
    FieldShape,
    Shape,
    entity_fields,
    one_of,
    tag_of,
)

MAX_BYTES = 64 * 2**20
"""Largest file read, packed or unpacked. An instance of 20,000 jobs has about 5 MB."""

GZIP = b"\x1f\x8b"
"""First bytes of packed data."""

ORDINARY = f"a number of at most {MAX_DIGITS} digits, between 1e-{MAX_DIGITS} and 1e{MAX_DIGITS}"
"""Conditions for every number of a file."""


class Refused(Words):
    """An invalid number token, which the decoder reports at its place."""

    __slots__ = ()


class Repeated(dict[str, Any]):
    """An object with duplicate keys, which the decoder reports."""

    keys_twice: list[str]


class PlainJSON(json.JSONDecoder):
    """A JSON decoder that reads numbers exactly as written."""

    def __init__(self) -> None:
        """Set the conversion of numbers and objects."""
        super().__init__(
            parse_float=real,
            parse_int=_whole,
            parse_constant=_refused,
            object_pairs_hook=_object,
        )


def parse_json(text: str, source: str) -> Any:
    """Parse JSON text. Raise `InputError` for invalid JSON."""
    try:
        return json.loads(text, cls=PlainJSON)
    except json.JSONDecodeError as error:
        raise InputError(source, [_broken_at(error)]) from None
    except RecursionError:
        found = Words("lists or objects within one another, many hundreds deep")
        raise InputError.of(source, "file", found, "a few levels", "flatten the file") from None


_EXPECTED = {
    "Expecting value": ("a value", "correct the text"),
    "Expecting property name": ("a key in double quotes", "correct the text"),
    "Expecting ':'": ("a colon after the key", "add it"),
    "Expecting ','": ("a comma or the closing bracket", "add it"),
    "Illegal trailing comma": ("no comma before a closing bracket", "remove it"),
    "Unterminated string": ("a closing double quote", "close the text, or complete the file"),
    "Invalid control character": ("printable text", r"write \n for a new line, \t for a tab"),
    "Invalid \\": ("a valid JSON escape", r"write \\ for a backslash"),
    "Extra data": ("the end of the file", "keep one object in the file"),
    "Unexpected UTF-8 BOM": ("plain UTF-8", "remove the byte order mark"),
}
"""Problems by the first words of the standard library's error messages."""


def _broken_at(error: json.JSONDecodeError) -> Problem:
    text, where, complaint = error.doc, error.pos, error.msg
    comma = text.rfind(",", max(0, where - 200), where)
    # Before Python 3.13 a surplus comma is reported at the bracket that follows it.
    if comma >= 0 and text[where : where + 1] in ("]", "}") and not text[comma + 1 : where].strip():
        where, complaint = comma, "Illegal trailing comma"
    expected, advice = next(
        (known for words, known in _EXPECTED.items() if complaint.startswith(words)),
        (f"JSON ({complaint})", "correct the text"),
    )
    found: str = text[where : where + 30].partition("\n")[0].rstrip("\r")
    if not text[where:].strip():
        end = "the end of the file" if text.strip() else "an empty file"
        found, advice = Words(end), "complete the file"
    elif not where and found.count(",") and not found.lstrip().startswith(("{", "[", '"')):
        expected = "JSON"
        advice = "import a table of jobs: `ringyard import csv FILE --out trace.json`"
    line = text.count("\n", 0, where) + 1
    column = where - text.rfind("\n", 0, where)
    return Problem(f"line {line} column {column}", found, expected, advice)


def ordinary(value: Decimal) -> bool:
    """Return True if a number is finite and neither too long, too large nor too small."""
    if not value:
        return True
    if not value.is_finite() or not -MAX_DIGITS <= value.adjusted() < MAX_DIGITS:
        return False
    return len(value.as_tuple().digits) <= MAX_DIGITS


def _refused(token: str) -> Refused:
    return Refused(brief(token))


def real(token: str) -> Decimal | Refused:
    """Return a number with a point or an exponent, exactly as written."""
    try:
        value = Decimal(token) if len(token) <= 1000 else Decimal("NaN")
    except InvalidOperation:
        return _refused(token)
    if not ordinary(value):
        return _refused(token)
    return value or Decimal(0)


def _whole(token: str) -> int | Refused:
    return int(token) if len(token.lstrip("-")) <= MAX_DIGITS else _refused(token)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    seen: set[str] = set()
    again: set[str] = set()
    for key, _ in pairs:
        (again if key in seen else seen).add(key)
    twice = Repeated(plain)
    twice.keys_twice = sorted(again)
    return twice


def utf8(data: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark."""
    return data.decode("utf-8-sig")


def read_text(
    path: Path,
    most: int = MAX_BYTES,
    decode: Callable[[bytes], str] = utf8,
    *,
    regular: bool = False,
) -> str:
    """Read a text of at most `most` bytes, unpacked if its name ends in .gz.

    With `regular`, as for files in a folder, a pipe or a device is refused without waiting.

    Raises:
        InputError: If that fails.
    """
    return _read(path, most, regular, lambda data: decode(_unpacked(path, data, most)))


def read_bytes(path: Path, most: int = MAX_BYTES, *, regular: bool = False) -> bytes:
    """Read a file of at most `most` bytes unchanged, under the rules of `read_text`."""
    return _read(path, most, regular, lambda data: data)


def opened(path: Path, *, write: bool = False) -> BinaryIO:
    """Open a regular file. Raise `OSError` for anything else, without waiting for a pipe.

    For writing, the name must be the file's own, not a link's.
    """
    flags = os.O_RDWR | os.O_NOFOLLOW if write else os.O_RDONLY
    handle = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a file")
    return os.fdopen(handle, "r+b" if write else "rb")


Content = TypeVar("Content", str, bytes)


def _read(path: Path, most: int, regular: bool, understood: Callable[[bytes], Content]) -> Content:
    """Return the decoded bytes of a file."""
    try:
        state = path.stat()
        if stat.S_ISDIR(state.st_mode):
            raise InputError.of(str(path), "file", Words("a folder"), "a file", "name a file in it")
        if state.st_size > most:
            raise _too_large(path, most)
        with opened(path) if regular else open(path, "rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise _too_large(path, most)
        return understood(data)
    except FileNotFoundError:
        problem = _missing(path)
    except UnicodeDecodeError as error:
        problem = _not_utf8(error.object, error.start)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        found, advice = Words("damaged gzip data"), "compress it afresh, or drop .gz from its name"
        problem = Problem("file", found, "complete gzip data", advice)
    except (OSError, ValueError) as error:
        advice = "check the path and its permissions"
        problem = Problem("file", reason(error), "a readable file", advice)
    raise InputError(str(path), [problem])


def _unpacked(path: Path, data: bytes, most: int) -> bytes:
    """Return the content of a gzip file, detected by its name or, for a pipe, by its start."""
    if path.suffix != ".gz" and (path.is_file() or not data.startswith(GZIP)):
        return data
    with gzip.GzipFile(fileobj=BytesIO(data)) as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise _too_large(path, most)
    return content


def _too_large(path: Path, most: int) -> InputError:
    limit = f"{most // 2**20} MiB"
    found = Words(f"more than {limit}")
    return InputError.of(str(path), "file", found, f"at most {limit}", "make it smaller")


def _missing(path: Path) -> Problem:
    like = None
    try:
        siblings = [entry.name for entry in islice(path.parent.iterdir(), 1000)]
        like = nearest(path.name, siblings)
    except OSError:
        pass
    advice = f"did you mean {quoted(str(path.with_name(like)))}?" if like else "check the path"
    return Problem("file", ABSENT, "an existing file", advice)


def _not_utf8(data: bytes, where: int) -> Problem:
    advice = "save the file as UTF-8"
    if data.startswith(GZIP):
        advice = "add .gz to the name of a gzip file"
    return Problem(f"byte {where}", Words(f"byte 0x{data[where]:02x}"), "UTF-8 text", advice)


INVALID: Any = object()
"""Mark of a value that could not be decoded."""

MAX_PROBLEMS = 200
"""Number of problems that are kept. Further ones are only counted."""


class TooManyError(RingyardError):
    """There are too many problems to continue."""


class Decoder:
    """Decode values against shapes, collecting problems."""

    def __init__(self) -> None:
        """Start without problems."""
        self.problems: list[Problem] = []
        self.more = 0
        self._likes: dict[tuple[str, ...], str | None] = {}
        self._by_kind = {
            "whole": self._whole,
            "ratio": self._ratio,
            "real": self._real,
            "truth": self._truth,
            "text": self._text,
            "choice": self._choice,
            "list": self._list,
            "map": self._map,
            "union": self._union,
            "object": self._object,
        }

    def note(self, problem: Problem) -> None:
        """Keep a problem, or count it if there are many already."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)
            return
        self.more += 1
        if self.more == MANY:
            raise TooManyError

    def reject(self, path: str, value: Any, expected: str, advice: str) -> Any:
        """Record a problem and return the mark of an invalid value."""
        self.note(Problem(path, value, expected, advice))
        return INVALID

    def value(self, shape: Shape, value: Any, path: str) -> Any:
        """Decode one value."""
        if value is None and shape.optional:
            return None
        return self._by_kind[shape.kind](shape, value, path)

    def repeats(self, value: dict[str, Any], path: str) -> None:
        """Report duplicate keys of an object."""
        if isinstance(value, Repeated):
            for key in value.keys_twice:
                self.reject(join(path, key), Words("this key twice"), "it once", "remove one")

    def _mismatch(self, shape: Shape, value: Any, path: str, advice: str) -> Any:
        return self.reject(path, value, shape.expectation(), advice)

    def _like(self, name: Any, known: list[str]) -> str | None:
        """Return the known name that was probably meant, unless it will not be shown."""
        if not isinstance(name, str):
            return None
        asked = (name, *known)
        if asked not in self._likes and not self.more:
            self._likes[asked] = nearest(name, known)
        return self._likes.get(asked)

    def _whole(self, shape: Shape, value: Any, path: str) -> Any:
        if isinstance(value, Decimal) and ordinary(value) and value == int(value):
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            return self._no_number(shape, value, path, "an integer")
        if not shape.range.holds(value):
            return self._outside(shape, value, path)
        return value

    def _ratio(self, shape: Shape, value: Any, path: str) -> Any:
        found = _fraction(value)
        if found is None or found.denominator == 1:
            return self._whole(shape, value if found is None else int(found), path)
        if max(abs(found.numerator), found.denominator) >= 10**MAX_FRACTION_DIGITS:
            long = Words(f"a fraction of more than {MAX_FRACTION_DIGITS:,} digits")
            return self._mismatch(shape, long, path, "round it")
        if found <= 0 or (shape.range.high is not None and found > shape.range.high):
            return self._mismatch(shape, value, path, "correct it")
        return found

    def _real(self, shape: Shape, value: Any, path: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            return self._no_number(shape, value, path, "a number")
        exact = Decimal(value)
        if not ordinary(exact):
            return self.reject(path, value, ORDINARY, "round it")
        if not shape.range.holds(exact):
            return self._outside(shape, value, path)
        return exact

    def _no_number(self, shape: Shape, value: Any, path: str, what: str) -> Any:
        if isinstance(value, Refused):
            if value.lstrip("-")[:1].isdigit():
                return self.reject(path, value, ORDINARY, "correct or round it")
            advice = "write a finite number"
        elif isinstance(value, str) and _is_number(value):
            advice = "remove the quotes"
        elif isinstance(value, float):
            advice = f"write Decimal('{value}'), which is exact"
        else:
            advice = "round it" if isinstance(value, Decimal) else f"write {what}"
        return self._mismatch(shape, value, path, advice)

    def _outside(self, shape: Shape, value: Any, path: str) -> Any:
        high = shape.range.high
        advice = "lower it" if high is not None and value > high else "raise it"
        return self._mismatch(shape, value, path, advice)

    def _truth(self, shape: Shape, value: Any, path: str) -> Any:
        if isinstance(value, bool):
            return value
        return self._mismatch(shape, value, path, "write one of them, without quotes")

    def _text(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, str) or isinstance(value, Words):
            return self._mismatch(shape, value, path, "write a text in double quotes")
        if not _encodable(value):
            return self.reject(path, value, "whole Unicode characters", "remove incomplete ones")
        if not shape.text.holds(value):
            return self._mismatch(shape, value, path, _text_advice(shape, value))
        return value

    def _choice(self, shape: Shape, value: Any, path: str) -> Any:
        if isinstance(value, str) and value in shape.choices:
            return value
        like = self._like(value, list(shape.choices))
        advice = f"did you mean {like!r}?" if like else f"write {one_of(shape.choices)}"
        return self._mismatch(shape, value, path, advice)

    def _list(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, list | tuple):
            return self._mismatch(shape, value, path, "put the elements in [ ]")
        if shape.non_empty and not value:
            return self._mismatch(shape, value, path, "add at least one element")
        inner = shape.inner[0]
        return tuple([self.value(inner, item, f"{path}[{i}]") for i, item in enumerate(value)])

    def _map(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, dict) or (shape.non_empty and not value):
            example = shape.map.example if shape.map else "{}"
            return self._mismatch(shape, value, path, f"write for example {example}")
        self.repeats(value, path)
        key, count = shape.inner
        pairs = tuple(
            (self.value(key, name, place), self.value(count, number, place))
            for name, number in value.items()
            for place in [join(path, name)]
        )
        return INVALID if _any_invalid(pairs) else tuple(sorted(pairs))

    def _union(self, shape: Shape, value: Any, path: str) -> Any:
        members = {tag_of(member): member for member in shape.inner}
        if not isinstance(value, dict):
            return self._mismatch(shape, value, path, f'write {{"model": "{next(iter(members))}"}}')
        tag = value.get("model", ABSENT)
        if not isinstance(tag, str) or tag not in members:
            like = self._like(tag, list(members))
            names = one_of(tuple(members))
            advice = f"did you mean {like!r}?" if like else f"write {names}"
            return self.reject(join(path, "model"), tag, names, advice)
        return self._object(members[tag], value, path)

    def _object(self, shape: Shape, value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            return self._mismatch(shape, value, path, "put the fields in { }")
        known = entity_fields(shape.entity)
        self.repeats(value, path)
        meant = set() if value.keys() <= known.keys() else self._unknown(known, value, path)
        given: dict[str, Any] = {}
        for name, field in known.items():
            if name in value:
                given[name] = self.value(field.shape, value[name], join(path, name))
            elif field.required:
                given[name] = INVALID
                if name not in meant:
                    expected = f"{field.shape.expectation()}: {field.about}"
                    self.reject(join(path, name), ABSENT, expected, f'add "{name}"')
        return INVALID if _any_invalid(tuple(given.values())) else shape.entity(**given)

    def _unknown(self, known: dict[str, FieldShape], value: dict[str, Any], path: str) -> set[str]:
        """Report the unknown keys. Return the missing fields that they probably mean."""
        missing = [name for name in known if name not in value]
        expected = "one of the fields " + ", ".join(known)
        meant: set[str] = set()
        for key, found in value.items():
            if key not in known:
                like = self._like(key, missing)
                advice = f"did you mean {like!r}?" if like else "remove it"
                words = Words(f"an unknown key (value {shorten(found)})")
                self.reject(join(path, key), words, expected, advice)
                meant.update([like] if like else [])
        return meant


def join(path: str, key: Any) -> str:
    """Extend a JSON path by a key, which may be any text."""
    if not isinstance(key, str) or not (key.isascii() and key.isidentifier() and len(key) <= 60):
        return f"{path}[{quoted(str(key)[:60])}]"
    return f"{path}.{key}" if path else key


def _any_invalid(values: tuple[Any, ...]) -> bool:
    return any(v is INVALID or (type(v) is tuple and _any_invalid(v)) for v in values)


def _fraction(value: Any) -> Fraction | None:
    """Return the number of a text such as 7/2, or None."""
    if isinstance(value, Fraction):
        return value
    if not isinstance(value, str) or isinstance(value, Words):
        return None
    parts = value.split("/")
    if len(parts) != 2 or not all(one.isascii() and one.isdigit() for one in parts):
        return None
    if max(map(len, parts)) > MAX_FRACTION_DIGITS or not int(parts[1]):
        return None
    return Fraction(int(parts[0]), int(parts[1]))


def _is_number(text: str) -> bool:
    try:
        return len(text) < 100 and Decimal(text).is_finite()
    except ArithmeticError:
        return False


def _text_advice(shape: Shape, value: str) -> str:
    if len(value) > shape.text.high:
        return "shorten it"
    if len(value) < shape.text.low:
        return "write one"
    return "remove blanks at its ends" if value.isprintable() else "remove unprintable characters"


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
