"""A JSON list of objects, read one by one: a broken object does not take the others with it."""

import re
from collections.abc import Iterator
from typing import Any

from ..errors import InputError, Problem, Words
from ..parse import PlainJSON, parse_json
from .job import Source
from .reading import Reading, Record

JSON = PlainJSON()
BETWEEN = re.compile(r"[\s,\[\]]*")
BEHIND = re.compile(r"\s*([,\[\]{]|\Z)")
START = re.compile(r"\{")
BROKEN = Problem("", Words("broken JSON"), "an object that is whole", "correct or remove it")


def items(source: Source, key: str, faults: Reading) -> Iterator[tuple[Record, Any]]:
    """Yield the elements of a list; from a broken one go on at the next object with this key.

    What stands between two elements that can be read counts as one.
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
        found = _element(text, at)
        end = found[1] if found else _with_key(text, at + 1, key)
        yield Record(f"line {line} ([{number}])", text[at:end]), found[0] if found else BROKEN
        at, number = _next(text, end), number + 1


def _next(text: str, at: int) -> int:
    """Return where the next element begins."""
    found = BETWEEN.match(text, at)
    return found.end() if found else at


def _element(text: str, at: int) -> tuple[Any, int] | None:
    """Return the value that stands here and where it ends, if there is one with nothing behind."""
    try:
        value, end = JSON.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return (value, end) if BEHIND.match(text, end) else None


def _with_key(text: str, at: int, key: str) -> int:
    """Return where the next object begins that is whole and has a key, or the end."""
    for start in START.finditer(text, at):
        found = _element(text, start.start())
        if found and isinstance(found[0], dict) and key in found[0]:
            return start.start()
    return len(text)
