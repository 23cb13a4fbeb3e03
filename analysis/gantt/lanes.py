"""Strips of machines, and their lanes assigned to pieces of jobs: interval graph colouring.

Pieces are served by start time, so a server that is never overfull needs at most one lane per GPU.
A piece gets adjacent lanes if a block is large enough, and otherwise the largest blocks. Deciding
whether splits are avoidable is NP-hard.
"""

from bisect import insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, Self

from ..drawing.shapes import Box
from .hues import choose_hues
from .time import Area, Moment

Block = tuple[int, int]
"""First lane, and the lane behind the last."""

ENDLESS = 10**18
"""An upper limit on the lanes of any schedule."""


@dataclass(frozen=True, slots=True)
class LaneStay:
    """`gpus` GPUs of one server in use from `start` to `end`, or for ever if that is None."""

    start: Fraction
    end: Fraction | None
    gpus: int


def assign_lanes(stays: Sequence[LaneStay], gpus: int) -> list[tuple[Block, ...]]:
    """Return the lanes of each stay. Lanes from `gpus` on are excess."""
    real, excess = _Free([(0, gpus)]), _Free([(gpus, ENDLESS)])
    held: list[tuple[Block, ...]] = [()] * len(stays)
    leaving: list[tuple[Fraction, int]] = []
    for i in sorted(range(len(stays)), key=lambda i: _turn(stays[i])):
        stay = stays[i]
        while leaving and leaving[0][0] <= stay.start:
            for block in held[heappop(leaving)[1]]:
                (real if block[0] < gpus else excess).give(block)
        found = real.take(stay.gpus)
        missing = stay.gpus - sum(high - low for low, high in found)
        held[i] = tuple(sorted(found + (excess.take(missing) if missing else [])))
        if stay.end is not None:
            heappush(leaving, (stay.end, i))
    return held


def _turn(stay: LaneStay) -> tuple[Fraction, bool, Fraction, int]:
    """Return the sort key: start, then decreasing length.

    Lanes that become free at about the same time are then adjacent, and fewer later pieces are
    split.
    """
    end = stay.start if stay.end is None else stay.end
    return stay.start, stay.end is not None, -end, -stay.gpus


class _Free:
    """Blocks of free lanes, in order and never adjacent."""

    def __init__(self, blocks: list[Block]) -> None:
        self._blocks = blocks

    def take(self, count: int) -> list[Block]:
        """Take up to `count` lanes: the tightest sufficient block, or else the largest blocks."""
        taken = []
        while count and self._blocks:
            fitting = [block for block in self._blocks if block[1] - block[0] >= count]
            low, high = min(fitting or self._blocks, key=lambda b: (b[1] - b[0], b[0]))
            if not fitting:
                low, high = max(self._blocks, key=lambda b: (b[1] - b[0], -b[0]))
            self._blocks.remove((low, high))
            used = min(count, high - low)
            if low + used < high:
                insort(self._blocks, (low + used, high))
            taken.append((low, low + used))
            count -= used
        return taken

    def give(self, block: Block) -> None:
        """Return a block to the free lanes and join it with its neighbours."""
        low, high = block
        for other in [b for b in self._blocks if b[1] == low or b[0] == high]:
            self._blocks.remove(other)
            low, high = min(low, other[0]), max(high, other[1])
        insort(self._blocks, (low, high))


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A machine's strip: `units` lanes exist, and further `lanes` are excess."""

    top: float
    height: float
    units: int
    lanes: int

    @property
    def pitch(self) -> float:
        """Return the height of a lane."""
        return self.height / max(1, self.lanes)

    @property
    def limit(self) -> float:
        """Return the end of the existing lanes."""
        return self.top + self.units * self.pitch

    @property
    def overfull(self) -> bool:
        """Return True if more is in use than exists."""
        return self.lanes > self.units


@dataclass(frozen=True, slots=True, kw_only=True)
class StripArea(Area):
    """Strips by machine, lanes by job number and holding, and hues by job number."""

    strips: dict[int, Strip]
    lanes: dict[tuple[int, Any], tuple[Block, ...]]
    hues: Mapping[int, int] = field(default_factory=dict)

    def hue(self, job: int) -> int:
        """Return the hue of a job, by its number."""
        return self.hues.get(job, job)

    def coloured(self, bars: Sequence[tuple[int, Any, int, Moment, Moment | None]]) -> Self:
        """Return the same area with hues for bars: job, holding, machine, start and end."""
        boxes = (
            (job, box)
            for job, holding, machine, start, end in bars
            for box in self.boxes(machine, (job, holding), start, end)
        )
        spaces = (b.top - a.top - a.height for a, b in pairwise(self.strips.values()))
        return replace(self, hues=choose_hues(boxes, 0.5 + max(spaces, default=1.0)))

    def boxes(
        self, machine: int, key: tuple[int, Any], start: Moment, end: Moment | None
    ) -> list[Box]:
        """Return the rectangles of some lanes of a machine, from one moment to another."""
        strip, left, right = self.strips[machine], self.x(start), self.x(end)
        return [
            (left, strip.top + low * strip.pitch, right - left, (high - low) * strip.pitch)
            for low, high in self.lanes[key]
        ]
