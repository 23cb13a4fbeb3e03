"""PD-ORS: every job is priced when it arrives, and admitted if its best schedule pays.

Source: PD-ORS (online scheduling and placement of parameter-server training jobs), after OASiS.

Each machine has a price for each resource in each slot, which grows as the slot fills
(`simulation/online/tariff.py`). When a job arrives, the schedule with the largest payoff, utility
less cost at today's prices, is sought over all completion slots (`decide.py`); if it is above zero
the job is admitted and holds what the schedule says. Nothing is ever taken back.

In a slot a job goes to one machine, or across machines by rounding the linear relaxation of its
program (`slot_plan.py`, `rounded.py`). Capacities are hard: a plan that does not fit is no plan.
The printed method throws such plans away, ``repair=none``. At the printed gains that leaves
almost none wherever a machine is to be filled, since a corner of the relaxation is rarely
whole; see docs/online/pd-ors.md.

`pd-ors` has the published prices, `pd-ors-corrected` those with which the competitive ratio can
be proved, and plans from the stronger relaxation. Both know the ranges of utilities and work
of all jobs in advance, as the paper assumes; `misjudged` tells what happens if they are wrong.
"""

from ...instances import OnlineInstance, Outcome, TerminationReason
from ..request import Request
from .offers import OfferMaker, refuses
from .planning import OnlinePlans
from .terms import Options

__all__ = ["Options", "admitted", "refuses", "run"]

NAME = "pd-ors"


def run(instance: OnlineInstance, request: Request[Options]) -> Outcome:
    """Admit jobs in the order of their arrival; see the module's docstring."""
    return admitted(instance, request, NAME)


def admitted(instance: OnlineInstance, request: Request[Options], name: str) -> Outcome:
    """Return the schedule under the name of one of the two variants."""
    offers = OfferMaker(instance, request.options, int(request.rng.integers(2**62)))
    plans = OnlinePlans(instance, request.limits, name)
    for job in sorted(range(len(instance.jobs)), key=lambda i: instance.jobs[i].arrival_slot):
        for slot, placement in offers.offer(job).items():
            plans.add(job, slot, placement)
        if request.limits.over():
            return plans.outcome(TerminationReason.TIME_LIMIT)
    return plans.outcome(TerminationReason.DONE)
