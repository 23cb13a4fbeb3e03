"""An ordered plan that may go on, and what it comes to at best."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ...formulations.transfers.ways import Way
from ...policies.transfers.draft import Draft
from ...simulation.transfers import Network
from ...simulation.transfers.replay import moments
from .bounds import worth


class Branch(Draft):
    """A draft that knows what the updates that are not in it could still do."""

    def __init__(self, network: Network, ways: Sequence[Sequence[Way]]) -> None:
        """Start with no send."""
        super().__init__(network)
        self._ways = ways

    def least(self, rest: Iterable[int]) -> Fraction:
        """Return a lower bound on the value of all plans that begin so and may send the rest.

        More sends behind these can only make them wait longer at the server, and each of the rest
        has no more than the bandwidth that these leave.
        """
        instance = self.network.instance
        late = Fraction(instance.drop_s)
        applied = moments(self.sends, self._queue).values()
        return worth(instance, sorted([*applied, *(min(late, self._soonest(i)) for i in rest)]))

    def _soonest(self, update: int) -> Fraction:
        """Return when an update could arrive in the bandwidth that is left."""
        size = self.network.sizes[self.network.instance.updates[update].name]
        found = []
        for way in self._ways[update]:
            moment = way.ready
            for route in (way.own, way.rest):
                pieces = self._ordered.pieces(route, size, moment)
                moment = pieces[-1].stop if pieces else moment
            found.append(moment)
        return min(found, default=Fraction(self.network.instance.drop_s))
