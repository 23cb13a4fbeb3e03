"""What nouns are made of: field types, and what instances and schedules have in common.

A field is written ``gpus: Annotated[Count, "GPUs in this server"]``. The reader, the
validator and the JSON Schema all walk these annotations; nothing states a range twice.
Real numbers are `Decimal`, exactly as written in the file. A noun shows itself in a line, however
much it holds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from re import sub
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ..errors import Problem, visible

if TYPE_CHECKING:
    from ..frames import Backend


LONGEST = 100
"""Characters of a text that a line shows."""


def find(name: str) -> Any:
    """Return what ``module:name`` of this package is, which may itself need this file."""
    from ...families import late

    return late.find(name)


class Short:
    """Has a `repr` of one line, also where a dataclass would write a longer one."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Keep the short one."""
        cls.__repr__ = Short.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Show what it is, and the least that tells it from others."""
        try:
            return f"{type(self).__name__}({self.brief()})"
        except Exception:  # Of a noun that no reader has seen anything can be wrong.
            return f"{type(self).__name__}(faulty: ringyard.save tells why)"

    def brief(self) -> str:
        """Return what stands in the brackets."""
        raise NotImplementedError


def sizes(noun: Any) -> list[str]:
    """Say how many of each kind of part a noun has: those of its lists of nouns."""
    noun_fields = find(".instances.reading.shape:noun_fields")
    found = []
    for name, field in noun_fields(type(noun)).items():
        held, shape = getattr(noun, name), field.shape
        if shape.kind == "list" and shape.inner[0].kind == "object":
            found.append(f"{len(held):,} {name[: len(name) - (len(held) == 1)]}")
        elif shape.kind == "object" and held is not None:
            found += sizes(held)
    return found


def cut(text: str) -> str:
    """Return the beginning of a text, printable."""
    return visible(text[:LONGEST]) + ("…" if len(text) > LONGEST else "")


MAX_DIGITS = 30
"""Most significant digits a number in a file may have."""


@dataclass(frozen=True, slots=True)
class Range:
    """Least and greatest value; `open_low` excludes the least."""

    low: int | None = None
    high: int | None = None
    open_low: bool = False

    def holds(self, value: int | Decimal) -> bool:
        """Say whether `value` lies in the range."""
        if self.low is not None and (value <= self.low if self.open_low else value < self.low):
            return False
        return self.high is None or value <= self.high


@dataclass(frozen=True, slots=True)
class Text:
    """Length limits of a string; `label` marks names, which must be printable on one line."""

    low: int = 0
    high: int = 20_000
    label: bool = False

    def holds(self, value: str) -> bool:
        """Say whether `value` has an admitted length and, as a label, is printable."""
        fits = self.low <= len(value) <= self.high
        return fits and (not self.label or (value.isprintable() and value == value.strip()))


@dataclass(frozen=True, slots=True)
class NonEmpty:
    """A list with at least one element."""


@dataclass(frozen=True, slots=True)
class Later:
    """A field that came when there were files already: at its default, no part of a digest."""


@dataclass(frozen=True, slots=True)
class AsMap:
    """Pairs of (name, number) that a file writes as one object: what they are, an example."""

    words: str
    example: str


Count = Annotated[int, Range(1, 10**9)]
Whole = Annotated[int, Range(0, 10**9)]
Size = Annotated[int, Range(1, 200_000)]
"""A number of jobs or servers whose file can still be read back."""
Iterations = Annotated[int, Range(1, 10**12)]
Amount = Annotated[Decimal, Range(0, 10**15)]
Positive = Annotated[Decimal, Range(0, 10**15, open_low=True)]
Fraction01 = Annotated[Decimal, Range(0, 1, open_low=True)]
Label = Annotated[str, Text(1, 100, label=True)]
Prose = Annotated[str, Text()]
Pieces = Annotated[
    tuple[tuple[Label, Count], ...],
    AsMap("server names to GPU counts", '{"s0": 2}'),
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
    """Yield a fault for every name in a list of nouns that stood there before."""
    first: dict[str, int] = {}
    for i, name in enumerate(names):
        if name in first:
            yield Problem(
                f"{path}[{i}].name",
                name,
                f"a name other than that of {path}[{first[name]}]",
                "rename one",
            )
        else:
            first[name] = i


def tick_problems(
    path: str, seconds: Decimal | None, tick_s: Decimal, most: int
) -> Iterator[Problem]:
    """Yield a problem unless a time is a whole number of ticks, and not more than `most`."""
    if seconds is None:
        return
    ticks = Fraction(seconds) / Fraction(tick_s)
    if ticks.denominator != 1:
        advice = "round it, or shorten tick_s"
        yield Problem(path, seconds, f"a multiple of tick_s ({tick_s})", advice)
    elif ticks > most:
        expected = f"at most {most:.0e} ticks of {tick_s} s"
        yield Problem(path, seconds, expected, "lengthen tick_s")


class Noun(Short):
    """What instances and schedules have in common: they can be written to a file."""

    __slots__ = ()

    def save(self, path: str | Path) -> None:
        """Write it to a file, compressed if its name ends in .gz; all of it or nothing.

        `ringyard.load`, or `ringyard.load_schedule`, gives an equal one back.
        """
        find(".instances.reading.files:save")(self, path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance(Noun):
    """A problem of some family, which its `kind` names."""

    kind: Annotated[str, "the problem family"] = ""
    name: Annotated[Label, "name of the instance"]
    title: Annotated[Prose, "one-line title"] = ""
    notes: Annotated[Prose, "how it was made, and why its optimum holds"] = ""
    source: Annotated[Prose, "origin of the data"] = ""
    licence: Annotated[Prose, "licence of this file"] = ""

    ABOUT: ClassVar[tuple[str, ...]] = ("name", "title", "notes", "source", "licence")
    """Fields that describe the file rather than the problem; the digest leaves them out."""

    def problems(self) -> Iterator[Problem]:
        """Yield every fault that shows only when fields are seen together."""
        yield from ()

    def brief(self) -> str:
        """Say what it is called, and how large it is."""
        return f"{self.name!r}: {', '.join(sizes(self))}".removesuffix(": ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """Options of a generator; it has a method ``build(seed, name)`` that returns an instance."""

    ORDERED: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Pairs of options of which the first is at most the second, beside `least_x` and `most_x`."""

    SIZE: ClassVar[str] = "{self.jobs} jobs"
    TAG: ClassVar[str] = "{self.jobs}"

    @property
    def size(self) -> str:
        """How large the instances are, for titles: 1 job, 2 jobs."""
        return sub(r"(?<![\d.])1 ([A-Za-z]+)s\b", r"1 \1", self.SIZE.format(self=self))

    @property
    def tag(self) -> str:
        """The same in short, for names."""
        return self.TAG.format(self=self)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnySchedule(Noun):
    """An answer to an instance of some family, whose `kind` is the family's and ``-schedule``."""

    kind: Annotated[str, "the kind of file"] = ""
    instance: Annotated[Label, "name of the instance"]
    digest: Annotated[Prose, "digest of the instance; empty: unknown"] = ""
    method: Annotated[Prose, "method that made it"] = ""
    seed: Annotated[int | None, "seed of the random steps"] = None

    def to_frame(self, part: str | None = None, backend: "Backend | None" = None) -> Any:
        """Return a data frame with a row for each thing that is held; times as in the file.

        `part` names another list of the schedule than its main one, such as ``leases``.
        `backend` is "pandas" or "polars"; without it the first of them that is installed.
        """
        rows, columns = find(".instances.flat:flat_rows")(self, part)
        return find(".instances.frames:frame")(rows, columns, backend)

    def _repr_html_(self) -> str:
        """Show it over time in a notebook."""
        shown: str = find(".analysis.display:schedule_html")(self)
        return shown

    def brief(self) -> str:
        """Say what it answers, who made it, and how much it holds."""
        made = f" by {self.method}" if self.method else ""
        return f"{self.instance!r}{made}: {', '.join(sizes(self))}".removesuffix(": ")
