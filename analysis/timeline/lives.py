"""What jobs do from when to when, in the same terms for every family.

What a job has of a machine from one moment to another is a bar; a span is a stretch of its life
in which its rate does not change.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

Moment = Fraction | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """`units` of a machine, or of what stands for one, in words `what`; no end is for ever."""

    machine: int
    start: Moment
    end: Moment | None
    units: int
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateSpan:
    """A stretch of time with a rate; `lost` is the part of its bandwidth that others take."""

    start: Moment
    end: Moment
    rate: float
    contention: str
    lost: float = 0.0


def run_spans(start: int, works: int, stop: int, rate: float, where: str) -> Iterator[RateSpan]:
    """Yield the time in which a run restarts, if there is any, and that in which it works."""
    if works > start:
        yield RateSpan(start=start, end=works, rate=0, contention="restarts")
    if stop > works:
        yield RateSpan(start=works, end=stop, rate=rate, contention=where)


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """A job that works, with bars, and spans in order of time; without an end it never ends."""

    name: str
    about: str
    start: Moment
    end: Moment | None
    bars: tuple[Bar, ...]
    spans: tuple[RateSpan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lives:
    """Machines by name, with the lanes they have (0 if that is not one number), and who is there.

    Moments are multiples of `tick`, in the unit. `line` is the value of the objective where that
    is a moment, `bound` the proved bound on it.
    """

    machines: tuple[tuple[str, int], ...]
    jobs: tuple[Life, ...]
    unit: str
    rate: str
    tick: Moment = 1
    line: Moment | None = None
    bound: Moment | None = None
    size: str = ""
    """How much is shown, in words."""
