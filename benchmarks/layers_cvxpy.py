"""The programs in CVXPY, in whole vectors and matrices of variables, as its manual recommends.

CVXPY loads HiGHS and solves in one function. Here that function is called, and HiGHS is kept from
running.
"""

from typing import Any
from unittest.mock import patch

import cvxpy as cp
import highspy
import numpy as np
from layers_arrays import matrix_of, shape_of
from scipy.sparse import coo_array

__all__ = ["WAYS", "matrix_of", "shape_of"]


class HaltError(Exception):
    """HiGHS has the program."""


def loaded(objective: Any, rows: list[Any]) -> Any:
    """Return HiGHS with a problem in it, as CVXPY hands it over."""
    data, chain, _ = cp.Problem(cp.Minimize(objective), rows).get_problem_data(cp.HIGHS)
    found = []

    def halt(solver: Any) -> None:
        found.append(solver)
        raise HaltError

    with patch.object(highspy.Highs, "run", halt):
        try:
            chain.solver.solve_via_data(data, warm_start=False, verbose=False, solver_opts={})
        except HaltError:
            return found[0]
    raise AssertionError("HiGHS was not called")


def occupancy(data: Any) -> Any:
    """State who starts when and has which GPUs."""
    slots, rows, held = data.slots, [], []
    latest = cp.Variable(integer=True, bounds=[0, slots])
    for wanted, least in zip(data.gpus.tolist(), data.least.tolist(), strict=True):
        begins = np.arange(slots - least + 1)
        start = cp.Variable(len(begins), boolean=True)
        most = np.repeat(np.minimum(wanted, data.sizes)[:, None], slots, axis=1)
        gpus = cp.Variable(most.shape, integer=True, bounds=[np.zeros_like(most), most])
        at, of = (begins[None, :] + np.arange(least)[:, None]).ravel(), np.tile(begins, least)
        window = coo_array((np.full(len(at), wanted), (at, of)), shape=(slots, len(begins)))
        rows += [cp.sum(start) == 1, cp.sum(gpus, axis=0) == window.tocsr() @ start]
        rows.append((begins + least) @ start <= latest)
        held.append(gpus)
    rows.append(cp.sum(held) <= data.sizes[:, None])
    return loaded(latest, rows)


def load_limit(data: Any) -> Any:
    """State which GPUs each job has, and the largest load."""
    on = cp.Variable((len(data.gpus), data.places), boolean=True)
    latest = cp.Variable(bounds=[0, data.most])
    return loaded(latest, [cp.sum(on, axis=1) == data.gpus, data.work @ on <= latest])


def tickwise(data: Any) -> Any:
    """State who runs in which tick, and who has not ended."""
    rows, waiting, held = [], [], []
    numbers = zip(*(part.tolist() for part in data[:5]), strict=True)
    first = int(data.release.min())
    for release, ticks, need, rate, halves in numbers:
        length = data.last - release
        run = cp.Variable(length, boolean=True)
        lower = (np.arange(length) < ticks).astype(float)
        still = cp.Variable(length, integer=True, bounds=[lower, np.ones(length)])
        rows += [run <= still, still[1:] <= still[:-1], rate * cp.sum(run) >= need]
        before = np.tri(length - ticks, length, ticks - 1) * rate
        rows.append(before @ run >= need * (1 - still[ticks:]))
        held.append(halves * cp.hstack([np.zeros(release - first), run]))
        waiting.append(cp.sum(still))
    rows.append(cp.sum(held) <= data.room)
    return loaded(cp.sum(waiting), rows)


WAYS = {"occupancy": occupancy, "load-limit": load_limit, "tickwise": tickwise}
