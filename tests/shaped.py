"""Entities changed at random within the shapes of their fields, so that every shape occurs.

What is told across fields may be broken: hold what comes out against `validate`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

from ringyard.instances.reading.vocabulary import Shape, entity_fields

WHOLES = (0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 8, 8, 100, 10**6)
REALS = (
    *map(Decimal, (0, 0, 1, 1, 1, 2, 2, 3, 3, 10, 10)),
    *map(Decimal, ("0.25", "0.5", "0.5", "0.7", "0.333333333333", "1e-9", "1e9")),
)
LABELS = ("a", "b", "gpu", "cpu")
"""Numbers and names to put where others stood; names that the entity holds already join these."""

NESTED = 4
"""How much likelier a field that holds entities is changed than another."""


def changed(entity: Any, rng: Random, labels: Sequence[str] = ()) -> Any:
    """Return an entity with one field changed, its own or one of the entities in it."""
    labels = labels or (*LABELS, *_labels(entity))
    about = getattr(entity, "ABOUT", ())
    known = [
        one
        for one in entity_fields(type(entity)).values()
        if one.name not in about and len(one.shape.choices) != 1
    ]
    weights = [NESTED if _holds_entities(getattr(entity, one.name)) else 1 for one in known]
    field = rng.choices(known, weights)[0]
    value = other(field.shape, getattr(entity, field.name), rng, labels)
    return replace(entity, **{field.name: value})


def other(shape: Shape, value: Any, rng: Random, labels: Sequence[str]) -> Any:
    """Return a value of a shape in place of one that may be missing."""
    if shape.optional and value is not None and rng.random() < 0.2:
        return None
    match shape.kind:
        case "whole" | "real":
            numbers: Any = WHOLES if shape.kind == "whole" else REALS
            return rng.choice([n for n in numbers if shape.range.holds(n)])
        case "ratio":
            return rng.choice([Fraction(7, 2), Fraction(1, 3), *filter(shape.range.holds, WHOLES)])
        case "truth":
            return not value
        case "text":
            return rng.choice(labels)
        case "choice":
            return rng.choice(shape.choices)
        case "list" | "map":
            return _items(shape, list(value or ()), rng, labels)
        case _:
            kind = rng.choice(shape.inner).entity if shape.inner else shape.entity
            same = type(value) is kind and rng.random() < 0.9
            return changed(value, rng, labels) if same else _fresh(kind, rng, labels)


def _items(shape: Shape, items: list[Any], rng: Random, labels: Sequence[str]) -> tuple[Any, ...]:
    """Change, drop, double or add one item."""
    at = rng.randrange(len(items) + 1)
    if at == len(items):
        items.append(_item(shape, None, rng, labels))
    elif len(items) > shape.non_empty and rng.random() < 0.2:
        del items[at]
    elif rng.random() < 0.2:
        items.append(_named(items[at], f"more{len(items)}"))
    else:
        items[at] = _item(shape, items[at], rng, labels)
    return tuple(items)


def _item(shape: Shape, value: Any, rng: Random, labels: Sequence[str]) -> Any:
    if shape.kind == "list":
        return other(shape.inner[0], value, rng, labels)
    name, number = value or (rng.choice(labels), None)
    return name, other(shape.inner[1], number, rng, labels)


def _named(item: Any, name: str) -> Any:
    return replace(item, name=name) if hasattr(item, "name") else item


def _fresh(kind: Any, rng: Random, labels: Sequence[str]) -> Any:
    """Return a new entity; what it need not say, it says every other time."""
    given = {
        one.name: other(one.shape, None, rng, labels)
        for one in entity_fields(kind).values()
        if one.default is MISSING or rng.random() < 0.5
    }
    return kind(**given)


def _holds_entities(value: Any) -> bool:
    return any(map(is_dataclass, value if isinstance(value, tuple) else (value,)))


def _labels(entity: Any) -> Iterator[str]:
    """Yield the names in an entity."""
    for field in fields(entity):
        value = getattr(entity, field.name)
        for one in value if isinstance(value, tuple) else (value,):
            if is_dataclass(one):
                yield from _labels(one)
            elif field.name == "name":
                yield value
