"""Nouns to JSON text, and to the digest that names a problem whatever its file looks like."""

import hashlib
import json
from decimal import Decimal
from typing import Any

from .shape import Shape, noun_fields

FORMAT = "ringyard/1"
"""Version of the file format; readers refuse any other."""


def plain(noun: Any, *, without: tuple[str, ...] = (), defaults: bool = True) -> dict[str, Any]:
    """Return a noun as plain dictionaries, lists, numbers and texts.

    With ``defaults=False`` fields at their default are left out, except the tags `kind`
    and `model` by which a reader recognises the noun.
    """
    out: dict[str, Any] = {}
    for name, field in noun_fields(type(noun)).items():
        value = getattr(noun, name)
        if name in without or (
            not defaults and not field.required and value == field.default and name not in _TAGS
        ):
            continue
        out[name] = _plain_value(field.shape, value, defaults)
    return out


_TAGS = ("kind", "model")


def _plain_value(shape: Shape, value: Any, defaults: bool) -> Any:
    if value is None:
        return None
    if shape.kind == "map":
        return dict(value)
    if shape.kind == "list":
        return [_plain_value(shape.inner[0], item, defaults) for item in value]
    if shape.kind in ("object", "union"):
        return plain(value, defaults=defaults)
    return value


def decimal_text(value: Decimal) -> str:
    """Write a decimal exactly, without a needless exponent or trailing zeros."""
    if value == value.to_integral_value():
        return str(int(value))
    short = value.normalize()
    return format(short, "f") if short.adjusted() > -7 else str(short)


def dump(value: Any, indent: int = 0, width: int = 100) -> str:
    """Write plain values as JSON: what fits on a line stays on one line."""
    flat = _flat(value)
    if not isinstance(value, dict | list) or not value or len(flat) + indent <= width:
        return flat
    pad, end = " " * (indent + 2), " " * indent
    if isinstance(value, dict):
        rows = [f"{pad}{_text(k)}: {dump(v, indent + 2, width)}" for k, v in value.items()]
        return "{\n" + ",\n".join(rows) + "\n" + end + "}"
    rows = [pad + dump(item, indent + 2, width) for item in value]
    return "[\n" + ",\n".join(rows) + "\n" + end + "]"


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(k)}: {_flat(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flat, value)) + "]"
    return decimal_text(value) if isinstance(value, Decimal) else _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def to_text(noun: Any) -> str:
    """Write a noun as the text of a `ringyard/1` file."""
    return dump({"format": FORMAT, **plain(noun, defaults=False)}) + "\n"


def digest(instance: Any) -> str:
    """Name a problem by its content: SHA-256 over its canonical text.

    Key order, whitespace, number spelling, omitted defaults and the descriptive fields
    (name, title, notes, source, licence) do not matter; everything else does.
    """
    content = plain(instance, without=instance.ABOUT)
    return hashlib.sha256(_canonical(content).encode()).hexdigest()


def _canonical(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{_text(k)}:{_canonical(value[k])}" for k in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    return decimal_text(value) if isinstance(value, Decimal) else _text(value)


