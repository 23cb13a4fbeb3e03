"""A schedule as flat rows, one for each allocation, from the outermost entity inwards.

Fields of an entity become columns of all its rows. Numbers by the name of a server or machine
become a row for each name, with several such fields of one entity side by side.
"""

from collections.abc import Iterator
from dataclasses import is_dataclass
from decimal import Decimal
from typing import Any

from .errors import InputError, unknown
from .reading.vocabulary import FieldShape, Shape, entity_fields

FlatRow = dict[str, Any]


def parts_of(schedule: Any) -> list[str]:
    """Return the lists of a schedule that have rows, the main list last."""
    return [name for name, field in _fields(schedule).items() if _entities(field.shape)]


def flat_rows(schedule: Any, part: str | None = None) -> tuple[list[FlatRow], list[str]]:
    """Return the rows of a part of a schedule, by default its main one, and their columns.

    A schedule without such lists is one row.
    """
    parts = parts_of(schedule)
    if part is not None and part not in parts:
        hint = f"leave it out, or name one of {', '.join(parts)}" if parts else "leave it out"
        raise InputError("to_frame", [unknown("part", part, parts, hint)])
    if not parts:
        own = [name for name in _fields(schedule) if name not in _ABOUT]
        return [{name: _cell(getattr(schedule, name)) for name in own}], own
    name = part or parts[-1]
    entity = _fields(schedule)[name].shape.inner[0].entity
    return [row for one in getattr(schedule, name) for row in _rows(one)], _columns(entity)


def _fields(entity: Any) -> dict[str, FieldShape]:
    home: Any = type(entity)
    return entity_fields(home)


_ABOUT = ("kind", "instance", "digest", "method", "seed")


def _entities(shape: Shape) -> bool:
    return shape.kind == "list" and shape.inner[0].kind == "object"


def _columns(entity: Any) -> list[str]:
    found = list[str]()
    for name, field in entity_fields(entity).items():
        shape = field.shape
        own = [_key(shape), name] if shape.kind == "map" else [name]
        inner = _columns(shape.inner[0].entity) if _entities(shape) else own
        found += [one for one in inner if one not in found]
    return found


def _key(shape: Shape) -> str:
    """Return the key of a map: `server names to ..` is by server."""
    return shape.map.words.partition(" ")[0] if shape.map else "name"


def _rows(entity: Any) -> Iterator[FlatRow]:
    fields = _fields(entity)
    own = {
        name: _cell(getattr(entity, name))
        for name, field in fields.items()
        if field.shape.kind != "map" and not _entities(field.shape)
    }
    for beside in _held(entity, fields):
        for name in (name for name, field in fields.items() if _entities(field.shape)):
            for one in getattr(entity, name):
                yield from ({**own, **beside, **row} for row in _rows(one))
            break
        else:
            yield {**own, **beside}


def _held(entity: Any, fields: dict[str, FieldShape]) -> list[FlatRow]:
    """Return a row for each name in the maps of an entity, or one row without names."""
    rows = dict[str, FlatRow]()
    maps = {name: field.shape for name, field in fields.items() if field.shape.kind == "map"}
    for name, shape in maps.items():
        for key, number in getattr(entity, name):
            row = rows.setdefault(key, {_key(shape): key, **dict.fromkeys(maps, 0)})
            row[name] = _cell(number)
    return list(rows.values()) or [{}]


def _cell(value: Any) -> Any:
    """Return a value for a table, with non-integers in floating point."""
    if isinstance(value, tuple):
        return [_cell(one) for one in value]
    if is_dataclass(value):
        return str(value)
    return float(value) if isinstance(value, Decimal) else value
