"""The risk-reward heuristic: jobs start by value now, less what they cost the jobs that wait.

After "Balancing risk and reward in a market-based task service" (Irwin, Grit and Chase, HPDC 2004),
as recalled. The rule, FirstReward, is for tasks on single nodes. Here a job keeps a fixed number of
workers to its end, as under `fifo`. With ``r`` for the slots that job ``i`` takes with ``n``
workers, spread over machines:

- *present value*: its utility if it starts now, over ``1 + discount r``. A gain that is further
  away is at greater risk.
- *cost*: the sum over the other waiting jobs of the utility that they lose if each starts after
  ``r`` slots instead of now.
- *reward*: ``(alpha * present value - (1 - alpha) * cost) / (n r)``.

A job is refused if its cost is above its present value when it arrives (no slack), or as soon as
its utility would be 0. In each slot, jobs start in order of reward if they fit. Utilities after the
horizon are 0.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, NamedTuple

import numpy as np

from ...instances import OnlineInstance, Outcome
from ...instances.reading.vocabulary import Amount, Count, Range
from ...simulation.online import Floats, Ints
from ..request import Request
from .baselines import start, workers_wanted
from .planning import OnlinePlans, all_free
from .sharing import WorkerSharing


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Number of workers, and weights of value, cost and time."""

    workers: Annotated[
        Count | None, "workers of every job, or null for a random number from 1 to 30 for each"
    ] = None
    alpha: Annotated[
        Decimal, Range(0, 1), "weight of a job's own value. The rest is the weight of its cost"
    ] = Decimal("0.5")
    discount: Annotated[Amount, "part of a value that is lost with each slot until it is due"] = (
        Decimal("0.01")
    )


class _Waiting(NamedTuple):
    """Waiting jobs: numbers, workers, and slots to the end."""

    jobs: list[int]
    workers: Ints
    slots: Ints


class _Rewards:
    """Values, costs and rewards of waiting jobs."""

    def __init__(self, instance: OnlineInstance, options: Options) -> None:
        """Compute once what each job is worth by its last slot."""
        end = instance.horizon_slots
        self._alpha, self._discount = float(options.alpha), float(options.discount)
        self._worth = np.zeros((len(instance.jobs), end + 1))
        for row, job in zip(self._worth, instance.jobs, strict=True):
            later = range(job.arrival_slot, end)
            row[job.arrival_slot : end] = [float(job.worth(last)) for last in later]

    def values(self, slot: int, waiting: _Waiting) -> Floats:
        """Return the utility of each job if it starts now."""
        return self._later(slot, waiting, 0)

    def present(self, slot: int, waiting: _Waiting) -> Floats:
        """Return present values."""
        discounted: Floats = self.values(slot, waiting) / (1 + self._discount * waiting.slots)
        return discounted

    def costs(self, slot: int, waiting: _Waiting) -> Floats:
        """Return what the other jobs lose if they start after each job instead of now."""
        now = self.values(slot, waiting)
        lost = [now - self._later(slot, waiting, int(after)) for after in waiting.slots]
        others = np.array(lost) * (1 - np.eye(len(now)))
        return np.asarray(others.sum(axis=1))

    def order(self, slot: int, waiting: _Waiting) -> list[int]:
        """Return the jobs by descending reward."""
        gain = self._alpha * self.present(slot, waiting)
        loss = (1 - self._alpha) * self.costs(slot, waiting)
        reward = (gain - loss) / (waiting.workers * waiting.slots)
        return [waiting.jobs[i] for i in np.argsort(-reward, kind="stable")]

    def _later(self, slot: int, waiting: _Waiting, after: int) -> Floats:
        last = np.minimum(slot + after + waiting.slots - 1, self._worth.shape[1] - 1)
        return np.asarray(self._worth[waiting.jobs, last])


def run(instance: OnlineInstance, request: Request[Options]) -> Outcome:
    """Return the schedule of the jobs that complete. The numbers of workers are random."""
    plans = OnlinePlans(instance, request.limits, "rrh")
    sharing, rewards = WorkerSharing(instance, plans), _Rewards(instance, request.options)
    free, line = all_free(sharing.model), dict[int, int]()

    def waiting() -> _Waiting:
        counts = np.array(list(line.values()), np.int64)
        left = np.array([min(plans.worker_slots(job, False), 2**53) for job in line], np.int64)
        return _Waiting(list(line), counts, -(-left // counts))

    for slot in plans.slots():
        for job in plans.arriving(slot):
            count = workers_wanted(sharing, job, request.rng, request.options.workers)
            if not count:
                continue
            line[job] = count
            if rewards.costs(slot, waiting())[-1] > rewards.present(slot, waiting())[-1]:
                del line[job]
        values = rewards.values(slot, waiting()) if line else ()
        line = {job: line[job] for job, value in zip(line, values, strict=True) if value > 0}
        for job in rewards.order(slot, waiting()) if line else ():
            if placement := sharing.place(free[slot], job, line[job]):
                start(sharing, plans, free, slot, job, placement)
                del line[job]
    return plans.outcome()
