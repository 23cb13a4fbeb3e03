"""AlloX: each GPU's queue of jobs by one assignment, in the rounds of Gavel's simulator.

Source: AlloX (Le et al., EuroSys 2020), as in `policies/allox.py` of Gavel's public simulator.

Whenever shares are due, jobs that have no GPU yet are assigned to places in the queues of the GPUs
that no job has. A job that is n-th from the end of the queue of a GPU adds its remaining time there
n times to the sum of all completion times, and the assignment has the least sum. The first job of
each queue has the kind of this GPU until it ends. Only the earliest `part` of the jobs without a
GPU is assigned, but at least as many as there are such GPUs. As under `gavel`, jobs without a share
run on GPUs that are idle even so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

import numpy as np
from scipy.optimize import linear_sum_assignment

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Fraction01
from ...policies.request import Request
from ...policies.trace.serve import serve
from ...simulation.model import Ints
from ...simulation.trace.views import FULL, KnownJobView
from .gavel import RoundOptions, ShareRounds

NEVER = 1e10
"""Times the remaining time: the time on a kind on which a job cannot run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(RoundOptions):
    """Who is assigned."""

    part: Annotated[Fraction01, "part of the waiting jobs that is assigned, the earliest"] = (
        Decimal(1)
    )


class AlloxRounds(ShareRounds):
    """A share of 1 for the first job of each queue."""

    information = FULL

    def __init__(self, options: Options, instance: TraceInstance) -> None:
        """Begin without jobs that have a kind."""
        super().__init__(options, instance)
        self._part = float(options.part)
        self._chosen: dict[int, int] = {}
        """The kind of each job that has one, by number."""

    def _shares(self, jobs: Sequence[KnownJobView]) -> list[list[float]]:
        live, free = {job.number for job in jobs}, list(self._setting.kind_gpus)
        self._chosen = {number: kind for number, kind in self._chosen.items() if number in live}
        for kind in self._chosen.values():
            free[kind] -= 1
        waiting = [job for job in jobs if job.number not in self._chosen]
        # The last kinds first: V100s, P100s and K80s are then in the order that the simulator has.
        gpus = [kind for kind in reversed(range(len(free))) for _ in range(free[kind])]
        waiting = waiting[: max(int(self._part * len(waiting)), len(gpus))]
        if waiting and gpus:
            self._chosen |= _first_jobs(waiting, np.array(gpus))
        shares = [[0.0] * len(free) for _ in jobs]
        for own, job in zip(shares, jobs, strict=True):
            if job.number in self._chosen:
                own[self._chosen[job.number]] = 1.0
        return shares


def _first_jobs(jobs: Sequence[KnownJobView], gpus: Ints) -> dict[int, int]:
    """Return the kind of the first job of each queue, by number. `gpus` are the kinds of GPUs."""
    times = np.array(
        [[job.remaining / (own.get(1, 0.0) or 1 / NEVER) for own in job.kinds] for job in jobs]
    )
    # GPUs of a kind are alike: no queue needs more than its equal part of all jobs, rounded up.
    longest = -(-len(jobs) // np.bincount(gpus)[gpus])
    gpu, place = np.nonzero(np.arange(1, longest.max() + 1) <= longest[:, None])
    order = np.lexsort((gpu, place))
    gpu, place = gpu[order], place[order]
    rows, columns = linear_sum_assignment(times[:, gpus[gpu]] * (place + 1))
    last: dict[int, tuple[int, int]] = {}
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        at = int(gpu[column])
        last[at] = max(last.get(at, (-1, -1)), (int(place[column]), row))
    return {jobs[row].number: int(gpus[at]) for at, (_, row) in last.items()}


def refuses(instance: TraceInstance, _: Options) -> str | None:
    """Return why a job cannot be in the queue of one GPU, or None if all can."""
    wide = next((job for job in instance.jobs if job.gpus > 1), None)
    if wide is None:
        return None
    return (
        f"job {wide.name!r} needs {wide.gpus} GPUs, and AlloX has a queue for each GPU. Use gavel."
    )


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule (deterministic)."""
    policy = AlloxRounds(request.options, instance)
    return serve(instance, request.limits, "allox", policy, request.options)
