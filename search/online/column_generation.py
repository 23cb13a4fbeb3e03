"""Column generation on the program of schedules: prices by a linear program, plans by PD-ORS.

The master program knows some schedules of each job. Its dual variables are prices. At these prices
PD-ORS's dynamic program looks for the best-paying schedule of each job, which is added if it pays
more than the job's dual variable. It begins with the schedules of PD-ORS, and stays near the prices
of the best bound, at first those of `dual_bound.py`. PD-ORS does not always find the best schedule.
The bound is therefore that of `dual_bound.py`, at the best prices seen. The schedule is the best
choice among the columns, by HiGHS, or that of PD-ORS if no better one keeps all limits exactly.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ...formulations.online.schedule_master import Duals, ScheduleMaster
from ...formulations.program import Caps
from ...instances import Limits, OnlineInstance, OnlineSchedule, Outcome
from ...policies.online.pd_ors import CorrectedOptions, JobPlanner, Options
from ...policies.online.planning import OnlinePlans, SlotPlacement, give, placements_of
from ...policies.request import NO_OPTIONS, NoOptions, Request, termination_of
from ...simulation.online import Floats, online_model
from .dual_bound import PricedBound, best_prices, bound_of, evaluate
from .offline import BestOffered
from .pricing import market

NAME = "column-generation"

MOST_ROWS = 50_000
"""Master programs with more capacities take too long."""

FOR_PRICES, FOR_COLUMNS = 0.3, 0.7
"""Parts of the time after which the search for prices, and then for columns, ends."""

CLOSE = 1e-6
"""A schedule enters if it pays more than those known by this part of its utility."""

STABLE = 0.8, 0.4, 0.0
"""Weights of the stable prices, tried in turn."""

Course = dict[int, SlotPlacement]
"""The placements of a job, by slot."""


def refuses(instance: OnlineInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Return why the master program would be too large, or None if it is not."""
    rows = instance.horizon_slots * len(instance.machines) * len(instance.resources)
    if rows <= MOST_ROWS:
        return None
    return (
        f"its master program would have {rows:,} capacity rows, more than {MOST_ROWS:,}. "
        "Choose a policy and `ringyard bound --time-limit`."
    )


class _PlanPricer(JobPlanner):
    """Finds plans without allocating their capacity."""

    def best(self, job: int, prices: Floats) -> Course:
        """Return the schedule that pays most at these prices, as far as PD-ORS finds it."""
        self.price = np.zeros_like(self.price)
        self.price[:, :, : prices.shape[2]] = prices
        return self.best_plan(job)

    def _take(self, job: int, slot: int, placement: SlotPlacement) -> None:
        pass


class _ScheduleColumns:
    """The schedules known, with the master program and the best bound."""

    def __init__(self, instance: OnlineInstance, seed: int) -> None:
        self._instance, self._model = instance, online_model(instance)
        self._pricer = _PlanPricer(instance, Options(relaxation="hull"), seed)
        room = np.repeat(self._model.capacity[None], self._model.slots, axis=0)
        largest = max(float(job.utility.at(0)) for job in instance.jobs) or 1.0
        self.master = ScheduleMaster(len(instance.jobs), room, largest)
        self.courses: list[tuple[int, Course]] = []

    def start(self, options: Options, seed: int) -> None:
        """Add PD-ORS's decisions, job by job in order of arrival."""
        planner, jobs = JobPlanner(self._instance, options, seed), self._instance.jobs
        for i in sorted(range(len(jobs)), key=lambda i: jobs[i].arrival_slot):
            course = planner.best_plan(i)
            if course:
                self._add(i, course, self._use(i, course))

    def add_plans(self, schedule: OnlineSchedule) -> None:
        """Add the plan of every job in a schedule."""
        for job, course in placements_of(self._instance, schedule).items():
            self._add(job, course, self._use(job, course))

    def extend(self, prices: Floats, duals: Duals, limits: Limits) -> int:
        """Add the best schedules at these prices that pay at the duals, and return their number."""
        before = len(self.courses)
        for i in range(len(self._instance.jobs)):
            course = {} if limits.over() else self._pricer.best(i, prices)
            if course:
                use, worth = self._use(i, course), self._worth(i, course)
                pays = worth - (duals.prices * use).sum() > duals.payoffs[i] + CLOSE * worth
                # With a solver's duals, a known column can seem to pay.
                if pays and (i, course) not in self.courses:
                    self._add(i, course, use)
        return len(self.courses) - before

    def _add(self, job: int, course: Course, use: Floats) -> None:
        self.master.add(job, self._worth(job, course), use)
        self.courses.append((job, course))

    def _worth(self, job: int, course: Course) -> float:
        return float(self._instance.jobs[job].worth(max(course)))

    def _use(self, job: int, course: Course) -> Floats:
        use = np.zeros((self._model.slots, *self._model.capacity.shape))
        for slot, placement in course.items():
            give(self._model, use[slot], job, placement)
        return use


def run(instance: OnlineInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best choice among the schedules generated, with the bound of the best prices."""
    limits = request.limits
    best, prices = best_prices(instance, _until(limits, FOR_PRICES))
    seed = int(request.rng.integers(2**62))
    columns = _ScheduleColumns(instance, seed)
    columns.start(CorrectedOptions(), seed)
    held = BestOffered(instance, limits, NAME)
    held.offer(_schedule(instance, columns.courses))
    if request.start is not None:
        held.offer(request.start)
        columns.add_plans(request.start)
    best = _generate(instance, columns, best, prices, _until(limits, FOR_COLUMNS))
    termination, note = termination_of(limits), ""
    if columns.courses:
        caps = Caps(time_s=limits.left_s(), threads=limits.threads)
        solution = columns.master.choose("highs", caps)
        termination, note = solution.termination, f"{len(columns.courses)} schedules generated"
        point = np.zeros(0) if solution.point is None else solution.point
        held.offer(_schedule(instance, (columns.courses[k] for k in np.flatnonzero(point > 0.5))))
    return replace(held.outcome(termination, note), bound=bound_of(best))


def _schedule(instance: OnlineInstance, courses: Iterable[tuple[int, Course]]) -> OnlineSchedule:
    plans = OnlinePlans(instance, Limits(), NAME)
    for job, course in courses:
        plans.add_all(job, course)
    return plans.schedule()


def _until(limits: Limits, part: float) -> Limits:
    """Return limits that end after a fraction of the time, and report nothing."""
    return replace(limits, time_s=limits.time_s and limits.time_s * part, watch=None)


def _generate(
    instance: OnlineInstance,
    columns: _ScheduleColumns,
    best: PricedBound,
    stable: Floats,
    limits: Limits,
) -> PricedBound:
    """Generate schedules until none pays, or the time is up, and return the best bound.

    Prices of the master program oscillate. Pricing is done between them and the stable ones, of the
    best bound, nearer to the master's only if no schedule pays.
    """
    grouped = market(instance, np.arange(len(instance.machines)))
    while not limits.over():
        duals = columns.master.duals()
        for part in STABLE:
            prices = part * stable + (1 - part) * duals.prices
            found = evaluate(grouped, prices, limits)
            if found is not None and found.value < best.value:
                best, stable = found, prices
            if columns.extend(prices, duals, limits):
                break
        else:
            break
    return best
