"""Parts of an instance whose jobs may run nowhere else: what bounds such a part bounds all.

A part has the servers of some regions and the jobs bound to them. The other jobs can only be in
its way.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ...instances import Bound, FluidLinks, MakespanInstance
from ...instances.contention import Contention

MOST_PARTS = 32
"""Sets of regions that are looked at."""


class RegionPart(NamedTuple):
    """The servers in some regions, with the jobs bound to them, as an instance."""

    regions: str
    instance: MakespanInstance

    def of_all(self, bound: Bound) -> Bound:
        """Return a bound on this part as one on the whole instance."""
        argument = f"of the servers in {self.regions} and the jobs bound to them: {bound.argument}"
        return replace(bound, name=f"{bound.name} in {self.regions}", argument=argument)


def regional_parts(instance: MakespanInstance) -> Iterator[RegionPart]:
    """Yield the parts for the unions of what jobs are bound to, small ones first."""
    bound = {frozenset(job.allowed_regions) for job in instance.jobs if job.allowed_regions}
    unions = set(bound)
    for one in sorted(bound, key=sorted):
        if len(unions) < MOST_PARTS:
            unions |= {one | other for other in unions}
    for regions in sorted(unions, key=lambda some: (len(some), sorted(some)))[:MOST_PARTS]:
        yield RegionPart(" and ".join(sorted(regions)), _within(instance, regions))


def _within(instance: MakespanInstance, regions: frozenset[str]) -> MakespanInstance:
    servers = tuple(one for one in instance.cluster.servers if one.region in regions)
    jobs = (job for job in instance.jobs if job.allowed_regions)
    return replace(
        instance,
        cluster=replace(instance.cluster, servers=servers),
        jobs=tuple(job for job in jobs if regions.issuperset(job.allowed_regions or ())),
        contention=_between(instance.contention, {one.name for one in servers}),
    )


def _between(contention: Contention, servers: set[str]) -> Contention:
    """Return the network between some servers."""
    if not isinstance(contention, FluidLinks):
        return contention
    kept = (
        replace(leaf, servers=tuple(name for name in leaf.servers if name in servers))
        for leaf in contention.leaves
    )
    return replace(contention, leaves=tuple(leaf for leaf in kept if leaf.servers))
