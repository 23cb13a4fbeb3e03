"""Field types shared by all nouns: a Python type, its range, and what it means.

A field is written ``gpus: Annotated[Count, "GPUs in this server"]``. The reader, the
validator and the JSON Schema all walk these annotations; nothing states a range twice.
Real numbers are `Decimal`, exactly as written in the file.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

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
