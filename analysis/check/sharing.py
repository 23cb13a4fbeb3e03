"""Who slows down whom: the slowdowns that follow when rings leave and join."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Protocol

from ...instances.contention import ServerUplink
from ...instances.makespan import MakespanInstance
from .fair import max_min_rates
from .network import Link, Tree
from .runs import Run
from .timing import uplink_slowdown


class Sharing(Protocol):
    """The spread rings present at one moment."""

    def change(self, leaving: Iterable[Run], joining: Iterable[Run]) -> dict[Run, Fraction]:
        """Let rings go, then others come; return the slowdowns that may be new."""
        ...


def sharing_of(instance: MakespanInstance) -> Sharing:
    """Return the sharing of an instance's contention model, with no ring present."""
    model, uplink = instance.contention, Fraction(instance.cluster.inter_bandwidth_gb_s)
    if isinstance(model, ServerUplink):
        return UplinkSharing(model)
    return FluidSharing(Tree(model, uplink), uplink)


class UplinkSharing:
    """Equation (6): a ring suffers from the most rings that any of its servers hosts."""

    def __init__(self, model: ServerUplink) -> None:
        """Start with no ring anywhere."""
        self._model = model
        self._rings: dict[str, dict[Run, None]] = {}
        self._slowdowns: dict[int, Fraction] = {}

    def change(self, leaving: Iterable[Run], joining: Iterable[Run]) -> dict[Run, Fraction]:
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

    def _most(self, run: Run) -> int:
        return max(len(self._rings[server]) for server in run.spread)

    def _slowdown(self, rings: int) -> Fraction:
        if rings not in self._slowdowns:
            self._slowdowns[rings] = uplink_slowdown(self._model, rings)
        return self._slowdowns[rings]


class FluidSharing:
    """Max-min fair rates on the links of a tree, computed anew at every change."""

    def __init__(self, tree: Tree, uplink_gb_s: Fraction) -> None:
        """Start with no ring anywhere."""
        self._tree = tree
        self._uplink = uplink_gb_s
        self._routes: dict[Run, list[Link]] = {}

    def change(self, leaving: Iterable[Run], joining: Iterable[Run]) -> dict[Run, Fraction]:
        """Share the links among all rings now present."""
        for run in leaving:
            del self._routes[run]
        for run in joining:
            self._routes[run] = self._tree.route(run)
        rates = max_min_rates(self._routes, self._tree.capacity)
        return {run: self._uplink / rate for run, rate in rates.items()}
