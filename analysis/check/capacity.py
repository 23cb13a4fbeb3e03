"""The use of every server's GPUs over time, and where it exceeds what is there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from .makespan.runs import RingRun

T = TypeVar("T", int, Fraction)
"""A moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excess(Generic[T]):
    """A longest stretch of time with too many GPUs in use; `end` is None if it never ends."""

    start: T
    end: T | None
    gpus: int


def usage_steps(
    runs: tuple[RingRun, ...], ends: Mapping[RingRun, Fraction]
) -> dict[str, dict[Fraction, int]]:
    """Return by server and moment how many GPUs more (or fewer) are in use from then on."""
    steps: dict[str, dict[Fraction, int]] = {}
    for run in runs:
        for server, count in run.gpus.items():
            at = steps.setdefault(server, {})
            at[run.start] = at.get(run.start, 0) + count
            if run in ends:
                at[ends[run]] = at.get(ends[run], 0) - count
    return steps


def excesses(steps: Mapping[T, int], gpus: int) -> Iterator[Excess[T]]:
    """Yield the longest stretches in which more than `gpus` are in use, with the most over."""
    used, worst = 0, 0
    begun: T | None = None
    for moment in sorted(steps):
        used += steps[moment]
        if used > gpus:
            begun = moment if begun is None else begun
            worst = max(worst, used - gpus)
        elif begun is not None:
            yield Excess(start=begun, end=moment, gpus=worst)
            begun, worst = None, 0
    if begun is not None:
        yield Excess(start=begun, end=None, gpus=worst)


def moment_text(moment: Fraction) -> str:
    """Write a moment exactly if that is short, else rounded to a millionth of a slot."""
    # Under continuous progress a denominator can have thousands of digits.
    return str(moment) if moment.denominator < 10**6 else f"about {float(moment):.6f}"
