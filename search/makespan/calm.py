"""The links of a cluster, and how much of them rings take that do not slow one another down."""

from fractions import Fraction
from math import floor
from typing import NamedTuple

from ...instances import FluidLinks, MakespanInstance


class Link(NamedTuple):
    """What a ring crosses with GPUs on some of these servers, by number, and on others.

    Rings go at their own full pace as long as they need no more than `width` of it together.
    """

    servers: frozenset[int]
    width: Fraction


def links_of(instance: MakespanInstance) -> list[Link]:
    """Return the uplinks of servers and, where links are shared fairly, those above them.

    A ring alone needs 1 of every link that it crosses, or the width of the narrowest one.
    """
    names, network = [one.name for one in instance.cluster.servers], instance.contention
    if not isinstance(network, FluidLinks):
        rings = Fraction(floor(1 / Fraction(network.share)))
        return [Link(frozenset([s]), rings) for s in range(len(names))]
    found = [Link(frozenset([s]), Fraction(1)) for s in range(len(names))]
    spines: dict[str, tuple[frozenset[int], Fraction]] = {}
    for leaf in network.leaves:
        below = frozenset(map(names.index, leaf.servers))
        width = len(below) / Fraction(network.leaf_oversubscription)
        found.append(Link(below, width))
        servers, widths = spines.get(leaf.spine, (frozenset(), Fraction(0)))
        spines[leaf.spine] = (servers | below, widths + width)
    over = Fraction(network.spine_oversubscription)
    return found + [Link(below, width / over) for below, width in spines.values()]
