"""A certified upper bound from prices: no utility pays for more than machines have to sell.

Give every resource of every machine a price p >= 0 in every slot. A schedule of value OPT takes no
more than there is, and what an admitted job takes costs at least what its samples cost on the
cheapest way through them up to its last slot; so

    OPT <= sum_(t,h,r) p_h^r[t] C_h^r
           + sum_i max(0, max_e (u_i(e - a_i) - cost_i(e))),

for any cost_i(e) that is at most the cost of every plan of job i that ends by slot e. This is weak
duality for the program of schedules; any prices give a bound, good ones a good one.

What a job costs at least. In one slot, w workers cost no less than

- inside a machine: w workers and ceil(w / gamma) parameter servers at the cheapest machine that
  holds them while it is empty,
- across machines: w workers, the cheapest first, as many of a machine as it holds while it is
  empty; and in the same way ceil(w / gamma) parameter servers, as if there were no workers.

Each is an *offer*, (samples, cost), with samples cut off at what the job needs. Two ways lead from
the offers of slots to cost_i(e), and each job takes the second if it is small enough:

- by envelopes: the largest convex function below the offers of a slot and (0, 0), and then the
  cheapest pieces of all slots first until the samples are enough: a relaxation, as any choice of
  one offer for each slot is some choice of pieces;
- by a table: least cost for 0, 1, .. parts of samples, slot after slot, over all offers. A worker
  inside makes a whole number of parts; samples across are rounded up.

Machines in a group have the same prices; one offer for the group is then the best of its machines
inside, and all that they hold across.

Rounding. Utilities are rounded up to doubles, samples to go through are lowered by the margin
e = 8 n 2^-53, where n exceeds the number of terms of every sum. All costs are sums, products,
quotients and minima of numbers that are not negative, so they have a relative error below e. Pieces
of an envelope are slopes to the offer of least slope: at every offer the envelope exceeds the cost
by at most its relative rounding error, as do the pieces summed in any order. A job that pays cost c
has c <= u_i(0); so the sum of gains is short by less than 2 e sum_i u_i(0), which is added.
Products p C are positive, and e covers them; both sums are made without loss, by `math.fsum`.
Prices below 1e-150 are set to 0 first, so that nothing underflows.
"""

from fractions import Fraction
from itertools import cycle
from math import lcm
from typing import Any

import numpy as np

from ...instances import Bound, BoundKind, Limits, OnlineInstance
from ...simulation.online.model import Floats, online_model
from ..asked_bounds import AskedBounds
from .asks import parts_of
from .bounds import combinatorial_bounds
from .price_search import TINY, PricedBound, best_prices

MOST_PRICES = 200_000
"""In a proof that is written down."""

Proof = tuple[dict[str, Any], ...]


def dual_bound(instance: OnlineInstance, limits: Limits, steps: int | None = None) -> Bound:
    """Return the bound of the best prices found in so many steps, unless the time is up before.

    It is never above what the jobs are worth without any price.
    """
    found, prices = best_prices(instance, limits, steps)
    return bound_of(found, _proof(instance, prices))


def slow_bounds(instance: OnlineInstance, limits: Limits, _: Fraction | None) -> AskedBounds:
    """Ask for the bound by prices, whatever the `best` schedule is worth."""
    asked = AskedBounds(combinatorial_bounds(instance)[0], maximize=True)
    asked.ask("prices", lambda: dual_bound(instance, limits), "nothing")
    return asked


def _proof(instance: OnlineInstance, prices: Floats) -> Proof | None:
    """Return prices as whole numbers over one unit, slots that have the same prices in one row.

    None if there are too many.
    """
    if prices.size > MOST_PRICES:
        return None
    model, rows = online_model(instance), dict[int, list[Fraction]]()
    starts = [t for t in range(len(prices)) if not t or (prices[t] != prices[t - 1]).any()]
    for t in starts:
        at = np.where(prices[t] < TINY, 0.0, prices[t])
        # The model counts resources in units of its own.
        pairs = zip(at.ravel().tolist(), cycle(model.units.tolist()), strict=False)
        rows[t] = [Fraction(price) * int(units) for price, units in pairs]
    unit = lcm(*(price.denominator for row in rows.values() for price in row))
    return (
        {
            "rule": "prices",
            "unit": unit,
            "starts": starts,
            "rows": [[int(price * unit) for price in row] for row in rows.values()],
            "parts": parts_of(instance),
        },
    )


def bound_of(found: PricedBound, proof: Proof | None = None) -> Bound:
    """Return what prices prove as a bound."""
    argument = (
        f"at these prices all that there is costs {found.sold:.6g}, "
        f"and jobs have {found.gains:.6g} left of their utilities"
    )
    return Bound(
        value=found.value, kind=BoundKind.DUAL, name="prices", argument=argument, proof=proof
    )
