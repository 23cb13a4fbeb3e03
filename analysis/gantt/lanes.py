"""Strips of machines, and the lanes in them that a piece of a job gets: interval graph colouring.

Pieces are served in order of their start, so a server that is never overfull needs no more
lanes than it has GPUs. A piece gets neighbouring lanes where a block is large enough, else the
largest blocks; whether splits can be avoided altogether is NP-hard to know.
"""

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from typing import Any

from ..drawing.shapes import Box
from .time import Area, Moment

Block = tuple[int, int]
"""First lane, and the lane behind the last."""

ENDLESS = 10**18
"""More lanes than a schedule can ask for."""


@dataclass(frozen=True, slots=True)
class LaneStay:
    """`gpus` GPUs of one server in use from `start` to `end`, or for ever if that is None."""

    start: Fraction
    end: Fraction | None
    gpus: int


def assign_lanes(stays: Sequence[LaneStay], gpus: int) -> list[tuple[Block, ...]]:
    """Return the lanes of each stay; lanes from `gpus` on do not exist, they are excess."""
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
    """Order by start; of those that start together the longest first.

    Then lanes that become free at about the same time lie side by side, and few later pieces
    are split.
    """
    end = stay.start if stay.end is None else stay.end
    return stay.start, stay.end is not None, -end, -stay.gpus


class _Free:
    """Blocks of free lanes, in order and never adjacent."""

    def __init__(self, blocks: list[Block]) -> None:
        self._blocks = blocks

    def take(self, count: int) -> list[Block]:
        """Take up to `count` lanes: the tightest block that is large enough, or the largest."""
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
        """Take a block back and join it with its neighbours."""
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
        """Return where the lanes that exist end."""
        return self.top + self.units * self.pitch

    @property
    def overfull(self) -> bool:
        """Return True if more is in use than exists."""
        return self.lanes > self.units


@dataclass(frozen=True, slots=True, kw_only=True)
class StripArea(Area):
    """Strips by machine, and lanes by the number of a job and what it holds there."""

    strips: dict[int, Strip]
    lanes: dict[tuple[int, Any], tuple[Block, ...]]

    def boxes(
        self, machine: int, key: tuple[int, Any], start: Moment, end: Moment | None
    ) -> list[Box]:
        """Return the rectangles of some lanes of a machine, from one moment to another."""
        strip, left, right = self.strips[machine], self.x(start), self.x(end)
        return [
            (left, strip.top + low * strip.pitch, right - left, (high - low) * strip.pitch)
            for low, high in self.lanes[key]
        ]
