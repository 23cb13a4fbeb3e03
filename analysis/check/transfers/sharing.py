"""How fast flows are while others are there too."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from ....instances.transfers.instance import Hop
from ....instances.transfers.schedule import Sharing
from ..fair import max_min_rates
from .parcels import ParcelFlow

Rates = dict[ParcelFlow, Fraction]
Rule = Callable[[Sequence[ParcelFlow], Mapping[Hop, Fraction]], Rates]


def in_order(flows: Sequence[ParcelFlow], bandwidth: Mapping[Hop, Fraction]) -> Rates:
    """Give each flow in turn the least that the others before it leave on its way."""
    free, rates = dict(bandwidth), Rates()
    for flow in sorted(flows, key=lambda flow: flow.rank):
        rate = min(free[hop] for hop in flow.way)
        if rate:
            rates[flow] = rate
            for hop in flow.way:
                free[hop] -= rate
    return rates


def alike(flows: Sequence[ParcelFlow], bandwidth: Mapping[Hop, Fraction]) -> Rates:
    """Give max-min fair rates; all flows on the same way get the same."""
    return max_min_rates({flow: flow.way for flow in flows}, bandwidth)


RULES: dict[Sharing, Rule] = {"ordered": in_order, "fair": alike}
"""By the `sharing` of a plan. Flows without a rate stand still."""
