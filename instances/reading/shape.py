"""What the annotations of a noun say, unpacked once for reader, validator and schema."""

import types
from dataclasses import MISSING, dataclass, fields, replace
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from .vocabulary import AsMap, Later, NonEmpty, Range, Text


@dataclass(frozen=True, slots=True)
class Shape:
    """One type: `kind` is one of whole, real, text, choice, list, map, object, union."""

    kind: str
    range: Range = Range()
    text: Text = Text()
    choices: tuple[str, ...] = ()
    inner: tuple["Shape", ...] = ()
    noun: Any = None
    non_empty: bool = False
    optional: bool = False
    map: AsMap | None = None

    def expectation(self) -> str:
        """Describe what this shape accepts, for error messages and tables."""
        match self.kind:
            case "whole":
                words = f"an integer {span(self.range)}".rstrip()
            case "real":
                words = f"a number {span(self.range)}".rstrip()
            case "text" if self.text.label:
                words = f"a name of {self.text.low} to {self.text.high} printable characters"
            case "text":
                words = f"a text of at most {self.text.high:,} characters"
            case "choice":
                words = one_of(self.choices)
            case "list":
                words = "a non-empty list" if self.non_empty else "a list"
            case "map":
                words = f"a non-empty object from {self.map.words if self.map else 'names'}"
            case "union":
                words = f"an object whose model is {one_of(tuple(map(tag_of, self.inner)))}"
            case _:
                words = "an object"
        return words + (" or null" if self.optional else "")


def one_of(choices: tuple[str, ...]) -> str:
    """List choices in words."""
    *others, last = (repr(choice) for choice in choices)
    return f"{', '.join(others)} or {last}" if others else last


def span(limits: Range) -> str:
    """Describe a range in words, large powers of ten in short form."""
    low, high = (_brief(limit) for limit in (limits.low, limits.high))
    if low and high and not limits.open_low:
        return f"from {low} to {high}"
    above = f"above {low}" if limits.open_low else f"of at least {low}"
    parts = (above if low else "", f"{'at most' if low else 'of at most'} {high}" if high else "")
    return ", ".join(part for part in parts if part)


def _brief(limit: int | None) -> str:
    text = "" if limit is None else str(limit)
    return f"1e{len(text) - 1}" if len(text) > 6 and text.strip("0") == "1" else text


@dataclass(frozen=True, slots=True)
class FieldShape:
    """A field of a noun: its name, shape, meaning and default."""

    name: str
    shape: Shape
    about: str
    default: Any
    later: bool = False

    @property
    def required(self) -> bool:
        """Say whether a file must give this field."""
        return self.default is MISSING


@cache
def noun_fields(noun: Any) -> dict[str, FieldShape]:
    """Return the fields of a noun by name."""
    hints = get_type_hints(noun, include_extras=True)
    found = {}
    for item in fields(noun):
        extras = _unpack(hints[item.name])[1]
        found[item.name] = FieldShape(
            item.name,
            shape_of(hints[item.name]),
            " ".join(e for e in extras if isinstance(e, str)),
            item.default,
            any(isinstance(e, Later) for e in extras),
        )
    return found


def _unpack(hint: Any) -> tuple[Any, list[Any]]:
    if get_origin(hint) is Annotated:
        base, *extras = get_args(hint)
        core, inner = _unpack(base)
        return core, [*inner, *extras]
    return hint, []


@cache
def shape_of(hint: Any) -> Shape:
    """Return the shape that an annotation describes."""
    core, extras = _unpack(hint)
    pick = {type(extra): extra for extra in extras}
    span, text = pick.get(Range, Range()), pick.get(Text, Text())
    full = NonEmpty in pick
    origin, args = get_origin(core), get_args(core)
    if core is int:
        return Shape("whole", range=span)
    if core is Decimal:
        return Shape("real", range=span)
    if core is str:
        return Shape("text", text=text)
    if origin is Literal:
        return Shape("choice", choices=args)
    if origin is tuple and AsMap in pick:
        pair = get_args(_unpack(args[0])[0])
        parts = tuple(shape_of(p) for p in pair)
        return Shape("map", inner=parts, non_empty=True, map=pick[AsMap])
    if origin is tuple:
        return Shape("list", inner=(shape_of(args[0]),), non_empty=full)
    if origin in (Union, types.UnionType):
        return _union(args)
    return Shape("object", noun=core)


def _union(args: tuple[Any, ...]) -> Shape:
    members = tuple(shape_of(a) for a in args if a is not type(None))
    if len(members) > 1:
        return Shape("union", inner=members, optional=len(members) < len(args))
    return replace(members[0], optional=True)


def tag_of(member: Shape) -> str:
    """Return the `model` that distinguishes a member of a union from the others."""
    return noun_fields(member.noun)["model"].shape.choices[0]
