"""What the annotations of a noun say, unpacked once for reader, validator and schema."""

import types
from dataclasses import MISSING, dataclass, fields
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from .vocabulary import AsMap, NonEmpty, Range, Text


@dataclass(frozen=True, slots=True)
class Shape:
    """One type: `kind` is one of whole, real, text, choice, list, map, object, union."""

    kind: str
    range: Range = Range()
    text: Text = Text()
    choices: tuple[str, ...] = ()
    inner: "tuple[Shape, ...]" = ()
    noun: Any = None
    non_empty: bool = False
    optional: bool = False

    def expectation(self) -> str:
        """Describe what this shape accepts, for error messages."""
        words = {
            "whole": f"an integer {self.range}".rstrip(),
            "real": f"a number {self.range}".rstrip(),
            "text": f"a text of {self.text.low} to {self.text.high} characters"
            + (", printable, without blanks at its ends" if self.text.label else ""),
            "choice": "one of " + ", ".join(repr(choice) for choice in self.choices),
            "list": f"a {'non-empty ' if self.non_empty else ''}list",
            "map": "a non-empty object from server names to GPU counts",
            "object": "an object",
            "union": "an object with a model",
        }
        return words[self.kind] + (" or null" if self.optional else "")


@dataclass(frozen=True, slots=True)
class FieldShape:
    """A field of a noun: its name, shape, meaning and default."""

    name: str
    shape: Shape
    about: str
    default: Any

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
        extras = [e for e in _unpack(hints[item.name])[1] if isinstance(e, str)]
        found[item.name] = FieldShape(
            item.name, shape_of(hints[item.name]), " ".join(extras), item.default
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
        return Shape("map", inner=tuple(shape_of(p) for p in pair), non_empty=True)
    if origin is tuple:
        return Shape("list", inner=(shape_of(args[0]),), non_empty=full)
    if origin in (Union, types.UnionType):
        return _union(args)
    return Shape("object", noun=core)


def _union(args: tuple[Any, ...]) -> Shape:
    members = tuple(shape_of(a) for a in args if a is not type(None))
    if len(members) > 1:
        return Shape("union", inner=members, optional=len(members) < len(args))
    only = members[0]
    return Shape(
        only.kind, only.range, only.text, only.choices, only.inner, only.noun, only.non_empty, True
    )


def tag_of(member: Shape) -> str:
    """Return the `model` by which a member of a union is told from the others."""
    return noun_fields(member.noun)["model"].shape.choices[0]
