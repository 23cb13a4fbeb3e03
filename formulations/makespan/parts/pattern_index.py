"""What the rows of the pattern program range over, and their coefficients."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ....instances.directed_rounding import above
from .placements import PlacementSet, Window, shifts

Spot = tuple[str, int, str, int]
"""Job, units of overhead, server, slot."""
Delay = tuple[str, int, int, int]
"""Job, units of overhead, slot, level: that many rings or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternIndex:
    """Groups of windows by the rows that they enter."""

    layout: PlacementSet
    of_job: dict[str, list[Window]]
    spread_of: dict[str, list[Window]]
    """The windows of a job on more than one server."""
    held: dict[tuple[str, int], list[tuple[int, Window]]]
    """GPUs held on a server in a slot, by window."""
    spread: dict[Spot, list[Window]]
    together: dict[tuple[str, int], list[tuple[str, int]]]
    """The jobs, with units, that can be spread on a server in a slot."""
    rings: list[tuple[str, int, int]]
    free: list[tuple[str, int, str, int, int]]
    delayed: dict[Delay, None]
    delayed_of: dict[str, list[Delay]]
    rates: dict[tuple[str, int, int], Fraction]
    """Iterations per slot of a spread job, by its units and rings."""

    def levels(self, server: str, slot: int) -> range:
        """Return the numbers of spread rings, above 0, that a server can have in a slot."""
        jobs = {job for job, _ in self.together[server, slot]}
        return range(1, min(len(jobs), self.layout.data.sizes[server]) + 1)

    @property
    def ring_jobs(self) -> list[str]:
        """The jobs that can be spread within the horizon."""
        return [job for job, windows in self.spread_of.items() if windows]

    @property
    def job_levels(self) -> list[tuple[str, int]]:
        """The jobs that can be delayed, with the levels at which they can be."""
        return sorted({(job, level) for job, _, _, level in self.delayed})

    def ahead(self, window: Window) -> float:
        """Return what a spread job does in a window, alone, beyond its iterations, over these.

        It is rounded up, and `loss` down: no schedule violates a row by rounding.
        """
        full = self.rates[window.job, self.layout.of(window).units, 1]
        wanted = self.layout.data.tasks[window.job].iterations
        return above((window.end - window.start) * full / wanted - 1)

    def loss(self, job: str, units: int, slot: int, level: int) -> float:
        """Return what the ring of that level takes from a job in a slot, over its iterations."""
        del slot
        lost = self.rates[job, units, level - 1] - self.rates[job, units, level]
        return -above(-lost / self.layout.data.tasks[job].iterations)

    def bears(self, window: Window, level: int) -> int:
        """Return in how many slots of a window a spread job can bear that number of rings."""
        units = self.layout.of(window).units
        slow, full = self.rates[window.job, units, level], self.rates[window.job, units, 1]
        wanted = self.layout.data.tasks[window.job].iterations
        return shifts(slow, full, window.end - window.start, wanted)


def index_of(layout: PlacementSet) -> PatternIndex:
    """Return the groups of a layout."""
    of_job: dict[str, list[Window]] = {job: [] for job in layout.data.tasks}
    spread_of: dict[str, list[Window]] = {job: [] for job in layout.data.tasks}
    held: dict[tuple[str, int], list[tuple[int, Window]]] = {}
    spread: dict[Spot, list[Window]] = {}
    for window in layout.windows:
        place = layout.of(window)
        of_job[window.job].append(window)
        if place.rings:
            spread_of[window.job].append(window)
        for slot in range(window.start, window.end):
            for server, count in place.gpus:
                held.setdefault((server, slot), []).append((count, window))
                if place.rings:
                    spread.setdefault((window.job, place.units, server, slot), []).append(window)
    return PatternIndex(
        layout=layout,
        of_job=of_job,
        spread_of=spread_of,
        held=held,
        spread=spread,
        **_levels(layout, spread),
    )


def _levels(layout: PlacementSet, spread: dict[Spot, list[Window]]) -> dict[str, Any]:
    """Return what depends on the number of rings that can meet on a server in a slot."""
    together: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for job, units, server, slot in spread:
        together.setdefault((server, slot), []).append((job, units))
    rings = [
        (server, slot, level)
        for (server, slot), present in together.items()
        for level in range(1, min(len({job for job, _ in present}), layout.data.sizes[server]) + 1)
    ]
    free = [
        (job, units, server, slot, level)
        for server, slot, level in rings
        if level > 1
        for job, units in together[server, slot]
    ]
    delayed = {(job, units, slot, level): None for job, units, _, slot, level in free}
    delayed_of: dict[str, list[Delay]] = {job: [] for job in layout.data.tasks}
    for at in delayed:
        delayed_of[at[0]].append(at)
    most = max((level for _, _, level in rings), default=1)
    rates = {
        (job, units, level): layout.rate(job, units, level)
        for job, units in {(job, units) for job, units, _, _ in spread}
        for level in range(1, most + 1)
    }
    return {
        "together": together,
        "rings": rings,
        "free": free,
        "delayed": delayed,
        "delayed_of": delayed_of,
        "rates": rates,
    }
