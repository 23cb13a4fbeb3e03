"""Whole-server list: jobs larger than every server take idle servers for themselves.

Such rings start in order, and none overtakes. Rings therefore share no uplink, so each takes its
least time. Smaller jobs stay inside servers. They begin once no ring waits, and may overtake each
other. With the widest first, `docs/theory/whole-servers.md` proves a factor below 10/3 on equal
servers, and below 14/3 in batches if jobs arrive over time.
"""

from dataclasses import dataclass
from itertools import product
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from ...instances import Limits, MakespanInstance, Outcome, TerminationReason
from ...simulation import Model, PlacedStarts, build_model, make_plan
from ...simulation.makespan.evaluate import begun
from ...simulation.model import Ints, largest_open
from ..request import Request
from .gang_lpt import FILLED, WHOLE, offer_in_turn, pack, priorities
from .incumbent import NEVER, BestPlan

Fill = Literal["both", "no", "yes"]
Order = Literal["all", "widest"]

RULES: dict[Fill, tuple[int, ...]] = {"both": (WHOLE, FILLED), "no": (WHOLE,), "yes": (FILLED,)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the whole-server list."""

    fill: Annotated[
        Fill, "smaller jobs use what rings leave idle on their servers, or try both"
    ] = "both"
    order: Annotated[Order, "the widest first, or also the longest and the largest first"] = "all"
    batches: Annotated[
        Literal["no", "yes"], "whether jobs that arrive wait until all jobs before them have ended"
    ] = "no"


def run(instance: MakespanInstance, request: Request[Options]) -> Outcome:
    """Return the best schedule over all orders and rules (deterministic)."""
    best = BestPlan(instance, request.limits, "whole-server-list")
    return best.outcome(offer_lists(instance, best, request.limits, request.options), NEVER)


def offer_lists(
    instance: MakespanInstance, best: BestPlan, limits: Limits, options: Options
) -> TerminationReason:
    """Offer the list schedule of every order, the first even if the time is up."""
    model, termination = build_model(instance), TerminationReason.DONE
    larger = rings(instance)
    longest, widest, largest = (
        one[np.argsort(~larger[one], kind="stable")] for one in priorities(instance)
    )
    orders = (widest,) if options.order == "widest" else (widest, longest, largest)
    run_list, held = pack_batches if options.batches == "yes" else pack, begun(instance)
    for order, rule in product(orders, RULES[options.fill] if larger.any() else (WHOLE,)):
        best.offer(*run_list(model, order, rule, held))
        if limits.over():
            termination = TerminationReason.TIME_LIMIT
            break
    offer_in_turn(instance, best, model)
    return termination


def pack_batches(
    model: Model, order: Ints, rule: int, held: PlacedStarts
) -> tuple[PlacedStarts, float]:
    """Run the list scheduler batch by batch (Shmoys, Wein and Williamson 1995).

    A batch has all jobs that have arrived when the one before has ended. Jobs are treated as if
    they arrived then.
    """
    jobs, arrivals, waiting, now = model.jobs.copy(), model.jobs["release"], order, 0.0
    while waiting.size and now < np.inf:
        now = max(now, float(arrivals[waiting].min()))
        here = arrivals[waiting] <= now
        batch, waiting = waiting[here], waiting[~here]
        jobs["release"][batch] = now
        own = _among(held, batch)
        now = pack(model._replace(jobs=jobs[batch]), np.arange(batch.size), rule, own)[1]
    return pack(model._replace(jobs=jobs), order, rule, held)


def _among(held: PlacedStarts, jobs: Ints) -> PlacedStarts:
    """Return the pieces of some jobs, which are numbered from 0."""
    first, pieces = held.first.tolist(), list(zip(held.servers, held.pieces, strict=True))
    return make_plan([0.0] * jobs.size, [pieces[first[j] : first[j + 1]] for j in jobs.tolist()])


def rings(instance: MakespanInstance) -> NDArray[np.bool_]:
    """Return for each job whether it is larger than every server that it may use."""
    largest = largest_open(instance)
    return np.array([job.gpus > gpus for job, gpus in zip(instance.jobs, largest, strict=True)])
