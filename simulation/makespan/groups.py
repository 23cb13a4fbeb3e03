"""Jobs that are bound to the same regions form a group, by a number."""

from ...instances import MakespanInstance
from ...instances.regions import Regions

MOST_GROUPS = 62
"""They are bits of a number."""


def groups(instance: MakespanInstance) -> dict[Regions | None, int]:
    """Return the regions of every group, and its number; jobs that may run anywhere are 0."""
    bound = [None, *(job.allowed_regions for job in instance.jobs)]
    return {regions: number for number, regions in enumerate(dict.fromkeys(bound))}


def open_bits(instance: MakespanInstance) -> list[int]:
    """Return for each server the groups that may use it, as bits."""
    known = groups(instance).items()
    return [
        sum(1 << group for regions, group in known if regions is None or server.region in regions)
        for server in instance.cluster.servers
    ]
