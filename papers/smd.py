"""`ringyard reproduce smd`: SMD's method compared with the optimum, by jobs and by capacity.

The paper reports a ratio between 0.75 and 1 for 10 to 50 jobs, and 30 to 50 % of the
reservations in use. Its jobs are unknown. Ringyard's have its known ranges (`draw_problem`).
"""

from collections.abc import Iterator, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng

from ..analysis.intervals import mean_above, mean_share
from ..analysis.tables import Cell
from ..campaigns.reproductions import Answers, Results, Settings
from ..formulations.online.smd import SmdProblem, draw_problem
from ..formulations.solver_interface.solve import NO_CAPS
from ..instances import Limits
from ..search.online.smd import ROUNDINGS, Allocation, approximate, exact
from .study import table_of

ROOMS, JOBS = (0.3, 0.4, 0.5), (10, 20, 30, 40, 50)
"""Parts of the reservations within capacity, and numbers of jobs."""

POINTS = tuple(product(ROOMS, JOBS))

EPSILON, SIZE = 0.2, 2
"""Seeds of the grids, and the most jobs of the sets tried."""

TITLES = {"shrunk": "SMD's rounding", "down": "rounding down"}


class SmdRatio(NamedTuple):
    """The result of a rounding on a problem."""

    part: float
    """Utility over the optimum."""
    longer: float
    """The mean of the times of jobs over their least."""
    used: float
    """The mean over resources of the use of all jobs over their reservations."""


def report(settings: Settings, _: Answers | None = None) -> Results:
    """Solve all problems by SMD's method and exactly."""
    found = {
        (room, jobs): [
            measured(draw_problem(s, jobs=jobs, room=room), s) for s in range(settings.seeds)
        ]
        for room, jobs in settings.some(POINTS)
    }
    heads: dict[str, int | None] = {"capacity, %": 0, "jobs": 0}
    for title in TITLES.values():
        heads |= {title: 3, f"least, {title}": 3, f"times, {title}": 2, f"in use, {title}, %": 0}
    table = table_of(
        "Utility of SMD's method / optimum",
        heads,
        ((100 * room, float(jobs), *_cells(some)) for (room, jobs), some in found.items()),
        f"Means over {settings.seeds} seeds, of utility and use with 95 % intervals (Student's t "
        "on the logarithms of odds and of use), and the minimum. Utility relative to enumeration "
        "and HiGHS. Times: job times over their minimum. Capacity: this fraction of the "
        f"reserved amount, for each of four resources. Grids with epsilon = {EPSILON:g}, "
        f"delta = 0.1, sets of at most {SIZE} jobs.",
        shared=1,
    )
    every = [one for some in found.values() for one in some]
    return Results(tables={"ratio": table}, statements=tuple(_statements(every)))


def measured(problem: SmdProblem, seed: int) -> dict[str, SmdRatio]:
    """Return the result of each rounding on a problem."""
    best, made = exact(problem, NO_CAPS), dict[str, SmdRatio]()
    for rounding in ROUNDINGS:
        found = approximate(
            problem, default_rng(seed), Limits(), epsilon=EPSILON, size=SIZE, rounding=rounding
        )
        pairs = zip(found.grants, best.grants, strict=True)
        longer = fmean(one.time_ms / other.time_ms for one, other in pairs)
        made[rounding] = SmdRatio(found.utility / best.utility, longer, used_part(problem, found))
    return made


def used_part(problem: SmdProblem, found: Allocation) -> float:
    """Return the used part of reservations if all jobs are admitted: a mean over resources."""
    pairs = list(zip(problem.jobs, found.grants, strict=True))
    worker, server, reserved = (
        np.array([getattr(job, name) for job in problem.jobs])
        for name in ("worker", "server", "reserved")
    )
    workers, servers = np.array([(one.workers, one.servers) for _, one in pairs]).T[:, :, None]
    return float(((workers * worker + servers * server).sum(0) / reserved.sum(0)).mean())


def _cells(found: Sequence[dict[str, SmdRatio]]) -> Iterator[Cell]:
    for rounding in ROUNDINGS:
        parts = [one[rounding].part for one in found]
        yield from (mean_share(parts), min(parts))
        yield fmean(one[rounding].longer for one in found)
        yield mean_above([100 * one[rounding].used for one in found], 0.0)


def _statements(found: Sequence[dict[str, SmdRatio]]) -> Iterator[str]:
    for rounding, title in TITLES.items():
        parts = [one[rounding].part for one in found]
        used = [100 * one[rounding].used for one in found]
        yield (
            f"{title}: {min(parts):.2f} to {max(parts):.2f} of the optimum, with "
            f"{min(used):.0f} to {max(used):.0f} % of the reserved resources in use"
        )
