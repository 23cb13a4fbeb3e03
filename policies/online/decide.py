"""The decision of PD-ORS on one job: the schedule that pays most at today's prices; kernels.

For every slot and number of quanta the cheapest plan is priced, and a dynamic program over
slots spreads the job's quanta: ``D(t, q) = min_d D(t - 1, q - d) + theta(t, d)``. Completing by
slot t pays ``u(t - a) - D(t, V)``. As utilities never grow and costs are not below 0, the search
ends at the slot after which no utility exceeds the best payoff found.
"""

import numpy as np

from ...simulation.jit import entry
from ...simulation.model import Ints
from .slot_plan import plan_slot
from .slot_scratch import ACROSS, SlotTask


@entry
def decide(task: SlotTask, choice: Ints) -> tuple[float, int]:
    """Return the best payoff, 0 if none is above 0, and the last slot of its schedule.

    `choice[t, q]` says how many of q quanta slot t takes when they are done by then.
    """
    ask, scratch = task.ask, task.scratch
    quanta, best, last = ask.quanta, 0.0, -1
    done = np.full(quanta + 1, np.inf)
    done[0] = 0.0
    for t in range(ask.arrival, task.price.shape[0]):
        if ask.worth[t - ask.arrival] <= best:
            break
        # What costs as much as the utility exceeds the best payoff is in no better schedule.
        spare = ask.worth[t - ask.arrival] - best
        most = plan_slot(task, t, quanta, spare)
        for q in range(quanta, 0, -1):
            least, taken = done[q], 0
            for d in range(1, min(q, most) + 1):
                cost = done[q - d] + scratch.cost[d]
                if cost < least:
                    least, taken = cost, d
            done[q], choice[t, q] = least, taken
        payoff = ask.worth[t - ask.arrival] - done[quanta]
        if payoff > best:
            best, last = payoff, t
    return best, last


@entry
def place(task: SlotTask, slot: int, last: int) -> int:
    """Make the plan of `last` quanta in a slot again; return its machine, or `ACROSS`."""
    scratch = task.scratch
    plan_slot(task, slot, last, np.inf)
    where = int(scratch.where[last])
    if where != ACROSS:
        scratch.workers[:], scratch.servers[:] = 0, 0
    return where
