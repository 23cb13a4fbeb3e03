"""ONES: the number of GPUs of every job, and its batch with it, evolves during training.

Jobs with the least remaining GPU-time should get GPUs. The remaining time is sampled from a Beta
law over the progress. Lengths are unknown (Bian et al., SC 2021). Plans evolve by crossover,
mutation and repair, and the fittest plan of all times is kept. A plan has the number of GPUs of
each job, 0 if it waits. Jobs are columns of all arrays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

import numpy as np
from numpy.random import Generator

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Amount, Count
from ...simulation.model import Ints
from ...simulation.trace import (
    ClusterView,
    GrantedGpus,
    JobView,
    LiveJobs,
    TraceDecider,
    TraceSetting,
)
from ..request import Request
from .serve import (
    ClusterRoom,
    ServiceOptions,
    WorkCounter,
    refuses_groups_and_kinds,
    room_of,
    serve,
)


@dataclass(frozen=True, slots=True)
class PlanAim:
    """The limits of plans, and the worth of widths."""

    room: ClusterRoom
    reach: Ints
    """The number of the set of servers that each job may use."""
    widths: list[list[int]]
    """Widths that each job may have, in order."""
    worth: list[dict[int, float]]
    """The worth of each width."""

    def fitness(self, plan: Ints) -> float:
        """Return the worth of a plan."""
        chosen = enumerate(plan.tolist())
        return sum(self.worth[job][width] for job, width in chosen if width)

    def room_beside(self, plan: Ints) -> ClusterRoom:
        """Return the GPUs that a plan leaves, negative if it does not fit."""
        room = self.room.copy()
        for reach in range(len(room.left)):
            room.take(reach, int(plan[self.reach == reach].sum()))
        return room


def evolve(task: PlanAim, plans: list[Ints], generations: int, rng: Generator) -> list[Ints]:
    """Return as many plans as there were, the fittest first."""
    size = len(plans)
    plans = [repair(task, plan, rng) for plan in plans]
    for _ in range(generations):
        children = []
        for plan in plans:
            other = plans[int(rng.integers(size))]
            child = np.where(rng.random(plan.size) < 0.5, plan, other)
            children.append(repair(task, mutate(task, child, rng), rng))
        plans = fittest(task, plans + children)[:size]
    return fittest(task, plans)


def fittest(task: PlanAim, plans: list[Ints]) -> list[Ints]:
    """Return plans by fitness, of the fittest those first that came first."""
    return sorted(plans, key=lambda plan: -task.fitness(plan))


def mutate(task: PlanAim, plan: Ints, rng: Generator) -> Ints:
    """Stop a job in ten, and let as many have any width that they may have."""
    plan = plan.copy()
    fate = rng.random(plan.size)
    plan[fate < 0.1] = 0
    for job in np.flatnonzero(fate > 0.9).tolist():
        plan[job] = task.widths[job][int(rng.integers(len(task.widths[job])))]
    return plan


def repair(task: PlanAim, plan: Ints, rng: Generator) -> Ints:
    """Return a plan that fits: random jobs are stopped until it does, then GPUs are filled."""
    plan, order = plan.copy(), rng.permutation(plan.size).tolist()
    for job in order:
        if plan[job] and int(plan[job]) not in task.worth[job]:
            plan[job] = max((w for w in task.widths[job] if w <= plan[job]), default=0)
    room, reach = task.room_beside(plan), task.reach.tolist()
    for job in order:
        if min(room.left) >= 0:
            break
        if room.of(reach[job]) < 0:
            room.take(reach[job], -int(plan[job]))
            plan[job] = 0
    return fill(task, plan, room)


def fill(task: PlanAim, plan: Ints, left: ClusterRoom) -> Ints:
    """Use up free GPUs, step by step where a GPU is worth most. Changes the plan."""
    reach = task.reach.tolist()
    while left.left[0] > 0:
        best, gain, chosen = -1, 0.0, 0
        rooms = [left.of(one) for one in range(len(left.left))]
        for job, widths in enumerate(task.widths):
            here, room = int(plan[job]), rooms[reach[job]]
            now = task.worth[job][here] if here else 0.0
            for width in widths:
                if here < width <= here + room:
                    rate = (task.worth[job][width] - now) / (width - here)
                    if rate > gain:
                        best, gain, chosen = job, rate, width
                    break
        if best < 0:
            break
        left.take(reach[best], chosen - int(plan[best]))
        plan[best] = chosen
    return plan


PRIOR_EPOCHS = 30.0
"""Epochs of a job, until one job has ended."""

MOST_DOUBLED = 6
"""Most doublings of the limit of a batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Length of the search."""

    interval_s: Annotated[
        Amount, "plans also evolve at multiples of this, or with 0 at events only"
    ] = Decimal(0)
    plans: Annotated[Count, "plans to keep"] = 8
    generations: Annotated[Count, "generations each time"] = 2


class Ones(TraceDecider):
    """Keeps some plans, and evolves them at every decision."""

    def __init__(self, plans: int, generations: int, rng: Generator) -> None:
        """Remember the size of the search."""
        self._generations, self._rng = generations, rng
        self._plans: list[dict[int, int]] = [{} for _ in range(plans)]
        self._work = WorkCounter()
        self._epochs: dict[int, int] = {}
        self._ended: list[int] = []
        """Epochs of jobs that have ended, as far as they were seen."""
        self._drawn: dict[int, tuple[int, float]] = {}

    def begin(self, setting: TraceSetting) -> None:
        """Learn the number of GPUs and the cost of a change."""
        self._setting, self._room = setting, room_of(setting)

    def decide(self, jobs: LiveJobs, _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Evolve the plans, and carry out the fittest."""
        self._work.look(jobs, jobs.ended)
        self._look(jobs)
        if not jobs:
            return {}
        task = self._task(jobs)
        held = np.array([job.width if job.running else 0 for job in jobs])
        old = [self._plan(jobs, plan) for plan in self._plans[1:]]
        plans = evolve(task, [held, *old], self._generations, self._rng)
        numbers = [job.number for job in jobs]
        self._plans = [dict(zip(numbers, plan.tolist(), strict=True)) for plan in plans]
        return {number: GrantedGpus(width) for number, width in self._plans[0].items() if width}

    def _look(self, jobs: Sequence[JobView]) -> None:
        """Record the epochs of all jobs, and of the jobs that have ended since."""
        now = {job.number: len(job.losses) for job in jobs}
        self._ended += [self._epochs[n] for n in sorted(self._epochs.keys() - now)]
        self._epochs = now

    def _plan(self, jobs: Sequence[JobView], plan: Mapping[int, int]) -> Ints:
        return np.array([plan.get(job.number, 0) for job in jobs])

    def _task(self, jobs: Sequence[JobView]) -> PlanAim:
        """Return the possible widths of jobs and their worth, 1 over the remaining time."""
        stress = sum(min(job.speeds) for job in jobs) > self._setting.gpus
        widths, worth = [], []
        for job in jobs:
            most, left = self._limit(job, stress), self._left(job)
            own = [width for width in sorted(job.speeds) if width <= most]
            widths.append(own)
            worth.append({w: 1.0 / (left / job.speeds[w] + self._pause(job, w)) for w in own})
        return PlanAim(self._room, np.array([job.reach for job in jobs]), widths, worth)

    def _pause(self, job: JobView, width: int) -> float:
        return 0.0 if job.running and job.width == width else self._setting.restart

    def _limit(self, job: JobView, stress: bool) -> int:
        """Return the widest that a job may be: more with every epoch, unless GPUs are short."""
        doubled = 0 if stress else min(self._epochs[job.number], MOST_DOUBLED)
        return job.gpus << doubled

    def _left(self, job: JobView) -> float:
        """Return the remaining ticks at full speed, resampled after every epoch.

        The completed fraction follows a Beta law. Its parameters grow with the completed epochs,
        and with the average number of further epochs that other jobs have had.
        """
        epochs = self._epochs[job.number]
        if epochs == 0:
            return max(1.0, self._work.usual - self._work.of(job))
        if self._drawn.get(job.number, (0, 0.0))[0] != epochs:
            usual = sum(self._ended) / len(self._ended) if self._ended else PRIOR_EPOCHS
            part = float(self._rng.beta(1.0 + epochs, 1.0 + max(1.0, usual - epochs)))
            self._drawn[job.number] = epochs, (1.0 - part) / part
        return max(1.0, self._drawn[job.number][1] * self._work.of(job))


refuses = refuses_groups_and_kinds


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule. The search and the sampled progress are random."""
    policy = Ones(request.options.plans, request.options.generations, request.rng)
    return serve(instance, request.limits, "ones", policy, request.options)
