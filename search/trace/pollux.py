"""Pollux: numbers of GPUs of all jobs in every round, for the greatest power mean of speed-ups.

Source: Pollux (Qiao et al., OSDI 2021), and `pollux.py` of its simulator (branch `osdi21-artifact`,
commit c793c70 of https://github.com/petuum/adaptdl).

Rounds and the growth of jobs are as in `sia`, and a job that has not worked since it got its GPUs
keeps them. In a round each job waits or has one of the numbers of GPUs on which it may run:

- The speed-up of a number is the job's present speed there, inside one server, over that on an
  equal share of the GPUs (all GPUs over all jobs, rounded up, or the next smaller number of the
  job), times the servers over the GPUs.
- A job that starts, or runs on other GPUs, restarts. These speed-ups are multiplied by (age -
  restarts so far * `restart_s`) / (age + `restart_s`), but at least by 0.000001.
- A number costs its speed-up plus 0.001, to the power of p (`power`), or minus that if p is above
  0. A job that waits costs `waiting`. The sum of all costs is least. Of equal numbers a running job
  keeps its own.

A dynamic program finds the least sum, or an integer program if jobs have regions. Pollux looks for
it by a genetic algorithm over the GPUs of every server, and no server has two jobs that span
servers. Here only numbers count, because a job has the same speed on all servers, and a job that
keeps its number does not move. In Pollux, speeds come from a model that is fitted to what was
measured so far, and here they are known. Its choice of the size of a cluster is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

import numpy as np

from ...formulations.trace.configurations import Configuration, cheapest
from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Positive, Range
from ...policies.request import Request
from ...policies.trace.serve import refuses_groups_and_kinds, serve
from ...simulation.trace.views import ClusterView, GrantedGpus, JobView, LiveJobs
from .sia import TIE, Place, Sia
from .sia import Options as SiaOptions

SMOOTH = 1e-3
"""This is added to all speed-ups."""

LEAST_KEPT = 1e-6
"""The least factor of a restart: a job that would lose all takes GPUs that no job wants."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SiaOptions):
    """Length of rounds, and what numbers of GPUs cost."""

    power: Annotated[
        Decimal, Range(-3, 3), "p, the exponent of speed-ups, not 0: fairer if it is smaller"
    ] = Decimal(-1)
    waiting: Annotated[
        Positive, "cost of a job without GPUs, at least 1.01: 0.001 to the power of -1"
    ] = Decimal(1000)


class Pollux(Sia):
    """Keeps the numbers of GPUs of a round, and chooses those of the next one."""

    knows_kinds = False

    def _begin_round(self, jobs: LiveJobs, cluster: ClusterView) -> dict[int, GrantedGpus]:
        """Return who runs in a round."""
        self._share = -(-self._setting.gpus // max(1, len(jobs)))
        return super()._begin_round(jobs, cluster)

    def _cheapest(self, choices: list[Configuration], room: list[int]) -> list[int]:
        """Return the numbers of the chosen configurations."""
        if len(self._setting.sets) == 1:
            return cheapest_numbers(choices, room[0], self._waiting)
        return cheapest(choices, room, self._waiting)

    def _costs(self, job: JobView, present: Place | None) -> dict[Place, float]:
        """Return the costs of the numbers of GPUs of a job."""
        fair = max((g for g in job.speeds if g <= self._share), default=min(job.speeds))
        unit = len(self._setting.servers) / self._setting.gpus / job.speeds[fair]
        kept, sign = self._kept(job), 1.0 if self._power < 0 else -1.0
        costs = dict[Place, float]()
        for place, speed in self._speeds(job, present).items():
            stays = place == present
            gain = speed * unit * (1.0 if stays else kept) + SMOOTH
            costs[place] = sign * gain**self._power - TIE * stays
        return costs

    def _regular(self, kind: int, gpus: int) -> bool:
        """Return True: no number is left out."""
        return True

    def _kept(self, job: JobView) -> float:
        """Return the part of its time that a job has not lost if it restarts now."""
        age, restart = self._setting.now - job.arrival, self._setting.restart
        lost = max(0, job.starts - 1) * restart
        return max(LEAST_KEPT, (age - lost) / (age + restart)) if age + restart else 1.0


def cheapest_numbers(choices: Sequence[Configuration], gpus: int, waiting: float) -> list[int]:
    """Return the numbers of the choices of the least cost, at most one of each job.

    A dynamic program over jobs and GPUs: `least[g]` is the least cost of the jobs so far on at most
    g GPUs. It takes a time of (choices) * (GPUs).
    """
    least, picks = np.zeros(gpus + 1), list[np.ndarray[tuple[int], np.dtype[np.int64]]]()
    for own in _by_job(choices).values():
        best, pick = least + waiting, np.full(gpus + 1, -1)
        for c in own:
            if (need := choices[c].gpus) > gpus:
                continue
            found = least[: gpus + 1 - need] + choices[c].cost
            better = found < best[need:]
            best[need:][better], pick[need:][better] = found[better], c
        least = best
        picks.append(pick)
    chosen, left = list[int](), gpus
    for pick in reversed(picks):
        if (c := int(pick[left])) >= 0:
            chosen.append(c)
            left -= choices[c].gpus
    return sorted(chosen)


def _by_job(choices: Sequence[Configuration]) -> Mapping[int, list[int]]:
    """Return the numbers of the choices of each job."""
    found: dict[int, list[int]] = {}
    for c, one in enumerate(choices):
        found.setdefault(one.job, []).append(c)
    return found


refuses = refuses_groups_and_kinds


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule (deterministic)."""
    policy = Pollux(request.options, instance)
    return serve(instance, request.limits, "pollux", policy, request.options)
