"""Optimus: GPUs go where they shorten what is left most, as fitted curves predict it.

Losses and speeds are measured, the length of a job is not known (Peng et al., EuroSys 2018).
"""

import heapq
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from heapq import heapify, heappop, heappush
from typing import Annotated, Literal

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Fraction01, Positive
from ...simulation.trace import ClusterView, GrantedGpus, JobView, TraceDecider, TraceSetting
from ..request import Request
from .optimus_fits import Progress, fit_speeds, speed_at
from .room import ClusterRoom, room_of
from .serve import ServiceOptions, serve


def evenly(
    jobs: Sequence[JobView],
    widths: Mapping[int, int],
    sets: Sequence[Collection[int]],
    cluster: ClusterView,
) -> dict[int, GrantedGpus]:
    """Return what jobs of these widths hold, the smallest first; a job that keeps its width stays.

    Jobs that may use fewer servers, by the `sets` that they belong to, come before the others and
    may drive these away.
    """
    free = [int(gpus) for gpus in cluster.free]
    own = {job.number: sets[job.reach] for job in jobs}
    holds: dict[int, dict[int, int]] = {}
    for job in jobs:
        if job.running and job.width == widths.get(job.number):
            holds[job.number] = cluster.pieces(job.number)
        elif job.running:
            _add(free, cluster.pieces(job.number), 1)
    coming = [(len(own[n]), widths[n], n) for n in widths.keys() - holds.keys()]
    heapify(coming)
    while coming:
        reach, width, number = heappop(coming)
        pieces = even_pieces(free, width, own[number])
        while sum(pieces.values()) < width:
            wider = [
                n for n, held in holds.items() if len(own[n]) > reach and held.keys() & own[number]
            ]
            if not wider:
                break
            other = max(wider, key=lambda n: (len(own[n]), n))
            _add(free, holds.pop(other), 1)
            heappush(coming, (len(own[other]), widths[other], other))
            pieces = even_pieces(free, width, own[number])
        else:
            holds[number] = pieces
            _add(free, pieces, -1)
    return {number: GrantedGpus(widths[number], pieces) for number, pieces in holds.items()}


def even_pieces(free: Sequence[int], width: int, servers: Collection[int]) -> dict[int, int]:
    """Return equal pieces on the emptiest servers, as few as possible; as they come if need be.

    They are fewer than wanted if these servers have no more.
    """
    order = sorted(servers, key=lambda s: (-free[s], s))
    for count in range(1, min(width, len(order)) + 1):
        each, more = divmod(width, count)
        pieces = {server: each + (i < more) for i, server in enumerate(order[:count])}
        if all(free[server] >= gpus for server, gpus in pieces.items()):
            return pieces
    pieces = {}
    for server in order:
        pieces[server] = min(free[server], width - sum(pieces.values()))
    return {server: gpus for server, gpus in pieces.items() if gpus}


def _add(free: list[int], pieces: Mapping[int, int], sign: int) -> None:
    for server, gpus in pieces.items():
        free[server] += sign * gpus


SpeedModel = Literal["sync", "async", "measured"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """How often GPUs are shared out anew, and what is predicted how."""

    interval_s: Annotated[Positive, "time between two rounds"] = Decimal(600)
    rounds: Annotated[
        Literal["no", "yes"], "whether GPUs are shared out at multiples of interval_s only"
    ] = "yes"
    fall: Annotated[
        Fraction01, "a job has converged when an epoch brings less than this part of its first loss"
    ] = Decimal("0.001")
    speed_model: Annotated[
        SpeedModel, "speeds on other numbers of GPUs: by one of two models, or as measured there"
    ] = "sync"
    even: Annotated[
        Literal["no", "yes"], "spread evenly over the fewest servers, rather than by `placement`"
    ] = "yes"


class Optimus(TraceDecider):
    """Gives each job the least it can run on, then one step more to the job that gains most."""

    def __init__(self, fall: float, speed_model: SpeedModel, even: bool) -> None:
        """Remember how to predict and where to put jobs."""
        self._model, self._even = speed_model, even
        self._progress = Progress(fall)
        self._ran: dict[int, set[int]] = {}
        """Widths that jobs have run on."""
        self._speeds_of: dict[int, tuple[set[int], dict[int, float]]] = {}
        """Predicted speeds by job, behind the widths that they were fitted to."""

    def begin(self, setting: TraceSetting) -> None:
        """Learn the GPUs of the servers."""
        self._sets, self._room = setting.sets, room_of(setting)

    def decide(self, jobs: Sequence[JobView], cluster: ClusterView) -> Mapping[int, GrantedGpus]:
        """Share out all GPUs anew."""
        self._progress.look(jobs)
        left = {job.number: self._progress.left(job) for job in jobs}
        speeds = {job.number: self._speeds(job) for job in jobs}
        reach = {job.number: job.reach for job in jobs}
        widths = share_out(left, speeds, self._room.copy(), reach)
        if self._even:
            return evenly(jobs, widths, self._sets, cluster)
        return {number: GrantedGpus(width) for number, width in widths.items()}

    def _speeds(self, job: JobView) -> dict[int, float]:
        """Return the speeds of a job by width, as far as they are to be predicted."""
        ran = self._ran.setdefault(job.number, set())
        if job.starts:
            ran.add(job.width)
        if self._model == "measured" or len(job.speeds) < 3:
            return job.speeds
        tried = {min(job.speeds), job.gpus, max(job.speeds)} | ran
        known = self._speeds_of.get(job.number)
        if known is None or known[0] != tried:
            fit = fit_speeds({width: job.speeds[width] for width in sorted(tried)})[self._model]
            known = tried, {width: speed_at(self._model, fit, width) for width in job.speeds}
            self._speeds_of[job.number] = known
        return known[1]


def share_out(
    left: Mapping[int, float],
    speeds: Mapping[int, Mapping[int, float]],
    room: ClusterRoom,
    reach: Mapping[int, int],
) -> dict[int, int]:
    """Return widths: the least for each job, those with least left first, then the best steps.

    A step is to the next width; the best one saves most time for each GPU.
    """
    steps = {number: sorted(own) for number, own in speeds.items()}
    widths: dict[int, int] = {}
    for number in sorted(left, key=lambda n: (left[n] / speeds[n][steps[n][0]], n)):
        if steps[number][0] <= room.of(reach[number]):
            widths[number] = steps[number][0]
            room.take(reach[number], steps[number][0])
    heap: list[tuple[float, int, int]] = []

    def offer(number: int, k: int) -> None:
        if k + 1 < len(steps[number]):
            here, there = steps[number][k], steps[number][k + 1]
            own = speeds[number]
            gain = left[number] * (1.0 / own[here] - 1.0 / own[there]) / (there - here)
            if gain > 0.0:
                heapq.heappush(heap, (-gain, number, k + 1))

    for number in widths:
        offer(number, 0)
    while heap:
        _, number, k = heapq.heappop(heap)
        more = steps[number][k] - widths[number]
        if more <= room.of(reach[number]):
            widths[number] += more
            room.take(reach[number], more)
            offer(number, k)
    return widths


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    options = request.options
    policy = Optimus(float(options.fall), options.speed_model, options.even == "yes")
    return serve(instance, request.limits, "optimus", policy, options)
