"""Encoding of entities as JSON text, and the digest of a problem, whatever its file's form."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from functools import lru_cache
from itertools import chain, islice, repeat
from json.encoder import encode_basestring
from operator import attrgetter
from typing import Any, Literal

from .vocabulary import MAX_FRACTION_DIGITS, Shape, entity_fields

FORMAT = "ringyard/1"
"""Version of the file format. Readers refuse other versions."""


Defaults = Literal["all", "none"]
"""Defaults that are written: all, or only tags."""


def plain(
    entity: Any, *, without: tuple[str, ...] = (), defaults: Defaults = "all"
) -> dict[str, Any]:
    """Return an entity as plain dictionaries, lists, numbers and texts.

    Tags, by which a reader identifies the entity, are never left out.
    """
    home: Any = type(entity)
    out: dict[str, Any] = {}
    for name, field in entity_fields(home).items():
        value, is_tag = getattr(entity, name), len(field.shape.choices) == 1
        usual = not field.required and value == field.default and not is_tag
        if name in without or (usual and defaults == "none"):
            continue
        out[name] = _plain_value(field.shape, value, defaults)
    return out


def _plain_value(shape: Shape, value: Any, defaults: Defaults) -> Any:
    # Values that do not fit their shape are returned unchanged, and the decoder reports them.
    if shape.kind == "map" and isinstance(value, tuple):
        return _as_object(value)
    if shape.kind == "ratio" and isinstance(value, Fraction):
        longest = max(abs(value.numerator), value.denominator)
        fits = longest < 10**MAX_FRACTION_DIGITS
        return exact_number(value) if fits else value
    if shape.kind == "list" and isinstance(value, tuple):
        return [_plain_value(shape.inner[0], item, defaults) for item in value]
    if shape.kind in ("object", "union") and is_dataclass(value):
        return plain(value, defaults=defaults)
    return value


def _as_object(pairs: tuple[Any, ...]) -> Any:
    try:
        found = dict(pairs)
    except (TypeError, ValueError):
        return pairs
    return found if len(found) == len(pairs) else pairs


def decimal_text(value: Decimal) -> str:
    """Return a decimal exactly: plain digits, no exponent, no trailing zeros."""
    text = str(value)
    if text.isdigit():
        return text
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def dump(value: Any, indent: int = 0, width: int = 100, lead: int = 0) -> str:
    """Return plain values as JSON. Values that fit on a line after `lead` characters stay on it."""
    if isinstance(value, dict):
        left, right = "{", "}"
        keys = [f"{_text(key)}: " for key in value]
        pairs = zip(keys, value.values(), strict=True)
        rows = [key + dump(v, indent + 2, width, len(key)) for key, v in pairs]
    elif isinstance(value, list):
        left, right = "[", "]"
        rows = [dump(item, indent + 2, width) for item in value]
    else:
        return _text(value)
    room = width - indent - lead - 2 * len(rows) - 1
    if sum(map(len, rows)) <= room:
        return left + ", ".join(rows) + right
    pad = "\n" + " " * (indent + 2)
    return left + pad + ("," + pad).join(rows) + "\n" + " " * indent + right


def _text(value: Any) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if type(value) is int:
        return str(value)
    if value is None:
        return "null"
    return decimal_text(value) if isinstance(value, Decimal) else json.dumps(value)


def to_text(entity: Any) -> str:
    """Return an entity as the text of a `ringyard/1` file."""
    return dump({"format": FORMAT, **plain(entity, defaults="none")}) + "\n"


@lru_cache(maxsize=8)
def digest(instance: Any) -> str:
    """Return the digest of a problem's content: SHA-256 over its canonical text.

    Key order, whitespace, number spelling, omitted defaults and the descriptive fields
    (name, title, notes, source, licence) do not matter. All other data do.
    """
    text = _canonical_objects([instance], instance.ABOUT)[0]
    return hashlib.sha256(text.encode()).hexdigest()


AT_ONCE = 1000
"""Entities of a list that are encoded together: more no longer fit into the processor's cache."""


def _canonical_objects(entities: Sequence[Any], without: tuple[str, ...] = ()) -> list[str]:
    """Return the canonical texts of entities of one class, encoded field by field."""
    home: Any = type(entities[0])
    columns = []
    for name, field in sorted(entity_fields(home).items()):
        values, key = list(map(attrgetter(name), entities)), f"{_text(name)}:"
        omits = field.later and not field.required and len(field.shape.choices) != 1
        if name in without or (omits and values.count(field.default) == len(values)):
            continue
        texts = [key + text for text in _canonical_column(field.shape, values)]
        if omits:
            pairs = zip(texts, values, strict=True)
            texts = ["" if value == field.default else text for text, value in pairs]
        columns.append(texts)
    rows = zip(*columns, strict=True) if columns else repeat((), len(entities))
    return ["{" + ",".join(filter(None, row)) + "}" for row in rows]


def _canonical_column(shape: Shape, values: Sequence[Any]) -> list[str]:
    """Return the canonical texts of values of one shape."""
    types = set(map(type, values))
    if types <= _ENCODERS.keys():
        encode = _ENCODERS[types.pop()] if len(types) == 1 else _text
        if encode is not _text and values.count(values[0]) == len(values):
            return [encode(values[0])] * len(values)
        return list(map(encode, values))
    if len(types) > 1:
        return [_canonical_column(shape, [value])[0] for value in values]
    if shape.kind in ("object", "union") and is_dataclass(values[0]):
        return _canonical_objects(values)
    if shape.kind == "list" and isinstance(values[0], tuple):
        items = list(chain.from_iterable(values))
        if not items:
            return ["[]"] * len(values)
        parts = (items[k : k + AT_ONCE] for k in range(0, len(items), AT_ONCE))
        texts = chain.from_iterable(_canonical_column(shape.inner[0], part) for part in parts)
        return [f"[{','.join(islice(texts, len(value)))}]" for value in values]
    return [_canonical(_plain_value(shape, value, "all")) for value in values]


def _canonical(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{_text(k)}:{_canonical(value[k])}" for k in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    return _text(value)


_ENCODERS: dict[type, Callable[[Any], str]] = {
    int: str,
    str: encode_basestring,
    Decimal: decimal_text,
    type(None): _text,
}


def as_number(value: Fraction | None) -> int | float | None:
    """Return an exact number for JSON output as an integer if it is one."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 else float(value)


def fraction_text(value: Fraction) -> str:
    """Return an exact number as text: four decimals, or four digits below 1."""
    if value.denominator == 1:
        return str(value)
    quotient = Context(prec=60).divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{quotient:.4f}" if abs(value) >= 1 else f"{quotient:.4g}"


def exact_text(value: Fraction | None) -> str | None:
    """Return an exact number as text such as 14/3, unless it is too long to read."""
    if value is None or value.denominator > 10**60:
        return None
    return str(value)


MOST_DIGITS = 30
"""Integers with more digits are written as texts."""


def exact_number(value: Fraction | int) -> int | str:
    """Return an exact number for JSON: an integer as it is, or a text such as 14/3."""
    whole = value.denominator == 1 and abs(value) < 10**MOST_DIGITS
    return int(value) if whole else str(value)


def as_decimal(value: Fraction | None) -> Decimal | None:
    """Return the decimal equal to `value`, or None if it needs more than 30 digits."""
    if value is None:
        return None
    context = Context(prec=30, traps=[Inexact])
    try:
        return context.divide(Decimal(value.numerator), Decimal(value.denominator))
    except Inexact:
        return None
