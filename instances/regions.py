"""Where data may be worked on: servers stand in regions, jobs may be bound to some of them."""

from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple, Protocol

from .errors import Problem
from .reading.vocabulary import Label, NonEmpty

Regions = Annotated[tuple[Label, ...], NonEmpty()]


class RegionalServer(Protocol):
    """A server or machine."""

    @property
    def region(self) -> str | None:
        """The region it stands in."""
        ...


class RegionalJob(Protocol):
    """A job."""

    @property
    def allowed_regions(self) -> tuple[str, ...] | None:
        """The regions it may run in."""
        ...


def may_run(job: RegionalJob, place: RegionalServer) -> bool:
    """Say whether a job may use a server at all."""
    return job.allowed_regions is None or place.region in job.allowed_regions


def region_problems(
    places: Sequence[RegionalServer], jobs: Sequence[RegionalJob]
) -> Iterator[Problem]:
    """Yield the regions of jobs in which nothing stands."""
    known = {place.region for place in places} - {None}
    for i, job in enumerate(jobs):
        for k, name in enumerate(job.allowed_regions or ()):
            if name not in known:
                expected = "the region of a server" if known else "null: no server has a region"
                path = f"jobs[{i}].allowed_regions[{k}]"
                yield Problem(path, name, expected, "correct or remove it")


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
