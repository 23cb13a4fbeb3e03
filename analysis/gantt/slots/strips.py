"""Where things are: machines in strips, slots across, and the lanes of each hold."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ...drawing.shapes import Box, number, text_width
from ...timeline import Holding, Holdings, JobHolder
from ...timeline.slots import SlotTimeline
from ..lanes import Block, LaneStay, assign_lanes
from ..sheet import LABEL_SIZE, WIDTH, below_header

TOP, RIGHT = 98.0, 24.0
MOST_MACHINES = 200
"""Of more machines, those that are used most are drawn."""
SPACE = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A machine's strip: `units` of the resource fit into it, `excess` beyond them do not."""

    top: float
    height: float
    units: int
    excess: int

    @property
    def pitch(self) -> float:
        """Return the height of a unit."""
        return self.height / max(1, self.units + self.excess)


@dataclass(frozen=True, slots=True, kw_only=True)
class StripArea:
    """Strips by machine, lanes by job and hold, and how slots lie across."""

    left: float
    right: float
    top: float
    bottom: float
    horizon: int
    strips: dict[int, Strip]
    lanes: dict[tuple[int, Holding], tuple[Block, ...]]

    def x(self, slot: float) -> float:
        """Return where a slot begins."""
        return self.left + (self.right - self.left) * slot / self.horizon

    def boxes(self, job: JobHolder, hold: Holding) -> list[Box]:
        """Return the rectangles of a hold."""
        strip, left, right = self.strips[hold.machine], self.x(hold.start), self.x(hold.end)
        return [
            (left, strip.top + low * strip.pitch, right - left, (high - low) * strip.pitch)
            for low, high in self.lanes[job.number, hold]
        ]


def make_area(timeline: Holdings, rows: Iterable[str]) -> StripArea:
    """Choose the machines to draw, assign lanes, and divide the room; `rows` stand above."""
    there: dict[int, list[tuple[JobHolder, Holding]]] = {
        i: [] for i in range(len(timeline.machines))
    }
    for job in timeline.jobs:
        for hold in job.holds:
            there[hold.machine].append((job, hold))
    use = {i: sum(h.units * (h.end - h.start) for _, h in holds) for i, holds in there.items()}
    drawn = sorted(sorted(use, key=lambda i: -use[i])[:MOST_MACHINES])
    height = max(5.0, min(64.0, 1000 / len(drawn) - SPACE))
    top = below_header(timeline, TOP)
    strips: dict[int, Strip] = {}
    lanes: dict[tuple[int, Holding], tuple[Block, ...]] = {}
    for place, machine in enumerate(drawn):
        units = timeline.machines[machine][1]
        stays = [LaneStay(Fraction(h.start), Fraction(h.end), h.units) for _, h in there[machine]]
        found = assign_lanes(stays, units)
        lanes |= {(job.number, h): b for (job, h), b in zip(there[machine], found, strict=True)}
        most = max((high for blocks in found for _, high in blocks), default=0)
        y = top + place * (height + SPACE)
        strips[machine] = Strip(top=y, height=height, units=units, excess=max(0, most - units))
    return StripArea(
        left=24 + _widest([*rows, *(label(timeline, i) for i in drawn)]),
        right=WIDTH - RIGHT,
        top=top,
        bottom=top + len(drawn) * (height + SPACE) - SPACE,
        horizon=max([timeline.horizon, *(hold.end for job in timeline.jobs for hold in job.holds)]),
        strips=strips,
        lanes=lanes,
    )


def _widest(names: Iterable[str]) -> float:
    return min(200.0, max(text_width(name, LABEL_SIZE) for name in names))


def label(timeline: Holdings, machine: int) -> str:
    """Name a machine with what it has of the resource."""
    name, units = timeline.machines[machine]
    return f"{name} · {number(Fraction(units, timeline.unit))}"


def labels(timeline: Holdings, area: StripArea) -> list[tuple[float, str]]:
    """Return where the middle of each strip is, and how it is named."""
    strips = area.strips.items()
    return [(strip.top + strip.height / 2, label(timeline, i)) for i, strip in strips]


def row_names(timeline: SlotTimeline) -> tuple[str, str]:
    """Name the rows of jobs with and without a plan."""
    others = len(timeline.jobs) - timeline.admitted
    return f"{timeline.with_plan} · {timeline.admitted:,}", f"{timeline.without} · {others:,}"
