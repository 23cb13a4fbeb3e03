"""Who slows down whom: the slowdowns that follow when rings leave and join."""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

from ...instances.cluster import FluidLinks, ServerUplink
from ...instances.makespan.instance import MakespanInstance
from .fair import max_min_rates
from .makespan.runs import RingRun, uplink_slowdown

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


class SharingRing(Hashable, Protocol):
    """What the models know of a run."""

    @property
    def spread(self) -> tuple[str, ...]:
        """The servers whose uplinks it crosses."""
        ...


R = TypeVar("R", bound=SharingRing)


class RingSharing(Protocol[R]):
    """The spread rings present at one moment."""

    def change(self, leaving: Iterable[R], joining: Iterable[R]) -> dict[R, Fraction]:
        """Let rings go, then others come; return the slowdowns that may be new."""
        ...


def sharing_of(instance: MakespanInstance) -> RingSharing[RingRun]:
    """Return the sharing of an instance's contention model, with no ring present."""
    model, uplink = instance.contention, Fraction(instance.cluster.inter_bandwidth_gb_s)
    if isinstance(model, ServerUplink):
        return UplinkSharing(model)
    return FluidSharing(UplinkTree(model, uplink), uplink)


class NoSharing(Generic[R]):
    """Every ring has its links to itself."""

    def change(self, leaving: Iterable[R], joining: Iterable[R]) -> dict[R, Fraction]:
        """Let rings go and come; no other ring is affected."""
        return dict.fromkeys(joining, Fraction(1))


class UplinkSharing(Generic[R]):
    """Equation (6): a ring suffers from the most rings that any of its servers hosts."""

    def __init__(self, model: ServerUplink) -> None:
        """Start with no ring anywhere."""
        self._model = model
        self._rings: dict[str, dict[R, None]] = {}
        self._slowdowns: dict[int, Fraction] = {}

    def change(self, leaving: Iterable[R], joining: Iterable[R]) -> dict[R, Fraction]:
        """Recount the servers touched; only rings there can have a new slowdown."""
        touched: dict[str, None] = {}
        for run in leaving:
            for server in run.spread:
                del self._rings[server][run]
                touched[server] = None
        for run in joining:
            for server in run.spread:
                self._rings.setdefault(server, {})[run] = None
                touched[server] = None
        affected = dict.fromkeys(run for server in touched for run in self._rings[server])
        return {run: self._slowdown(self._most(run)) for run in affected}

    def _most(self, run: R) -> int:
        return max(len(self._rings[server]) for server in run.spread)

    def _slowdown(self, rings: int) -> Fraction:
        if rings not in self._slowdowns:
            self._slowdowns[rings] = uplink_slowdown(self._model, rings)
        return self._slowdowns[rings]


class FluidSharing(Generic[R]):
    """Max-min fair rates on the links of a tree, anew for all that a change can reach."""

    def __init__(self, tree: UplinkTree, uplink_gb_s: Fraction) -> None:
        """Start with no ring anywhere."""
        self._tree = tree
        self._uplink = uplink_gb_s
        self._routes: dict[R, list[Link]] = {}
        self._rings: dict[Link, dict[R, None]] = {}

    def change(self, leaving: Iterable[R], joining: Iterable[R]) -> dict[R, Fraction]:
        """Share the links among the rings that these share links with, directly or not."""
        touched: dict[Link, None] = {}
        for run in leaving:
            for link in self._routes.pop(run):
                del self._rings[link][run]
                touched[link] = None
        for run in joining:
            self._routes[run] = self._tree.route(run.spread)
            for link in self._routes[run]:
                self._rings.setdefault(link, {})[run] = None
                touched[link] = None
        reached = self._reached(touched)
        rates = max_min_rates(reached, self._tree.capacity)
        return {run: self._uplink / rate for run, rate in rates.items()}

    def _reached(self, touched: Iterable[Link]) -> dict[R, list[Link]]:
        """Return the routes of all rings that a chain of shared links leads to."""
        links = list(touched)
        reached: dict[R, list[Link]] = {}
        while links:
            for run in self._rings[links.pop()]:
                if run not in reached:
                    reached[run] = self._routes[run]
                    links += self._routes[run]
        return reached
