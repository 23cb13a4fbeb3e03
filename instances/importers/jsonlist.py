"""A JSON list of objects, read one by one: a broken object does not take the others with it."""

import re
from collections.abc import Iterator
from itertools import repeat
from typing import Any

from ..errors import InputError, Problem, Words
from ..reading.parse import PlainJSON, parse_json
from .job import Source
from .reading import Reading, Record

JSON = PlainJSON()
BETWEEN = re.compile(r"[\s,\[\]]*")
BEHIND = re.compile(r"\s*([,\[\]{]|\Z)")
START = re.compile(r"\{")
BROKEN = Problem("", Words("broken JSON"), "an object that is whole", "correct or remove it")


def items(source: Source, key: str, faults: Reading) -> Iterator[tuple[Record, Any]]:
    """Yield the elements of a list; from a broken one go on at the next object with this key.

    What stands between two elements that can be read counts as many as it has of this key.
    """
    text = source.text
    if faults.strict or text.lstrip()[:1] != "[":
        try:
            value = parse_json(text, source.name)
        except InputError:
            if faults.strict or f'"{key}"' not in text:
                raise
        else:
            if not isinstance(value, list):
                faults.fault("file", value, "a list of jobs", "put the jobs in [ ]")
                return
    line, counted, number = 1, 0, 0
    at = _next(text, 0)
    while at < len(text):
        line, counted = line + text.count("\n", counted, at), at
        found = _element(text, at, key)
        end = found[1] if found else _with_key(text, at + 1, key)
        record = Record(f"line {line} ([{number}])", text[at:end])
        count = 1 if found else max(1, text.count(f'"{key}"', at, end))
        yield from repeat((record, found[0] if found else BROKEN), count)
        at, number = _next(text, end), number + count


def _next(text: str, at: int) -> int:
    """Return where the next element begins."""
    found = BETWEEN.match(text, at)
    return found.end() if found else at


def _element(text: str, at: int, key: str) -> tuple[Any, int] | None:
    """Return the value that stands here and where it ends, unless it is a piece of another."""
    try:
        value, end = JSON.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return (value, end) if _has(value, key) or BEHIND.match(text, end) else None


def _with_key(text: str, at: int, key: str) -> int:
    """Return where the next object begins that is whole and has a key, or the end."""
    for start in START.finditer(text, at):
        found = _element(text, start.start(), key)
        if found and _has(found[0], key):
            return start.start()
    return len(text)


def _has(value: Any, key: str) -> bool:
    return isinstance(value, dict) and key in value
