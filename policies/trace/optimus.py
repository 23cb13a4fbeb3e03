"""Optimus: GPUs go where they shorten what is left most, as fitted curves predict it.

Losses and speeds are measured, the length of a job is not known (Peng et al., EuroSys 2018).
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Fraction01, Positive
from ...simulation.trace import ClusterView, GrantedGpus, JobView, TraceDecider, TraceSetting
from ..request import Request
from .even import evenly
from .options import ServiceOptions
from .progress import Progress
from .room import ClusterRoom, room_of
from .serve import serve
from .speed_fit import fit_speeds, speed_at

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
