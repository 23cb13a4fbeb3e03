"""The server - leaf - spine (- core) tree of `FluidLinks`: its links and how rings use them."""

from collections.abc import Sequence
from fractions import Fraction

from ...instances.contention import FluidLinks

Link = tuple[str, str]
"""Tier (server, leaf or spine) and name of the node whose uplink it is."""


class UplinkTree:
    """Capacities of all uplinks, and the uplinks that a ring crosses."""

    def __init__(self, model: FluidLinks, uplink_gb_s: Fraction) -> None:
        """Sum the capacities up the tree, dividing by the oversubscription of each tier."""
        self._leaf_of: dict[str, str] = {}
        self._spine_of: dict[str, str] = {}
        self.capacity: dict[Link, Fraction] = {}
        for leaf in model.leaves:
            self._spine_of[leaf.name] = leaf.spine
            for server in leaf.servers:
                self._leaf_of[server] = leaf.name
                self.capacity["server", server] = uplink_gb_s
            above = uplink_gb_s * len(leaf.servers) / Fraction(model.leaf_oversubscription)
            self.capacity["leaf", leaf.name] = above
            spine = "spine", leaf.spine
            core = above / Fraction(model.spine_oversubscription)
            self.capacity[spine] = self.capacity.get(spine, Fraction(0)) + core

    def route(self, servers: Sequence[str]) -> list[Link]:
        """Return the uplinks of a ring: per tier, none unless it touches two nodes there.

        A ring uses the uplinks of the servers that it is spread on in any case.
        """
        leaves = dict.fromkeys(self._leaf_of[server] for server in servers)
        spines = dict.fromkeys(self._spine_of[leaf] for leaf in leaves)
        links = [("server", server) for server in servers]
        if len(leaves) > 1:
            links += [("leaf", leaf) for leaf in leaves]
        if len(spines) > 1:
            links += [("spine", spine) for spine in spines]
        return links
