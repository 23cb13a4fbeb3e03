"""Regions: servers belong to regions, and jobs may be bound to some of them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

from ..families import family_of
from ..families.family import Places
from .errors import InputError, Problem
from .reading.vocabulary import Label, NonEmpty, Range

Regions = Annotated[tuple[Label, ...], NonEmpty()]


class RegionalServer(Protocol):
    """A server or machine."""

    @property
    def region(self) -> str | None:
        """Its region."""
        ...


class RegionalJob(Protocol):
    """A job."""

    @property
    def allowed_regions(self) -> tuple[str, ...] | None:
        """Its permitted regions."""
        ...


def may_run(job: RegionalJob, place: RegionalServer) -> bool:
    """Return True if a job may use a server at all."""
    return job.allowed_regions is None or place.region in job.allowed_regions


def region_problems(
    places: Sequence[RegionalServer], jobs: Sequence[RegionalJob]
) -> Iterator[Problem]:
    """Yield the regions of jobs that have no servers."""
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


Local = Annotated[Decimal, Range(0, 1)]
"""Fraction of the jobs that may run in one region only."""

Somewhere = TypeVar("Somewhere")


def with_regions(instance: Somewhere, regions: int, local: Decimal, seed: int) -> Somewhere:
    """Distribute the servers over regions `r0`, `r1`, .. in turn, and bind a fraction of the jobs.

    Each job is bound with probability ``local``, to a uniformly random region that can hold it. A
    larger fraction binds the same jobs to the same regions, and further jobs. With one region the
    instance is unchanged. The random numbers are separate, so all other data stay the same.

    Raises:
        InputError: If jobs of the family cannot be bound to regions.
    """
    if regions == 1:
        return instance
    rng, places = Random(f"regions {seed}"), family_of(instance).places
    if places is None:
        kind = family_of(instance).kind
        expected = "a family whose jobs can be bound to regions"
        raise InputError.of(kind, "kind", kind, expected, "give an instance of such a family")
    dealt = tuple(
        replace(place, region=f"r{i % regions}") for i, place in enumerate(places.read(instance))
    )
    sited = places.put(instance, dealt)
    bound: Somewhere = replace(sited, jobs=_bound(sited, places, local, rng))
    return bound


def _bound(instance: Any, places: Places, local: Decimal, rng: Random) -> tuple[Any, ...]:
    """Draw the bound jobs, and for each a region with enough room."""
    inside: dict[str, list[Any]] = {}
    for place in places.read(instance):
        inside.setdefault(str(place.region), []).append(place)
    bound: list[Any] = []
    for job in instance.jobs:
        chance, which = rng.random(), rng.random()
        roomy = [name for name, own in inside.items() if places.fits(instance, job, tuple(own))]
        if roomy and chance < local:
            job = replace(job, allowed_regions=(roomy[int(which * len(roomy))],))
        bound.append(job)
    return tuple(bound)
