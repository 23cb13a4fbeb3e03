"""The bound of `server_configurations.py`: columns by pricing, its value in exact fractions."""

from fractions import Fraction
from math import ceil

from ....instances import Bound, BoundKind, Limits, MakespanInstance
from ....simulation.makespan.extremes import never_ends
from ....simulation.makespan.groups import unbound
from ...covering import CLOSE
from .server_master import ServerMaster

MOST_GPUS = 256
"""Pieces are priced by tables over the GPUs of a server; larger servers have no such bound."""


def server_bound(instance: MakespanInstance, limits: Limits) -> Bound | None:
    """Return the bound, rounded up to whole slots unless time is continuous.

    It is valid whenever the search ends; None means that the instance is refused, or too large.
    Regions only add to it: here every job may run anywhere.
    """
    if never_ends(instance) or max(one.gpus for one in instance.cluster.servers) > MOST_GPUS:
        return None
    master, best = ServerMaster(unbound(instance)), Fraction(0)
    slotted = instance.progress != "continuous"
    while True:
        worth = master.solve()
        found = master.price(worth.prices)
        best = max(best, found.proved)
        enough = (ceil(best) if slotted else best) >= worth.value - CLOSE
        if enough or limits.over() or not master.extend(worth, found):
            break
    argument = (
        f"at prices from {master.columns} configurations of servers and runs of jobs, all jobs "
        f"pay for their pieces at least what all servers earn in {float(best):.6g} slots"
    )
    return Bound(
        value=Fraction(ceil(best)) if slotted else best,
        kind=BoundKind.DUAL,
        name="server configurations",
        argument=argument,
    )
