"""A time-indexed program over placements: each job picks its GPUs and its slots at once.

Source: Ringyard, stating (1)-(9) of SJF-BCO, arXiv 2207.07817. `docs/theory/makespan-bounds-lp.md`
compares it.

Data: w_j GPUs, F_j iterations, r_j release, O_s GPUs of server s, H horizon. A column (j, q, a, e)
is job j at work in slots a .. e - 1 on its placement of number q, which has q_s GPUs on s and u
units of overhead. The job is spread on s if 0 < q_s < w_j. phi_j(u, p) is (9) for u units and p
spread rings on the busiest server. Inside one server e - a is the fewest slots. For a spread job it
is between the slots needed alone and among as many rings as fit. K_jp(u, n) is the largest number
of n slots in which j can have p rings at its server, including itself, and still do F_j iterations.

Variables
    place[j, q, a, e] in {0, 1}: the columns
    used[t] in [0, 1]: some job has not ended by slot t
    makespan_slots in [0, H]: the latest end
    spread[j, u, s, t] in [0, 1]: j works in t, is spread on s, and has u units
    rings[s, t, p] in {0, 1}: at least p spread rings are on s in t
    free[j, u, s, t, p] in [0, 1]: so spread on s, j has fewer than p rings there, itself
      included, for p >= 2
    delayed[j, u, t, p] in [0, 1]: j has u units and at least p rings on its busiest server

Objective
    latest_end: minimise makespan_slots

Constraints
    every_job_once[j]: sum_(q,a,e) place[j, q, a, e] = 1
    capacity[s, t] (2): sum of q_s place over columns at work in t <= O_s used[t]
    makespan[j, t]: sum of place[j, q, a, e] over e > t <= used[t]
    slots_used: makespan_slots = sum_t used[t]
    without_gap[t]: used[t + 1] <= used[t]
    spreads[j, u, s, t]: spread[j, u, s, t] = sum of place over such columns at work in t
    counted[s, t] (6): sum_(j,u) spread[j, u, s, t] = sum_p rings[s, t, p]
    ordered[s, t, p]: rings[s, t, p] <= rings[s, t, p - 1], for p >= 2
    shared[s, t, p]: sum_(j,u) free[j, u, s, t, p] <= (p - 1) (1 - rings[s, t, p]), for p >= 2
    busiest[j, u, s, t, p]: delayed[j, u, t, p] >= spread[j, u, s, t] - free[j, u, s, t, p]
    completes[j] (9): sum over spread columns of ((e - a) phi_j(u, 1) / F_j - 1) place
      >= sum_(u,t,p) (phi_j(u, p - 1) - phi_j(u, p)) / F_j delayed[j, u, t, p]
    patient[j, p]: sum_(u,t) delayed[j, u, t, p] <= sum over spread columns of K_jp place, implied
      for integers, but not in the relaxation

By construction
    gang: q_s sums to w_j (1)
    release: columns begin at r_j or later
    regions: and are on servers that j may use
    held: a job that holds GPUs at slot 0 has only columns from then on, on these GPUs
    one_kind: instances with kinds of GPUs are refused
    no_preemption: a column is one stretch of slots
    no_migration: and one placement

A model's job may work on after it has done its iterations. The schedule that ends it then has no
more rings in any slot, so no job ends later. In `write`, servers of equal size are renamed so that
the job with the most placements has its GPUs in descending order, within each region if jobs are
bound to regions. This is left out if jobs hold GPUs at slot 0.

Size: sum_j |Q_j| H^2 / 2 columns at most and |J||S|H rows per level of contention.

The linear relaxation is at least that of `occupancy`. Proof: cut every column of a point to its
first p_j slots. Let start[j, t] be the sum of the cut columns with a = t, and gpus[j, s, t] the sum
of q_s over the cut columns at work. Each column gives w_j GPUs to its slots, so `gang` holds.
Cutting frees GPUs, so `capacity` holds. Ends only get earlier.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ...instances import MakespanInstance, Schedule
from ...instances.directed_rounding import above
from ..files.names import label
from ..program import Matrix
from ..rows import GrownRows
from .data import refuses_slots
from .placements import PlacementSet, Window, how_many, layout_of, shifts
from .timetable import JobSlots, courses, schedule_of

__all__ = ["build", "read", "refuses", "twin", "write"]


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
        """Return the work of a spread job in a window, alone, beyond its iterations, over these.

        It is rounded up, and `loss` down: no schedule violates a row by rounding.
        """
        full = self.rates[window.job, self.layout.of(window).units, 1]
        wanted = self.layout.data.tasks[window.job].iterations
        return above((window.end - window.start) * full / wanted - 1)

    def loss(self, job: str, units: int, slot: int, level: int) -> float:
        """Return the loss of a job in a slot by the ring of that level, over its iterations."""
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
    """Return the data that depend on the number of rings that can meet on a server in a slot."""
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


def write(model: Any, schedule: Schedule) -> None:
    """Put a schedule into the variables, servers of equal size renamed for the anchor."""
    index: PatternIndex = model.index
    followed = courses(model.data, schedule)
    anchor = index.layout.anchor
    names = _renaming(index, followed[anchor].gpus if anchor else {})
    chosen = {job: _window(index, job, course, names) for job, course in followed.items()}
    windows = {window for window in chosen.values() if window}
    last = max((window.end for window in windows), default=0)
    for key in model.place:
        model.place[key] = int(key in windows)
    for slot in model.used:
        model.used[slot] = int(slot < last)
    model.makespan_slots = last
    for at in model.spread:
        model.spread[at] = sum(window in windows for window in index.spread[at])
    units = {window.job: index.layout.of(window).units for window in windows}
    rings = {(job, units.get(job)): course.rings for job, course in followed.items()}
    _write_rings(model, index, rings)


def _write_rings(
    model: Any, index: PatternIndex, rings: dict[tuple[str, int | None], dict[int, int]]
) -> None:
    """Set the variables that follow from the spread rings.

    `rings` are those on the busiest server, by slot, of each job with its units of overhead.
    """
    present = {
        at: sum(model.spread[job, units, at].value for job, units in jobs)
        for at, jobs in index.together.items()
    }
    for server, slot, level in index.rings:
        model.rings[server, slot, level] = int(present[server, slot] >= level)
    for job, units, server, slot, level in index.free:
        fewer = present[server, slot] < level
        model.free[job, units, server, slot, level] = (
            model.spread[job, units, server, slot].value if fewer else 0
        )
    for job, units, slot, level in index.delayed:
        busiest = rings.get((job, units), {}).get(slot, 0)
        model.delayed[job, units, slot, level] = int(busiest >= level)


def read(model: Any) -> Schedule:
    """Return the schedule in the variables, or of the largest parts of a fractional point."""
    index: PatternIndex = model.index
    best = {
        job: max(windows, key=lambda window: model.place[window].value or 0)
        for job, windows in index.of_job.items()
    }
    starts = {job: window.start for job, window in best.items()}
    gpus = {job: dict(index.layout.of(window).gpus) for job, window in best.items()}
    return schedule_of(model.data, "patterns", starts, gpus)


def _renaming(index: PatternIndex, anchor: dict[str, int]) -> dict[str, str]:
    """Return new names of servers, alike in size, with which the anchor's GPUs descend."""
    data = index.layout.data
    looks = {server: (size, data.site(server)) for server, size in data.sizes.items()}
    names: dict[str, str] = {}
    for look in set(looks.values()):
        alike = [server for server in looks if looks[server] == look]
        falling = sorted(alike, key=lambda server: -anchor.get(server, 0))
        names.update(zip(falling, alike, strict=True))
    return names


def _window(
    index: PatternIndex, job: str, course: JobSlots, names: dict[str, str]
) -> Window | None:
    """Return the window of a job's course, or None if the program has no such window."""
    held = {names[server]: count for server, count in course.gpus.items()}
    last = max(course.rings, default=course.start) + 1
    return next(
        (
            window
            for window in index.of_job[job]
            if window[2:] == (course.start, last) and dict(index.layout.of(window).gpus) == held
        ),
        None,
    )


class _PatternColumns:
    """The numbers of the columns, family after family."""

    def __init__(self, index: PatternIndex) -> None:
        slots = range(index.layout.data.horizon)
        families: dict[str, Iterable[Iterable[object]]] = {
            "place": index.layout.windows,
            "used": [(slot,) for slot in slots],
            "makespan_slots": [()],
            "spread": index.spread,
            "rings": index.rings,
            "free": index.free,
            "delayed": index.delayed,
        }
        pairs = [(name, tuple(key)) for name, keys in families.items() for key in keys]
        self.number = {(name, *key): number for number, (name, key) in enumerate(pairs)}

    def names(self) -> tuple[str, ...]:
        """Return them as Pyomo writes them."""
        return tuple(_named(str(name), key) for name, *key in self.number)

    def at(self, name: str, *key: object) -> int:
        """Return the number of one."""
        return self.number[name, *key]


def twin(instance: MakespanInstance, horizon: int | None = None) -> Matrix:
    """Return the matrix of the program with all jobs ended by `horizon`."""
    index = index_of(layout_of(instance, horizon))
    columns, rows = _PatternColumns(index), GrownRows()
    _time_rows(index, columns, rows)
    _ring_rows(index, columns, rows)
    _progress_rows(index, columns, rows)
    count, latest = len(columns.number), columns.at("makespan_slots")
    upper = np.ones(count)
    upper[latest] = index.layout.last
    whole = np.array([name in ("place", "rings") for name, *_ in columns.number], dtype=np.bool_)
    return Matrix(
        columns=columns.names(),
        cost=np.eye(1, count, latest)[0],
        lower=np.zeros(count),
        upper=upper,
        integer=whole,
        **rows.parts(count),
    )


def _time_rows(index: PatternIndex, columns: _PatternColumns, rows: GrownRows) -> None:
    data, at = index.layout.data, columns.at
    slots, never = range(data.horizon), -np.inf
    for job, windows in index.of_job.items():
        rows.add(_named("every_job_once", [job]), 1, 1, ((at("place", *w), 1) for w in windows))
        for t in slots:
            late = [(at("place", *w), 1.0) for w in windows if w.end > t]
            rows.add(_named("makespan", [job, t]), never, 0, [*late, (at("used", t), -1)])
    for (server, t), held in index.held.items():
        entries = [(at("place", *w), float(count)) for count, w in held]
        room = (at("used", t), -float(data.sizes[server]))
        rows.add(_named("capacity", [server, t]), never, 0, [*entries, room])
    used = [(at("used", t), -1.0) for t in slots]
    rows.add("slots_used", 0, 0, [(at("makespan_slots"), 1), *used])
    for t in slots[:-1]:
        rows.add(f"without_gap[{t}]", never, 0, [(at("used", t + 1), 1), (at("used", t), -1)])


def _ring_rows(index: PatternIndex, columns: _PatternColumns, rows: GrownRows) -> None:
    at, never = columns.at, -np.inf
    for spot, windows in index.spread.items():
        entries = [(at("place", *w), -1.0) for w in windows]
        rows.add(_named("spreads", spot), 0, 0, [(at("spread", *spot), 1), *entries])
    for (server, t), jobs in index.together.items():
        there = [(at("spread", *job, server, t), 1.0) for job in jobs]
        levels = [(at("rings", server, t, p), -1.0) for p in index.levels(server, t)]
        rows.add(_named("counted", [server, t]), 0, 0, [*there, *levels])
    for server, t, p in index.rings:
        if p > 1:
            ring = at("rings", server, t, p)
            below = at("rings", server, t, p - 1)
            rows.add(_named("ordered", [server, t, p]), never, 0, [(ring, 1), (below, -1)])
            free = [(at("free", *job, server, t, p), 1.0) for job in index.together[server, t]]
            rows.add(_named("shared", [server, t, p]), never, p - 1, [*free, (ring, p - 1.0)])
    for job, units, server, t, p in index.free:
        key = (job, units, server, t, p)
        parts = (at("delayed", job, units, t, p), at("spread", *key[:-1]), at("free", *key))
        rows.add(_named("busiest", key), never, 0, zip(parts, (-1, 1, -1), strict=True))


def _progress_rows(index: PatternIndex, columns: _PatternColumns, rows: GrownRows) -> None:
    at = columns.at
    for job in index.ring_jobs:
        ahead = [(at("place", *w), -index.ahead(w)) for w in index.spread_of[job]]
        lost = [(at("delayed", *key), index.loss(*key)) for key in index.delayed_of[job]]
        rows.add(_named("completes", [job]), -np.inf, 0, [*ahead, *lost])
    for job, p in index.job_levels:
        slow = [(at("delayed", *key), 1.0) for key in index.delayed_of[job] if key[3] == p]
        bears = [(at("place", *w), -float(index.bears(w, p))) for w in index.spread_of[job]]
        rows.add(_named("patient", [job, p]), -np.inf, 0, [*slow, *bears])


def _named(name: str, key: Iterable[object]) -> str:
    """Return the name of a component with an index, as Pyomo writes it."""
    parts = [label(part) if isinstance(part, str) else str(part) for part in key]
    return f"{name}[{','.join(parts)}]" if parts else name


MOST_PLACEMENTS = 20_000
"""Instances with more placements, over all jobs, are refused."""


def refuses(instance: MakespanInstance) -> str | None:
    """Return why `instance` has no such program, or None if it has."""
    if reason := refuses_slots(instance):
        return reason
    count = sum(how_many(instance, job.name) for job in instance.jobs)
    if count > MOST_PLACEMENTS:
        return (
            f"its jobs have {count:,} placements, more than {MOST_PLACEMENTS:,}, "
            "so use 'linearised', or fewer servers"
        )
    return None


def build(instance: MakespanInstance, horizon: int | None = None) -> Any:
    """Return the program of an instance with all jobs ended by `horizon`."""
    index = index_of(layout_of(instance, horizon))
    model = pyo.ConcreteModel()
    model.index, model.data = index, index.layout.data
    _add_variables(model, index)
    _add_time_rows(model, index)
    _add_ring_rows(model, index)
    _add_progress_rows(model, index)
    return model


def _add_variables(model: Any, index: PatternIndex) -> None:
    slots = range(index.layout.data.horizon)
    model.place = pyo.Var(index.layout.windows, domain=pyo.Binary)
    model.used = pyo.Var(slots, bounds=(0, 1))
    model.makespan_slots = pyo.Var(bounds=(0, index.layout.last))
    model.spread = pyo.Var(list(index.spread), bounds=(0, 1))
    model.rings = pyo.Var(index.rings, domain=pyo.Binary)
    model.free = pyo.Var(index.free, bounds=(0, 1))
    model.delayed = pyo.Var(list(index.delayed), bounds=(0, 1))
    model.latest_end = pyo.Objective(expr=model.makespan_slots)


def _add_time_rows(model: Any, index: PatternIndex) -> None:
    place, used, layout = model.place, model.used, index.layout
    data, slots = layout.data, range(layout.data.horizon)

    @model.Constraint(list(data.tasks))
    def every_job_once(_: Any, job: str) -> Any:
        return sum(place[window] for window in index.of_job[job]) == 1

    @model.Constraint(list(index.held))
    def capacity(_: Any, server: str, slot: int) -> Any:
        held = sum(count * place[window] for count, window in index.held[server, slot])
        return held <= data.sizes[server] * used[slot]

    @model.Constraint(list(data.tasks), slots)
    def makespan(_: Any, job: str, slot: int) -> Any:
        return sum(place[window] for window in index.of_job[job] if window.end > slot) <= used[slot]

    @model.Constraint()
    def slots_used(_: Any) -> Any:
        return model.makespan_slots == sum(used[slot] for slot in slots)

    @model.Constraint(slots[:-1])
    def without_gap(_: Any, slot: int) -> Any:
        return used[slot + 1] <= used[slot]


def _add_ring_rows(model: Any, index: PatternIndex) -> None:
    spread, rings, free = model.spread, model.rings, model.free
    levels = [at for at in index.rings if at[2] > 1]

    @model.Constraint(list(index.spread))
    def spreads(_: Any, *at: Any) -> Any:
        return spread[at] == sum(model.place[window] for window in index.spread[at])

    @model.Constraint(list(index.together))
    def counted(_: Any, *at: Any) -> Any:
        present = sum(spread[job, units, at] for job, units in index.together[at])
        return present == sum(rings[at, level] for level in index.levels(*at))

    @model.Constraint(levels)
    def ordered(_: Any, server: str, slot: int, level: int) -> Any:
        return rings[server, slot, level] <= rings[server, slot, level - 1]

    @model.Constraint(levels)
    def shared(_: Any, server: str, slot: int, level: int) -> Any:
        at = server, slot
        fewer = sum(free[job, units, at, level] for job, units in index.together[at])
        return fewer <= (level - 1) * (1 - rings[at, level])

    @model.Constraint(index.free)
    def busiest(_: Any, job: str, units: int, server: str, slot: int, level: int) -> Any:
        at = job, units, server, slot
        return model.delayed[job, units, slot, level] >= spread[at] - free[at, level]


def _add_progress_rows(model: Any, index: PatternIndex) -> None:
    place, delayed = model.place, model.delayed

    @model.Constraint(index.ring_jobs)
    def completes(_: Any, job: str) -> Any:
        ahead = sum(index.ahead(window) * place[window] for window in index.spread_of[job])
        lost = sum(index.loss(*at) * delayed[at] for at in index.delayed_of[job])
        return lost - ahead <= 0

    @model.Constraint(index.job_levels)
    def patient(_: Any, job: str, level: int) -> Any:
        slow = sum(delayed[at] for at in index.delayed_of[job] if at[3] == level)
        bearable = (index.bears(window, level) * place[window] for window in index.spread_of[job])
        return slow <= sum(bearable)
