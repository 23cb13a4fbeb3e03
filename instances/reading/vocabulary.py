"""Elements of the data model: types of fields, base classes, and shapes of annotations.

A field is written ``gpus: Annotated[Count, "GPUs in this server"]``. The reader, the validator and
the JSON Schema all use these annotations, so each range is defined once. Real numbers are
`Decimal`, exactly as written in the file. A field of a record may also be `Late`: given as text,
and imported when it is read. Every record has a `repr` of one line, whatever its size.
"""

import types
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from re import sub
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from ..errors import Problem, visible

if TYPE_CHECKING:
    from ..frames import Backend


T = TypeVar("T")

PACKAGE = __name__.partition(".instances")[0]

_REQUIRED: Any = object()


def load(module: str) -> Any:
    """Import a module. A name that begins with a dot is relative to this package."""
    return import_module(module, PACKAGE)


def find(name: str) -> Any:
    """Return the object of ``module:name``, or the module itself."""
    module, _, own = name.partition(":")
    return getattr(load(module), own) if own else load(module)


def short(name: str) -> str:
    """Return ``module:name`` or ``file.py:name`` without the folder of the file."""
    place, sign, own = name.rpartition(":")
    return f"{place.rpartition('/')[2]}{sign}{own}"


class Late(Generic[T]):
    """A field of a record with an object, or its name as ``module:name`` until it is read."""

    def __init__(self, usual: T | str = _REQUIRED) -> None:
        """Store the default. Without one, the field is required."""
        self._usual = usual

    def __set_name__(self, owner: type, name: str) -> None:
        """Store the field under another name."""
        self._name = f"_{name}"

    def __get__(self, record: Any, owner: type) -> T:
        """Return the object, or for the class, the default."""
        if record is None and self._usual is _REQUIRED:
            raise AttributeError(self._name)
        held = self._usual if record is None else vars(record)[self._name]
        found: Any = find(held) if isinstance(held, str) and record is not None else held
        return found  # type: ignore[no-any-return]

    def __set__(self, record: Any, value: T | str) -> None:
        """Store an object, or its name."""
        vars(record)[self._name] = value


def held(record: Any, field: str) -> Any:
    """Return the value of a late field of a record: an object, or its name if that was given."""
    return vars(record)[f"_{field}"]


LONGEST = 100
"""Most characters of a text in a line."""


class Short:
    """A class with a `repr` of one line, even if a dataclass would write a longer one."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Keep the short one."""
        cls.__repr__ = Short.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Return its type, and the least that identifies it."""
        try:
            return f"{type(self).__name__}({self.brief()})"
        except Exception:  # An entity that no reader has checked may have any error.
            return f"{type(self).__name__}(invalid: ringyard.save reports the errors)"

    def brief(self) -> str:
        """Return the text in the brackets."""
        raise NotImplementedError


def sizes(entity: Any) -> list[str]:
    """Return the sizes of its lists of entities, as text."""
    home: Any = type(entity)
    found = []
    for name, field in entity_fields(home).items():
        held, shape = getattr(entity, name), field.shape
        if shape.kind == "list" and shape.inner[0].kind == "object":
            found.append(f"{len(held):,} {name[: len(name) - (len(held) == 1)]}")
        elif shape.kind == "object" and held is not None:
            found += sizes(held)
    return found


def cut(text: str) -> str:
    """Return the beginning of a text, printable."""
    return visible(text[:LONGEST]) + ("…" if len(text) > LONGEST else "")


MAX_DIGITS = 30
"""Most significant digits of a number in a file."""


@dataclass(frozen=True, slots=True)
class Range:
    """Least and greatest value. `open_low` excludes the least."""

    low: int | None = None
    high: int | None = None
    open_low: bool = False

    def holds(self, value: int | Decimal) -> bool:
        """Return True if `value` lies in the range."""
        if self.low is not None and (value <= self.low if self.open_low else value < self.low):
            return False
        return self.high is None or value <= self.high


@dataclass(frozen=True, slots=True)
class Text:
    """Length limits of a string. `label` marks names, which must be printable on one line."""

    low: int = 0
    high: int = 20_000
    label: bool = False

    def holds(self, value: str) -> bool:
        """Return True if `value` has a permitted length and, as a label, is printable."""
        fits = self.low <= len(value) <= self.high
        return fits and (not self.label or (value.isprintable() and value == value.strip()))


@dataclass(frozen=True, slots=True)
class NonEmpty:
    """A list with at least one element."""


@dataclass(frozen=True, slots=True)
class Later:
    """A field that was added after the first files: at its default, it is not part of a digest."""


@dataclass(frozen=True, slots=True)
class AsMap:
    """Pairs of (name, number) that a file writes as one object, with description and example."""

    words: str
    example: str


Count = Annotated[int, Range(1, 10**9)]
Whole = Annotated[int, Range(0, 10**9)]
Rank = Annotated[int, Range(-(10**9), 10**9)]
Size = Annotated[int, Range(1, 200_000)]
"""A number of jobs or servers whose file can still be read back."""
MAX_FRACTION_DIGITS = 4_000
"""Most digits of the numerator and of the denominator of a fraction."""

Iterations = Annotated[int | Fraction, Range(1, 10**12)]
"""A whole number, or what is left of a job that has begun, which may be any fraction above 0."""
Amount = Annotated[Decimal, Range(0, 10**15)]
Positive = Annotated[Decimal, Range(0, 10**15, open_low=True)]
Fraction01 = Annotated[Decimal, Range(0, 1, open_low=True)]
Label = Annotated[str, Text(1, 100, label=True)]
Prose = Annotated[str, Text()]
Pieces = Annotated[
    tuple[tuple[Label, Count], ...],
    AsMap("server names to numbers of GPUs", '{"s0": 2}'),
    NonEmpty(),
]
Amounts = Annotated[
    tuple[tuple[Label, Positive], ...],
    AsMap("resource names to amounts", '{"gpu": 4}'),
    NonEmpty(),
]
Numbers = Annotated[
    tuple[tuple[Label, Count], ...],
    AsMap("machine names to numbers", '{"m0": 2}'),
    NonEmpty(),
]


def repeats(path: str, names: list[str]) -> Iterator[Problem]:
    """Yield a problem for every duplicate name in a list of entities."""
    first: dict[str, int] = {}
    for i, name in enumerate(names):
        if name in first:
            yield Problem(
                f"{path}[{i}].name",
                name,
                f"a name other than in {path}[{first[name]}]",
                "rename one",
            )
        else:
            first[name] = i


def tick_problems(
    path: str, seconds: Decimal | None, tick_s: Decimal, most: int
) -> Iterator[Problem]:
    """Yield a problem unless a time is an integer number of ticks, and at most `most`."""
    if seconds is None:
        return
    ticks = Fraction(seconds) / Fraction(tick_s)
    if ticks.denominator != 1:
        advice = "round it, or shorten tick_s"
        yield Problem(path, seconds, f"a multiple of tick_s ({tick_s})", advice)
    elif ticks > most:
        expected = f"at most {most:.0e} ticks of {tick_s} s"
        yield Problem(path, seconds, expected, "lengthen tick_s")


class Entity(Short):
    """Common base of instances and schedules, which can be written to a file."""

    __slots__ = ()

    def save(self, path: str | Path) -> None:
        """Write it to a file, compressed if its name ends in .gz, all or nothing.

        `ringyard.load`, or `ringyard.load_schedule`, returns an equal one.
        """
        find(".instances.reading.files:save")(self, path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance(Entity):
    """A problem of the family that its `kind` names."""

    kind: Annotated[str, "the problem family"] = ""
    name: Annotated[Label, "name of the instance"]
    title: Annotated[Prose, "one-line title"] = ""
    notes: Annotated[Prose, "how it was made, and why its optimum holds"] = ""
    source: Annotated[Prose, "origin of the data"] = ""
    licence: Annotated[Prose, "licence of this file"] = ""

    ABOUT: ClassVar[tuple[str, ...]] = ("name", "title", "notes", "source", "licence")
    """Fields that describe the file rather than the problem, and are not part of the digest."""

    def problems(self) -> Iterator[Problem]:
        """Yield every problem that involves several fields."""
        yield from ()

    def _repr_html_(self) -> str:
        """Return it for a notebook: a few lines and a small picture."""
        shown: str = find(".analysis.display:instance_html")(self)
        return shown

    def brief(self) -> str:
        """Return its name and its size, as text."""
        return f"{self.name!r}: {', '.join(sizes(self))}".removesuffix(": ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """Options of a generator. It has a method ``build(seed, name)`` that returns an instance."""

    ORDERED: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Pairs of options that must be in order, in addition to `least_x` and `most_x`."""

    SIZE: ClassVar[str] = "{self.jobs} jobs"
    TAG: ClassVar[str] = "{self.jobs}"

    @property
    def size(self) -> str:
        """Size of the instances, for titles: 1 job, 2 jobs."""
        return sub(r"(?<![\d.])1 ([A-Za-z]+)s\b", r"1 \1", self.SIZE.format(self=self))

    @property
    def tag(self) -> str:
        """A short form for names."""
        return self.TAG.format(self=self)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnySchedule(Entity):
    """An answer to an instance of a family. Its `kind` is the family's plus ``-schedule``."""

    kind: Annotated[str, "the kind of file"] = ""
    instance: Annotated[Label, "name of the instance"]
    digest: Annotated[Prose, "digest of the instance, or empty if unknown"] = ""
    method: Annotated[Prose, "method that made it"] = ""
    seed: Annotated[int | None, "seed of the random steps"] = None

    def to_frame(self, part: str | None = None, backend: "Backend | None" = None) -> Any:
        """Return a data frame with a row for each allocation, with times as in the file.

        `part` names a list of the schedule other than its main one, such as ``leases``.
        `backend` is "pandas" or "polars", by default the first one that is installed.
        """
        rows, columns = find(".instances.flat:flat_rows")(self, part)
        return find(".instances.frames:frame")(rows, columns, backend)

    def _repr_html_(self) -> str:
        """Return it as a chart over time for a notebook."""
        shown: str = find(".analysis.display:schedule_html")(self)
        return shown

    def brief(self) -> str:
        """Return its instance, its method, and its size, as text."""
        made = f" by {self.method}" if self.method else ""
        return f"{self.instance!r}{made}: {', '.join(sizes(self))}".removesuffix(": ")


@dataclass(frozen=True, slots=True)
class Shape:
    """One type. `kind` is whole, ratio, real, truth, text, choice, list, map, object or union."""

    kind: str
    range: Range = Range()
    text: Text = Text()
    choices: tuple[str, ...] = ()
    inner: tuple["Shape", ...] = ()
    entity: Any = None
    non_empty: bool = False
    optional: bool = False
    map: AsMap | None = None

    def expectation(self) -> str:
        """Return a description of the accepted values, for error messages and tables."""
        match self.kind:
            case "whole":
                words = f"an integer {span(self.range)}".rstrip()
            case "ratio":
                whole = f"an integer {span(self.range)}".rstrip()
                words = f'{whole}, or a fraction such as "7/2"'
            case "real":
                words = f"a number {span(self.range)}".rstrip()
            case "truth":
                words = "true or false"
            case "text" if self.text.label:
                words = f"a name of {self.text.low} to {self.text.high} printable characters"
            case "text":
                words = f"a text of at most {self.text.high:,} characters"
            case "choice":
                words = one_of(self.choices)
            case "list":
                words = "a non-empty list" if self.non_empty else "a list"
            case "map":
                size = "a non-empty" if self.non_empty else "an"
                words = f"{size} object from {self.map.words if self.map else 'names'}"
            case "union":
                words = f"an object whose model is {one_of(tuple(map(tag_of, self.inner)))}"
            case _:
                words = "an object"
        return words + (" or null" if self.optional else "")


def one_of(choices: tuple[str, ...]) -> str:
    """Return choices as text."""
    *others, last = (repr(choice) for choice in choices)
    return f"{', '.join(others)} or {last}" if others else last


def span(limits: Range) -> str:
    """Return a range as text, large powers of ten in short form."""
    low, high = (_brief(limit) for limit in (limits.low, limits.high))
    if low and high and not limits.open_low:
        return f"from {low} to {high}"
    above = f"above {low}" if limits.open_low else f"of at least {low}"
    parts = (above if low else "", f"{'at most' if low else 'of at most'} {high}" if high else "")
    return ", ".join(part for part in parts if part)


def _brief(limit: int | None) -> str:
    text = "" if limit is None else str(limit)
    digits = text.removeprefix("-")
    if len(digits) > 6 and digits.strip("0") == "1":
        return f"{'-' * (digits != text)}1e{len(digits) - 1}"
    return text


@dataclass(frozen=True, slots=True)
class FieldShape:
    """A field of an entity: its name, shape, meaning and default."""

    name: str
    shape: Shape
    about: str
    default: Any
    later: bool = False

    @property
    def required(self) -> bool:
        """Return True if a file must give this field."""
        return self.default is MISSING


@cache
def entity_fields(entity: Any) -> dict[str, FieldShape]:
    """Return the fields of an entity by name."""
    hints = get_type_hints(entity, include_extras=True)
    found = {}
    for item in fields(entity):
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
    if core == int | Fraction:
        return Shape("ratio", range=span)
    if core is bool:
        return Shape("truth")
    if core is str:
        return Shape("text", text=text)
    if origin is Literal:
        return Shape("choice", choices=args)
    if origin is tuple and AsMap in pick:
        pair = get_args(_unpack(args[0])[0])
        parts = tuple(shape_of(p) for p in pair)
        return Shape("map", inner=parts, non_empty=full, map=pick[AsMap])
    if origin is tuple:
        return Shape("list", inner=(shape_of(args[0]),), non_empty=full)
    if origin in (Union, types.UnionType):
        return _union(args)
    return Shape("object", entity=core)


def _union(args: tuple[Any, ...]) -> Shape:
    members = tuple(shape_of(a) for a in args if a is not type(None))
    if len(members) > 1:
        return Shape("union", inner=members, optional=len(members) < len(args))
    return replace(members[0], optional=True)


def tag_of(member: Shape) -> str:
    """Return the `model` that distinguishes a member of a union from the others."""
    return entity_fields(member.entity)["model"].shape.choices[0]
