"""Instances from Python values: conversion to the form of a file.

The readers of files then check it, so that problems have the same messages. Floating-point numbers
are read as written: 0.3 is 3/10.
"""

import gc
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, TypeVar

from .errors import InputError, Problem, quoted, unknown
from .reading.decode import Refused
from .reading.encode import FORMAT, as_decimal, plain
from .reading.files import INSTANCES, decode
from .reading.vocabulary import entity_fields

Rows = Iterable[Any] | Mapping[str, Any]
"""A list of dictionaries, entities or single values; or a dictionary of them; or a data frame."""

Number = int | float | Decimal | Fraction


class NamedRows(list[dict[str, Any]]):
    """Rows that were given by name, which errors use."""


T = TypeVar("T")


def from_columns(home: type[T], size: int, **columns: Iterable[Any]) -> list[T]:
    """Return entities of one class from columns of at least `size` values, one for each field.

    This takes a sixth of the time of calling the class: it fills the slots column by column, and
    garbage collection, which would find nothing, waits.
    """
    kind: Any = home
    collects = gc.isenabled()
    gc.disable()
    try:
        made = [home.__new__(home) for _ in range(size)]
        for name in entity_fields(kind):
            deque(map(getattr(home, name).__set__, made, columns[name]), maxlen=0)
    finally:
        if collects:
            gc.enable()
    return made


def plain_values(value: Any) -> Any:
    """Return a Python value in the form of a file."""
    if isinstance(value, float):
        return Decimal(repr(float(value))) if isfinite(value) else Refused(value)
    if value is None or isinstance(value, bool | int | str | Decimal):
        return value
    if isinstance(value, Fraction):
        return as_decimal(value) or value
    if isinstance(value, Mapping):
        return {key: plain_values(one) for key, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return plain_values(plain(value, defaults="none"))
    if hasattr(value, "item") and not getattr(value, "shape", ()):
        return plain_values(value.item())
    if isinstance(value, NamedRows):
        return NamedRows(map(plain_values, value))
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)  # The order of names must not depend on the process.
    return [plain_values(one) for one in value] if isinstance(value, Iterable) else value


def rows_of(
    rows: Rows, letter: str, turn: Callable[[Any], Any] = lambda row: row, **usual: Any
) -> Any:
    """Return rows as dictionaries, each with its own name, or a letter and a number.

    `turn` converts other values and short forms to rows. `usual` has the default fields of rows.
    """
    if isinstance(rows, Mapping):
        return NamedRows({"name": name, **usual, **_row(turn, row)} for name, row in rows.items())
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        return rows  # The reader reports it.
    made = [_row(turn, row) for row in _listed(rows)]
    return [
        {"name": f"{letter}{i}", **usual, **row} if isinstance(row, Mapping) else row
        for i, row in enumerate(made)
    ]


def short(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that converts a short form to a row."""
    return lambda row: row if isinstance(row, dict) else make(row)


def pairs(*names: str) -> Callable[[Any], Any]:
    """Return a function that converts a tuple of these fields, in this order, to a row."""
    return lambda row: (
        dict(zip(names, row, strict=True))
        if isinstance(row, tuple) and len(row) == len(names)
        else row
    )


def _row(turn: Callable[[Any], Any], row: Any) -> Any:
    if is_dataclass(row) and not isinstance(row, type):
        return plain(row, defaults="none")
    return turn(dict(row) if isinstance(row, Mapping) else row)


def _listed(rows: Any) -> Iterable[Any]:
    """Return the rows of a data frame without empty values, or the items of another collection."""
    if hasattr(rows, "to_dicts"):
        found = rows.to_dicts()
    elif hasattr(rows, "to_dict") and hasattr(rows, "columns"):
        found = rows.to_dict("records")
    else:
        return list(rows)
    return [{key: one for key, one in row.items() if not _empty(one)} for row in found]


def _empty(cell: Any) -> bool:
    return cell is None or type(cell).__name__ == "NAType" or (cell != cell) is True


def built(kind: str, inner: str = "", **fields: Any) -> Any:
    """Return the instance of a family with these fields.

    Errors name fields of the object `inner` in the instance without its name.

    Raises:
        InputError: With all problems, as for a file.
    """
    plainly = plain_values(fields)
    try:
        return decode({"format": FORMAT, "kind": kind, **plainly}, INSTANCES, f"ringyard.{kind}")
    except InputError as error:
        outside = {**plainly, **(plainly[inner] if inner else {})}
        problems = [_renamed(one, inner, outside) for one in error.problems]
        problems = [_with_choices(one, kind, inner, plainly) for one in problems]
        raise InputError(error.source, problems, error.more) from None


def _with_choices(problem: Problem, kind: str, inner: str, given: Mapping[str, Any]) -> Problem:
    """Return the problem of an unknown field, with the fields that the function accepts."""
    fields = entity_fields(INSTANCES[kind])
    if problem.path not in given or problem.path in fields:
        return problem
    within = entity_fields(fields[inner].shape.entity) if inner else {}
    own = [name for name in fields if name not in ("kind", inner)]
    hint = "leave it out"
    like = unknown(problem.path, problem.path, list(dict.fromkeys([*own, *within])), hint)
    return replace(like, value=problem.value)


def _renamed(problem: Problem, inner: str, fields: Mapping[str, Any]) -> Problem:
    """Return a problem with the place as in the call: rows by name, if given by name."""
    path = problem.path.removeprefix(f"{inner}.")
    found = re.match(r"(\w+)\[(\d+)\]", path)
    if found and isinstance(rows := fields.get(found[1]), NamedRows):
        path = f"{found[1]}[{quoted(rows[int(found[2])]['name'])}]{path[found.end() :]}"
    return Problem(path, problem.value, problem.expected, problem.advice)
