"""Which servers jobs may use: sets of servers, distinguished by number."""

from collections.abc import Sequence
from typing import NamedTuple

from .regions import RegionalJob, RegionalServer, may_run


class Reach(NamedTuple):
    """Sets of servers, the first with all of them, and the number of each job's set."""

    sets: tuple[frozenset[int], ...]
    jobs: tuple[int, ...]


def reach_of(places: Sequence[RegionalServer], jobs: Sequence[RegionalJob]) -> Reach:
    """Return the sets of servers, by number, that jobs may use."""
    numbers = {frozenset(range(len(places))): 0}
    known: dict[tuple[str, ...] | None, int] = {}
    for job in jobs:
        if job.allowed_regions not in known:
            own = frozenset(s for s, place in enumerate(places) if may_run(job, place))
            known[job.allowed_regions] = numbers.setdefault(own, len(numbers))
    return Reach(tuple(numbers), tuple(known[job.allowed_regions] for job in jobs))
