"""Themis: GPUs are leased by auctions to the jobs with the worst finish-time ratios.

Source: Themis (Mahajan et al., NSDI 2020), as recalled. Its apps are jobs here.

All leases end at multiples of `lease_s`. Then, and when a job arrives or ends, the free GPUs are
auctioned to the jobs without a lease:

- The finish-time ratio of a job is the time from its arrival to its end, if it runs on its fastest
  kind from now on, over its time alone in an equal part of every kind. The parts are equal among
  all jobs that are present.
- Only a part of these jobs bids, `bids`, rounded up: those with the largest ratios. For each kind
  they bid the inverse of the ratio that they would have there. Without GPUs, they would start
  after another `lease_s`.
- The winners are those for whom the product of the inverse ratios of all bidders is greatest.
- Free GPUs that are left go to the other jobs, the largest ratio first, on their fastest kind with
  enough GPUs. In Themis this order is random.

Themis also takes back a part of what a job wins, so that no job gains by a false bid. Here all bids
are true, and jobs need all their GPUs at once, so nothing is taken back. Jobs have the number of
GPUs that they request.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Annotated

import numpy as np

from ...formulations.program import Floats
from ...formulations.trace.shares import SharedCluster, whole_shares
from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Fraction01, Positive
from ...policies.request import Request
from ...policies.trace.serve import ClusterRoom, ServiceOptions, refuses_groups, room_of, serve
from ...simulation.trace.views import (
    FULL,
    ClusterView,
    GrantedGpus,
    KnownJobView,
    LiveJobs,
    TraceDecider,
    TraceSetting,
)
from .gavel import kind_sets, partition_speeds, speeds_by_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Who bids, and for how long."""

    interval_s: Annotated[Positive, "auctions are at multiples of this"] = Decimal(1)
    lease_s: Annotated[Positive, "all leases end at multiples of this"] = Decimal(1200)
    bids: Annotated[Fraction01, "part of the jobs that bids, those with large ratios (1 - f)"] = (
        Decimal("0.2")
    )


class Themis(TraceDecider):
    """Keeps leases, and auctions free GPUs."""

    information = FULL
    knows_kinds = True

    def __init__(self, options: Options, instance: TraceInstance) -> None:
        """Begin without leases."""
        self._options, self._reach = options, kind_sets(instance)
        self._holds: dict[int, GrantedGpus] = {}
        self._ends = 0.0

    def begin(self, setting: TraceSetting) -> None:
        """Count the lease in ticks."""
        self._setting, self._room = setting, room_of(setting)
        self._lease = float(self._options.lease_s) / setting.tick_s

    def decide(self, jobs: LiveJobs, _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return the leases."""
        now = self._setting.now
        for number in jobs.ended:
            self._holds.pop(number, None)
        if now >= self._ends:
            self._holds = {}
            self._ends = (now // self._lease + 1) * self._lease
        self.again = self._ends
        waiting = [job for job in jobs if job.number not in self._holds]
        room, free = self._room.copy(), list(self._setting.kind_gpus)
        for job in jobs:
            if job.number in self._holds:
                self._lease_to(job, self._holds[job.number].kind or 0, room, free)
        if waiting and any(free):
            self._auction(waiting, len(jobs), room, free)
        return self._holds

    def _auction(
        self, waiting: Sequence[KnownJobView], present: int, room: ClusterRoom, free: list[int]
    ) -> None:
        """Lease free GPUs to the winners, then to other jobs."""
        speeds = speeds_by_kind(waiting)
        gpus = np.array([job.gpus for job in waiting], float)
        age = np.array([self._setting.now - job.arrival for job in waiting], float)
        left = np.array([job.remaining for job in waiting])
        first = age + left / speeds.max(axis=1)
        whole = SharedCluster(speeds, gpus, np.array(self._setting.kind_gpus, float))
        equal = partition_speeds(whole, present)
        ratios = first * equal / np.array([job.duration for job in waiting])
        order = np.argsort(-ratios, kind="stable").tolist()
        bidders = order[: ceil(self._options.bids * len(waiting))]
        with np.errstate(divide="ignore"):
            worths = np.log(
                (first + self._lease)[:, None] / (age[:, None] + left[:, None] / speeds)
            )
        won = _winners(speeds[bidders], gpus[bidders], np.array(free, float), worths[bidders])
        for j, kind in won:
            self._lease_to(waiting[bidders[j]], kind, room, free)
        for j in order:
            for kind in np.argsort(-speeds[j], kind="stable").tolist():
                if waiting[j].number not in self._holds and speeds[j, kind]:
                    self._lease_to(waiting[j], kind, room, free)

    def _lease_to(self, job: KnownJobView, kind: int, room: ClusterRoom, free: list[int]) -> None:
        """Lease GPUs of a kind to a job, if enough are free."""
        reach = self._reach[job.number].get(kind)
        if reach is not None and free[kind] >= job.gpus and room.admit(reach, job.gpus):
            free[kind] -= job.gpus
            many = len(free) > 1
            hold = GrantedGpus(job.gpus, kind=kind if many else None)
            self._holds.setdefault(job.number, hold)


def _winners(speeds: Floats, gpus: Floats, room: Floats, worths: Floats) -> list[tuple[int, int]]:
    """Return the jobs that win GPUs, and their kinds."""
    able = (speeds > 0) & (worths > 0) & (gpus[:, None] <= room)
    if not able.any():
        return []
    shares = whole_shares(SharedCluster(able.astype(float), gpus, room), np.where(able, worths, 0))
    return [(int(j), int(k)) for j, k in np.argwhere(shares > 0)]


refuses = refuses_groups


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule (deterministic)."""
    policy = Themis(request.options, instance)
    return serve(instance, request.limits, "themis", policy, request.options)
