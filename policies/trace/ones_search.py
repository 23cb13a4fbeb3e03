"""ONES' search: plans evolve by crossover, mutation and repair; the fittest of all times is kept.

A plan says on how many GPUs each job runs, 0 if it waits. Jobs are columns of all arrays.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from .room import ClusterRoom

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PlanAim:
    """What a plan is to be good at."""

    room: ClusterRoom
    reach: Ints
    """The number of the set of servers that each job may use."""
    widths: list[list[int]]
    """Widths that each job may have, in order."""
    worth: list[dict[int, float]]
    """What each is worth."""

    def fitness(self, plan: Ints) -> float:
        """Return the worth of a plan."""
        chosen = enumerate(plan.tolist())
        return sum(self.worth[job][width] for job, width in chosen if width)

    def room_beside(self, plan: Ints) -> ClusterRoom:
        """Return what a plan leaves; it does not fit if that is less than nothing."""
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
    """Use up free GPUs, step by step where a GPU is worth most; changes the plan."""
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
