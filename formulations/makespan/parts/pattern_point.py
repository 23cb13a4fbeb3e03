"""Schedules into the pattern program and out of it."""

from typing import Any

from ....instances import Schedule
from .pattern_index import PatternIndex
from .placements import Window
from .timetable import JobSlots, courses, schedule_of


def write(model: Any, schedule: Schedule) -> None:
    """Put a schedule into the variables, servers of equal size renamed for the anchor."""
    index: PatternIndex = model.index
    followed = courses(model.data, schedule)
    names = _renaming(index, followed[index.layout.anchor].gpus)
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
    """Set what follows from the spread rings.

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
    """Return the schedule in the variables; of a fractional point, that of the largest parts."""
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
    """Return the window of a job's course, or None if the program has none like it."""
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
