"""Column generation on the program of schedules: prices by a linear program, plans by PD-ORS.

The master program knows some schedules of each job. Its dual variables are prices; at these
prices PD-ORS's dynamic program looks for the schedule of each job that pays most, and what pays
more than the job's dual variable is added. It begins around the prices of `price_search.py`.
PD-ORS does not always find what pays most; so the bound is that of `dual_bound.py`, at the best
prices seen. The schedule is the best choice among the columns, by HiGHS.
"""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from ...formulations.online.schedule_master import ScheduleMaster
from ...formulations.solution import Caps
from ...instances import Limits, OnlineInstance, Outcome, Stop
from ...policies.online.broker import Broker
from ...policies.online.planning import Plans
from ...policies.online.terms import Options
from ...policies.online.yard import Placement
from ...simulation.online_model import Floats, online_model
from .asks import market
from .dual_bound import bound_of
from .price_search import best_prices
from .priced import Priced, evaluate

NAME = "column-generation"

MOST_ROWS = 50_000
"""Master programs with more capacities take too long."""

FOR_PRICES, FOR_COLUMNS = 0.3, 0.7
"""Parts of the time after which the search for prices, and then for columns, ends."""

CLOSE = 1e-6
"""A schedule enters if it pays more than those known by this part of its utility."""

Course = dict[int, Placement]
"""What a job holds, by slot."""


def refuses(instance: OnlineInstance) -> str | None:
    """Say why the master program would be too large, or None if it is not."""
    rows = instance.horizon_slots * len(instance.machines) * len(instance.resources)
    if rows <= MOST_ROWS:
        return None
    return (
        f"its master program would have {rows:,} capacities, more than {MOST_ROWS:,}; "
        "choose a policy and `ringyard bound --time-limit`"
    )


class _Pricer(Broker):
    """A broker whose offers are looked at, and never taken."""

    def best(self, job: int, prices: Floats) -> Course:
        """Return the schedule that pays most at these prices, as far as PD-ORS finds it."""
        self.price = np.zeros_like(self.price)
        self.price[:, :, : prices.shape[2]] = prices
        return self.offer(job)

    def _take(self, job: int, slot: int, placement: Placement) -> None:
        pass


class _Columns:
    """The schedules known, with the master program and the best bound."""

    def __init__(self, instance: OnlineInstance, seed: int) -> None:
        self._instance, self._model = instance, online_model(instance)
        self._pricer = _Pricer(instance, Options(relaxation="hull"), seed)
        room = np.repeat(self._model.capacity[None], self._model.slots, axis=0)
        self.master = ScheduleMaster(len(instance.jobs), room)
        self.courses: list[tuple[int, Course]] = []

    def extend(self, prices: Floats, payoffs: Floats, limits: Limits) -> int:
        """Add what pays more than the payoffs at these prices; return how many."""
        before = len(self.courses)
        for i, job in enumerate(self._instance.jobs):
            course = {} if limits.over() else self._pricer.best(i, prices)
            if course:
                worth, use = (
                    float(job.utility.at(max(course) - job.arrival_slot)),
                    self._use(i, course),
                )
                if worth - (prices * use).sum() > payoffs[i] + CLOSE * worth:
                    self.master.add(i, worth, use)
                    self.courses.append((i, course))
        return len(self.courses) - before

    def _use(self, job: int, course: Course) -> Floats:
        use = np.zeros((self._model.slots, *self._model.capacity.shape))
        for slot, placement in course.items():
            needs = (self._model.worker[job], self._model.server[job])
            for part, need in zip(placement, needs, strict=True):
                for machine, count in part.items():
                    use[slot, machine] += count * need
        return use


def run(instance: OnlineInstance, limits: Limits, rng: Generator) -> Outcome:
    """Return the best choice among the schedules generated, with the bound of the best prices."""
    best, prices = best_prices(instance, _until(limits, FOR_PRICES))
    columns = _Columns(instance, int(rng.integers(2**62)))
    best = _generate(instance, columns, best, prices, _until(limits, FOR_COLUMNS))
    plans = Plans(instance, limits, NAME)
    stop, note = Stop.TIME_LIMIT if limits.over() else Stop.DONE, ""
    if columns.courses:
        caps = Caps(time_s=limits.left_s(), threads=limits.threads)
        solution = columns.master.choose("highs", caps)
        stop, note = solution.stop, f"{len(columns.courses)} schedules generated"
        taken = [] if solution.point is None else np.flatnonzero(solution.point > 0.5)
        for job, course in (columns.courses[k] for k in taken):
            for slot, placement in course.items():
                plans.add(job, slot, placement)
    return replace(plans.outcome(stop), bound=bound_of(best), note=note)


def _until(limits: Limits, part: float) -> Limits:
    """Return limits that end after a part of the time, and tell nobody."""
    return replace(limits, time_s=limits.time_s and limits.time_s * part, watch=None)


def _generate(
    instance: OnlineInstance, columns: _Columns, best: Priced, prices: Floats, limits: Limits
) -> Priced:
    """Generate schedules until none pays, or the time is up; return the best bound."""
    offered = market(instance, np.arange(len(instance.machines)))
    none = np.zeros(len(instance.jobs))
    added = sum(columns.extend(prices * part, none, limits) for part in (0.0, 0.5, 1.0))
    while added and not limits.over():
        duals = columns.master.duals()
        found = evaluate(offered, duals.prices, limits)
        if found is not None and found.value < best.value:
            best = found
        added = columns.extend(duals.prices, duals.payoffs, limits)
    return best
