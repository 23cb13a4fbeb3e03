"""Costs of staleness and of a lost server in a small real training: a linear classifier in numpy.

It learns by stochastic gradients. Each update is the gradient of a few points at
parameters that are some updates old, as if a worker had taken that long to send it.
"""

from collections.abc import Iterator
from functools import cache
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from ..analysis.tables import Cell, Table
from ..campaigns.reproductions import Settings
from .study import table_of

Weights = NDArray[np.float64]

POINTS, WIDTH, BATCH = 400, 10, 16
"""Points to learn from, numbers of each, and points of an update."""

MOST, NEAR = 1600, 0.05
"""Updates at most, and the part of the initial excess loss that is left at the end."""

BOUNDS: tuple[int | None, ...] = (0, 4, 16, 64, None)
"""Limits on the age of parameters in updates, None for no limit."""

STEP, STEPS = 0.8, (1, 4, 16, 64)
"""A step with little loss without staleness, and its divisors."""

LOST = (0.0, 0.1, 0.3, 1.0)
"""The replica's lag when the server is lost, relative to the distance from the start."""


class TrainingTask(NamedTuple):
    """Points with their classes, 1 or -1, and the losses at the start and at best."""

    points: Weights
    classes: Weights
    start: float
    best: float

    def loss(self, weights: Weights) -> float:
        """Return the mean loss, with a little for long weights."""
        margins = self.classes * (self.points @ weights)
        return float(np.logaddexp(0, -margins).mean() + 0.005 * weights @ weights)

    def slope(self, weights: Weights, some: NDArray[np.int64] | slice) -> Weights:
        """Return the gradient at some of the points."""
        points, classes = self.points[some], self.classes[some]
        pull = classes / (1 + np.exp(np.minimum(classes * (points @ weights), 50)))
        slope: Weights = 0.01 * weights - points.T @ pull / classes.size
        return slope

    @property
    def aim(self) -> float:
        """The loss at which it is learned."""
        return self.best + NEAR * (self.start - self.best)


@cache
def drawn_task(seed: int) -> TrainingTask:
    """Draw points around two centres, and find the least loss by gradients of all points."""
    rng = default_rng(seed)
    classes = rng.choice([-1.0, 1.0], POINTS)
    points = rng.normal(size=(POINTS, WIDTH)) + 0.5 * classes[:, None]
    task, weights = TrainingTask(points, classes, 0.0, 0.0), np.zeros(WIDTH)
    for _ in range(2000):
        weights -= 0.3 * task.slope(weights, slice(None))
    return task._replace(start=task.loss(np.zeros(WIDTH)), best=task.loss(weights))


def path(
    task: TrainingTask, begin: Weights, bound: int | None, step: float, rng: Generator
) -> Iterator[Weights]:
    """Yield the weights after each update. `bound` limits the age of gradients."""
    known = [begin]
    for t in range(MOST):
        behind = int(rng.integers(0, (t if bound is None else min(t, bound)) + 1))
        some = rng.integers(0, POINTS, BATCH)
        known.append(known[-1] - step * task.slope(known[-1 - behind], some))
        yield known[-1]


def learned(task: TrainingTask, bound: int | None, step: float, rng: Generator) -> int | None:
    """Return the updates after which the loss stays at its aim, or None if it never stays."""
    above = 0
    for t, weights in enumerate(path(task, np.zeros(WIDTH), bound, step, rng), 1):
        if not task.loss(weights) <= task.aim:
            above = t
    return above + 1 if above < MOST * 3 // 4 else None


def again(task: TrainingTask, lost: float, rng: Generator) -> int:
    """Return the updates to the aim if the server is lost there, and the replica is behind.

    The replica is the oldest whose distance is at most that part of the distance from the start.
    """
    known = [np.zeros(WIDTH)]
    for weights in path(task, known[0], 4, STEP / 4, rng):
        known.append(weights)
        if task.loss(weights) <= task.aim:
            break
    reach = lost * np.linalg.norm(known[-1])
    replica = next(one for one in known if np.linalg.norm(known[-1] - one) <= reach)
    if task.loss(replica) <= task.aim:
        return 0
    after = enumerate(path(task, replica, 4, STEP / 4, rng), 1)
    return next(t for t, weights in after if task.loss(weights) <= task.aim)


def convergence(settings: Settings) -> tuple[Table, str]:
    """Return the table of updates by staleness and step, and a statement on convergence."""
    found = {bound: _by_step(bound, settings) for bound in settings.some(BOUNDS)}
    heads: dict[str, int | None] = {"updates behind, at most": None}
    heads |= {f"step / {parts}" if parts > 1 else "the step": None for parts in STEPS}
    heads |= {"learned with some step, %": 0}
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        ("any" if bound is None else str(bound), *map(_updates_text, cells), _learned(cells))
        for bound, cells in found.items()
    )
    caption = f"Updates until the loss stays within {100 * NEAR:g} % of the least"
    note = "Means over the draws. If some draws fail to learn, the number that succeed."
    table = table_of(caption, heads, rows, note)
    bounded = {bound: cells for bound, cells in found.items() if bound is not None}
    kept = [bound for bound, cells in bounded.items() if None not in cells[0]]
    every = all(any(None not in some for some in cells) for cells in bounded.values())
    where = "at every bound" if every else "not at every bound"
    up_to = f"with the step itself up to {max(kept)} updates" if kept else "with no such step"
    return (
        table,
        f"bounded staleness keeps convergence of a convex task {up_to}, with a smaller one {where}",
    )


def failover(settings: Settings) -> Table:
    """Make the table of updates that a lost server costs, by how far its replica is behind."""
    heads = {"replica behind, fraction of the path": 1, "updates again": 1}
    tasks = [drawn_task(seed) for seed in range(settings.seeds)]
    rows = tuple(
        (lost, fmean(again(task, lost, default_rng(seed)) for seed, task in enumerate(tasks)))
        for lost in settings.some(LOST)
    )
    return table_of("Cost of a lost server at the aim", heads, rows)


def _by_step(bound: int | None, settings: Settings) -> list[list[int | None]]:
    """Return for each step the updates of each draw."""
    seeds = range(settings.seeds)
    return [
        [learned(drawn_task(seed), bound, STEP / parts, default_rng(seed)) for seed in seeds]
        for parts in STEPS
    ]


def _learned(by_step: list[list[int | None]]) -> float:
    """Return the per cent of draws that are learned with the step that serves most of them."""
    return max(100 * fmean(updates is not None for updates in found) for found in by_step)


def _updates_text(found: list[int | None]) -> str:
    some = [updates for updates in found if updates is not None]
    all_of_them = len(some) == len(found)
    return f"{fmean(some):.0f}" if all_of_them else f"{len(some)} of {len(found)}"
