"""Rules by hops that updates cannot avoid: docs/transfers/transfers-bounds.md has the proofs."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from .....instances.transfers.instance import Hop, TransfersInstance
from ..fluid import fluid
from ..steps import ProofStep, StepError
from .facts import NONE, TransferFacts


class HopPassage(NamedTuple):
    """From when an update can pass a hop, how long it takes, and how long it needs beside it."""

    ready: Fraction
    takes: Fraction
    behind: Fraction


def alone(instance: TransfersInstance, _: ProofStep) -> Fraction:
    """Every update as if nothing else was sent."""
    facts = TransferFacts(instance)
    return facts.worth(facts.alone)


def least_left(instance: TransfersInstance, step: ProofStep) -> Fraction:
    """Each of `hops` carries the update with the least left; the others are alone."""
    facts = TransferFacts(instance)
    chosen = facts.chosen(step)
    moments = facts.others(chosen)
    for hop, own in chosen:
        moments += facts.by_least_left(hop, own)
    fresh = facts.fresh()
    return facts.worth(sorted(moments)[:fresh] + [facts.late] * (len(moments) - fresh))


def mean_moments(instance: TransfersInstance, step: ProofStep) -> Fraction:
    """Each of `hops` carries the smallest update that is ready, and all pass at their own pace."""
    facts = TransferFacts(instance)
    if instance.goal != "mean":
        raise StepError("the goal is not the mean")
    chosen = facts.chosen(step)
    total = sum((min(moment, facts.late) for moment in facts.others(chosen)), NONE)
    total += sum((_total(facts, hop, own) for hop, own in chosen), NONE)
    return total / len(instance.updates)


def _total(facts: TransferFacts, hop: Hop, own: list[int]) -> Fraction:
    """Return what the updates that cross a hop count for together at least."""
    moments = facts.by_least_left(hop, own)
    most = min(facts.fresh(), sum(moment < facts.late for moment in moments))
    dropped = facts.late * (len(own) - most)
    passages = [
        HopPassage(
            facts.ready[i],
            facts.takes(i, hop),
            min(way.own_s / 2 + way.rest_s for way in facts.ways[i]),
        )
        for i in own
    ]
    # If some are dropped, the others are ready no sooner, and no smaller, than the least of all.
    first = min(one.ready for one in passages)
    takes, behind = sorted(one.takes for one in passages), sorted(one.behind for one in passages)
    pairs = zip(takes[:most], behind[:most], strict=True)
    kept = [HopPassage(first, one, other) for one, other in pairs]
    return max(
        sum(moments[:most], NONE) + dropped,
        _least(passages, facts.late),
        _least(kept, facts.late) + dropped if kept else dropped,
    )


def _least(passages: Sequence[HopPassage], late: Fraction) -> Fraction:
    """Return the least sum of means and of what comes behind them; no moment counts above a cap."""
    cap = late - max(one.behind for one in passages)
    takes = [one.takes for one in passages]

    def up_to(moment: Fraction) -> Fraction:
        """Return the integral of moments, at most the cap, from 0 on."""
        low = max(NONE, min(moment, cap))
        return low * low / 2 + (moment - low) * cap

    total = sum((one.behind for one in passages), NONE)
    for i, start, end in fluid([one.ready for one in passages], takes, by_left=False):
        total += (up_to(end) - up_to(start)) / takes[i]
    return total
