"""What is asked of the CP-SAT model and what it replies: plain data, sent between processes."""

from dataclasses import dataclass

from ...instances import MakespanInstance, Schedule

Shape = tuple[int, int]
"""Servers of a ring, and most GPUs on one of them, as far as its overhead depends on them."""


@dataclass(frozen=True, slots=True)
class RingStay:
    """Where a ring is, when it starts, and the slots that it takes at least."""

    start: int
    servers: frozenset[str]
    shape: Shape
    slots: int


@dataclass(frozen=True, slots=True)
class RingCut:
    """Jobs that are rings in these places take so long, if no other ring runs before `until`.

    The same holds some slots earlier or later. Without `until` it holds whatever others do.
    """

    stays: dict[str, RingStay]
    until: int | None


@dataclass(frozen=True, slots=True)
class CpQuestion:
    """Can all jobs end by slot `horizon`? Asked with a cap on seconds, on effort, or none."""

    instance: MakespanInstance
    horizon: int
    contention: bool = False
    """Whether the model counts rings on uplinks; else every ring runs at its full rate."""
    cuts: tuple[RingCut, ...] = ()
    seconds: float = float("inf")
    effort: float = float("inf")
    """In CP-SAT's count of operations, equal from run to run."""
    threads: int = 1
    hint: Schedule | None = None
    """A schedule near which to look first."""


@dataclass(frozen=True, slots=True)
class Reply:
    """`found` is None if the question stays open; a yes has start, GPUs and stay by job."""

    found: bool | None
    starts: tuple[int, ...] = ()
    pieces: tuple[tuple[tuple[int, int], ...], ...] = ()
    """Servers, by number, and GPUs on them."""
    shapes: tuple[Shape | None, ...] = ()
    slots: tuple[int, ...] = ()
    branches: int = 0
