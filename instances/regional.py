"""The same instance with regions: servers dealt out to them, and some jobs bound to one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random
from typing import Annotated, Any, TypeVar

from ..families import family_of
from .reading.vocabulary import Range

Local = Annotated[Decimal, Range(0, 1)]
"""Share of the jobs that may run in one region only."""

Somewhere = TypeVar("Somewhere")


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """How the servers of a family's instances are read and changed, and which a job fits into."""

    read: Callable[[Any], tuple[Any, ...]]
    put: Callable[[Any, tuple[Any, ...]], Any]
    fits: Callable[[Any, Any, tuple[Any, ...]], bool]
    """Of an instance, a job, and some of its servers."""


def with_regions(instance: Somewhere, regions: int, local: Decimal, seed: int) -> Somewhere:
    """Deal the servers out to regions `r0`, `r1`, .. in turn, and bind a share of the jobs.

    Each job is bound with chance ``local``, to one of the regions that it fits in with equal
    chances; a larger share binds the same jobs to the same regions, and more. With one region
    nothing changes. The draws are the regions' own: all other data stay as they are.
    """
    if regions == 1:
        return instance
    rng, places = Random(f"regions {seed}"), family_of(instance).places
    dealt = tuple(
        replace(place, region=f"r{i % regions}") for i, place in enumerate(places.read(instance))
    )
    sited = places.put(instance, dealt)
    bound: Somewhere = replace(sited, jobs=_bound(sited, places, local, rng))
    return bound


def _bound(instance: Any, places: Places, local: Decimal, rng: Random) -> tuple[Any, ...]:
    """Draw which jobs are bound, and to which of the regions that have room for them."""
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
