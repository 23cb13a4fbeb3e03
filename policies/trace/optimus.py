"""Optimus: GPUs go where they shorten the remaining time most, as predicted by fitted curves.

Losses and speeds are measured, the length of a job is unknown (Peng et al., EuroSys 2018). Optimus
fits two models to its measurements: the remaining work of a job, from a loss of ``1 / (a e + b) +
c`` after e epochs, and the time of a step.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from heapq import heapify, heappop, heappush
from itertools import combinations
from typing import Annotated, Literal

import numpy as np

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Fraction01, Positive
from ...simulation.model import Floats
from ...simulation.trace.views import (
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


def evenly(
    jobs: Sequence[JobView],
    widths: Mapping[int, int],
    sets: Sequence[Collection[int]],
    cluster: ClusterView,
) -> dict[int, GrantedGpus]:
    """Return the pieces of jobs of these widths, smallest first. Unchanged jobs stay.

    Jobs that may use fewer servers, by the `sets` that they belong to, come before the other jobs
    and may displace these.
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
    """Return equal pieces on the fewest, emptiest servers, or unequal ones if necessary.

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
Share = Literal["gain", "equal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Interval of reallocation, and methods of prediction."""

    interval_s: Annotated[Positive, "time between two rounds"] = Decimal(600)
    rounds: Annotated[
        Literal["no", "yes"], "whether GPUs are allocated at multiples of interval_s only"
    ] = "yes"
    fall: Annotated[
        Fraction01, "a job has converged when an epoch brings less than this part of its first loss"
    ] = Decimal("0.001")
    speed_model: Annotated[
        SpeedModel, "speeds on other numbers of GPUs: by one of two models, or as measured there"
    ] = "sync"
    share: Annotated[
        Share, "the next GPUs to the job that gains most, or to one with the fewest: a fair share"
    ] = "gain"
    even: Annotated[
        Literal["no", "yes"], "spread evenly over the fewest servers, rather than by `placement`"
    ] = "yes"


class Optimus(TraceDecider):
    """Gives each job the least it can run on, then one step more to the job that gains most."""

    def __init__(
        self, fall: float, speed_model: SpeedModel, even: bool, share: Share = "gain"
    ) -> None:
        """Remember how to predict, who gets the next GPUs, and where to put jobs."""
        self._model, self._even, self._share = speed_model, even, share
        self._progress = Progress(fall)
        self._ran: dict[int, set[int]] = {}
        """Widths that jobs have run on."""
        self._fitted: dict[int, tuple[tuple[int, set[int]], dict[int, float]]] = {}
        """Predicted speeds by job, behind the widths that they were fitted to."""
        self._granted: Collection[int] = ()
        """Jobs that may have run since the last decision. Nothing is new about other jobs."""
        self._left: dict[int, float | None] = {}
        """Remaining ticks of live jobs, None if as long as usual."""
        self._speeds: dict[int, dict[int, float]] = {}
        self._reach: dict[int, int] = {}

    def begin(self, setting: TraceSetting) -> None:
        """Learn the GPUs of the servers."""
        self._sets, self._room = setting.sets, room_of(setting)

    def decide(self, jobs: LiveJobs, cluster: ClusterView) -> Mapping[int, GrantedGpus]:
        """Reallocate all GPUs."""
        self._look(jobs)
        usual = self._progress.usual
        left = {n: usual if ticks is None else ticks for n, ticks in self._left.items()}
        widths = share_out(left, self._speeds, self._room.copy(), self._reach, self._share)
        if self._even:
            few = [job for job in jobs if job.number in widths or job.number in self._granted]
            holds = evenly(few, widths, self._sets, cluster)
        else:
            holds = {number: GrantedGpus(width) for number, width in widths.items()}
        self._granted = holds.keys()
        return holds

    def _look(self, jobs: LiveJobs) -> None:
        """Forget ended jobs, and predict anew where something was measured."""
        for number in jobs.ended:
            del self._left[number], self._speeds[number], self._reach[number]
        news = [job for job in jobs if job.number in self._granted or job.number not in self._left]
        self._progress.look(news, jobs.ended)
        for job in news:
            self._left[job.number] = self._progress.left(job)
            self._speeds[job.number] = self._predicted(job)
            self._reach[job.number] = job.reach

    def _predicted(self, job: JobView) -> dict[int, float]:
        """Return the speeds of a job by width, as far as they are to be predicted."""
        ran = self._ran.setdefault(job.number, set())
        if job.starts:
            ran.add(job.width)
        if self._model == "measured" or len(job.speeds) < 3:
            return job.speeds
        tried = {min(job.speeds), job.gpus, max(job.speeds)} | ran
        known, base = self._fitted.get(job.number), (job.phase, tried)
        if known is None or known[0] != base:
            fit = fit_speeds({width: job.speeds[width] for width in sorted(tried)})[self._model]
            known = base, {width: speed_at(self._model, fit, width) for width in job.speeds}
            self._fitted[job.number] = known
        return known[1]


def share_out(
    left: Mapping[int, float],
    speeds: Mapping[int, Mapping[int, float]],
    room: ClusterRoom,
    reach: Mapping[int, int],
    share: Share = "gain",
) -> dict[int, int]:
    """Return widths: the least for each job, those with least left first, then the best steps.

    A step is to the next width. The best one saves most time per GPU. Of equal shares, it leads to
    the fewest GPUs: max-min fairness, which is dominant resource fairness of one resource.
    """
    least = {number: min(own) for number, own in speeds.items()}
    widths: dict[int, int] = {}
    for number in sorted(left, key=lambda n: (left[n] / speeds[n][least[n]], n)):
        if not room.left[0]:
            break
        if room.admit(reach[number], least[number]):
            widths[number] = least[number]
    steps = {number: sorted(speeds[number]) for number in widths}
    heap: list[tuple[float, int, int]] = []

    def push_next(number: int, k: int) -> None:
        if k + 1 < len(steps[number]):
            here, there = steps[number][k], steps[number][k + 1]
            own = speeds[number]
            gain = left[number] * (1.0 / own[here] - 1.0 / own[there]) / (there - here)
            if gain > 0.0:
                heappush(heap, (-gain if share == "gain" else float(there), number, k + 1))

    for number in widths:
        push_next(number, 0)
    while heap:
        _, number, k = heappop(heap)
        more = steps[number][k] - widths[number]
        if room.admit(reach[number], more):
            widths[number] += more
            push_next(number, k)
    return widths


refuses = refuses_groups_and_kinds


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule (deterministic)."""
    options = request.options
    even = options.even == "yes"
    policy = Optimus(float(options.fall), options.speed_model, even, options.share)
    return serve(instance, request.limits, "optimus", policy, options)


def least_squares(rows: Floats, values: Floats) -> Floats:
    """Return the coefficients >= 0 that bring ``rows @ coefficients`` closest to the values.

    Every set of nonzero coefficients is tried. The best solution without a negative coefficient is
    the answer, because it is the free optimum of its own set.
    """
    count = rows.shape[1]
    best, error = np.zeros(count), float(values @ values)
    for size in range(1, count + 1):
        for chosen in combinations(range(count), size):
            own = rows[:, chosen]
            found = np.linalg.lstsq(own, values, rcond=None)[0]
            miss = values - own @ found
            if (found >= 0).all() and miss @ miss < error:
                best, error = np.zeros(count), float(miss @ miss)
                best[list(chosen)] = found
    return best


FEWEST = 5
"""Epochs before which no curve is fitted."""

STEPS = 20
"""Most steps from the first guess to the best fit."""


@dataclass(frozen=True, slots=True)
class LossFit:
    """A fitted curve with nonnegative coefficients."""

    a: float
    b: float
    c: float

    def at(self, epoch: float) -> float:
        """Return the loss after an epoch."""
        return 1.0 / (self.a * epoch + self.b) + self.c

    def end(self, fall: float) -> float:
        """Return the first epoch, not a whole one, behind which the loss falls by less than `fall`.

        What it falls by in the epoch from e on is a / ((a e + b) (a e + a + b)).
        """
        if self.a == 0.0:
            return 0.0
        root = (np.sqrt(self.a**2 + 4.0 * self.a / fall) - self.a) / 2.0
        return float(max(0.0, (root - self.b) / self.a))


def fit_losses(losses: Sequence[tuple[int, float]]) -> LossFit | None:
    """Return the best fit, weighted to later thirds, or None before a fit is possible.

    A step solves the problem with the curve replaced by its tangent and nonnegative coefficients.
    It is halved until it helps.
    """
    if len(losses) < FEWEST:
        return None
    epochs, seen = np.array(losses, dtype=np.float64).T
    weights = 4.0 ** (3 * np.arange(seen.size) // seen.size)
    best = min(_guesses(epochs, seen, weights), key=lambda p: _error(p, epochs, seen, weights))
    for _ in range(STEPS):
        better = _step(best, epochs, seen, weights)
        if better is None:
            break
        best = better
    return LossFit(*best.tolist())


def _guesses(epochs: Floats, seen: Floats, weights: Floats) -> list[Floats]:
    """Return for some floors c the line through 1 / (loss - c)."""
    found = []
    for part in (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99):
        above = seen - part * seen.min()
        scale = weights * above**2
        rows = np.stack([epochs, np.ones_like(epochs)], axis=1) * scale[:, None]
        a, b = least_squares(rows, scale / above)
        found.append(np.array([a, max(b, 1e-9), part * seen.min()]))
    return found


def _error(point: Floats, epochs: Floats, seen: Floats, weights: Floats) -> float:
    a, b, c = point
    miss = weights * (1.0 / (a * epochs + b) + c - seen)
    return float(miss @ miss)


def _step(point: Floats, epochs: Floats, seen: Floats, weights: Floats) -> Floats | None:
    """Return a better point, if one is found."""
    a, b, _ = point
    slope = -1.0 / (a * epochs + b) ** 2
    rows = np.stack([slope * epochs, slope, np.ones_like(slope)], axis=1) * weights[:, None]
    values = weights * (seen - 1.0 / (a * epochs + b)) + rows[:, :2] @ point[:2]
    aim, error = least_squares(rows, values), _error(point, epochs, seen, weights)
    for halves in range(8):
        near: Floats = point + (aim - point) / 2**halves
        near[1] = max(near[1], 1e-9)
        if _error(near, epochs, seen, weights) < error * (1.0 - 1e-9):
            return near
    return None


def sync_terms(workers: float, servers: float) -> Floats:
    """Return the terms of a synchronous step. Its speed is 1 / (terms @ coefficients).

    The batch is split among the workers. The other terms are a constant, the exchange with the
    servers, and the overheads that grow with the number of workers and servers.
    """
    return np.array([1.0 / workers, 1.0, workers / servers, workers, servers])


def async_terms(workers: float, servers: float) -> Floats:
    """Return the terms of an asynchronous step. The speed is w / (terms @ coefficients)."""
    return np.array([1.0, workers / servers, workers, servers])


def fit_speeds(seen: Mapping[int, float]) -> dict[str, Floats]:
    """Return the coefficients of both models for speeds by width, a server for every worker."""
    speeds = np.array(list(seen.values()))
    workers = np.array(list(seen), dtype=np.float64)
    sync = np.array([sync_terms(w, w) for w in seen])
    apart = np.array([async_terms(w, w) for w in seen])
    # Relative times, so that slow widths do not dominate the fit.
    return {
        "sync": least_squares(sync * speeds[:, None], np.ones_like(speeds)),
        "async": least_squares(apart * (speeds / workers)[:, None], np.ones_like(speeds)),
    }


def speed_at(model: str, coefficients: Floats, width: int) -> float:
    """Return the speed that a model predicts for a width."""
    if model == "sync":
        return float(1.0 / (sync_terms(width, width) @ coefficients))
    return float(width / (async_terms(width, width) @ coefficients))


NEWS = 1.1
"""Growth of the number of epochs after which a curve is refitted."""


class Progress:
    """Fits the losses of jobs and predicts when they converge."""

    def __init__(self, fall: float) -> None:
        """Jobs have converged when an epoch brings less than `fall` of the first loss."""
        self._fall, self._work = fall, WorkCounter()
        self._ends: dict[int, tuple[int, float]] = {}
        """Epochs fitted and the predicted last one, by job, negative if unknown."""
        self._fitted: dict[tuple[tuple[int, float], ...], float] = {}
        """The predicted last epoch by losses: many jobs may have the same."""

    def look(self, jobs: Iterable[JobView], ended: Iterable[int]) -> None:
        """Count the work that jobs have done since the last time."""
        self._work.look(jobs, ended)

    @property
    def usual(self) -> float:
        """The average ticks of the jobs that have ended."""
        return self._work.usual

    def left(self, job: JobView) -> float | None:
        """Return the remaining ticks at full speed: at least one epoch.

        They are None until the losses can be fitted: then the job is as long as usual.
        """
        epochs, work = job.epochs, self._work.of(job)
        if epochs > NEWS * self._ends.get(job.number, (-1, 0.0))[0]:
            self._ends[job.number] = epochs, self._end(tuple(job.losses))
        end = self._ends[job.number][1]
        if end < 0.0:
            return None
        return max(1.0, end - epochs) * work / epochs

    def _end(self, losses: tuple[tuple[int, float], ...]) -> float:
        """Return the predicted last epoch, or a negative number if it is unknown."""
        if losses not in self._fitted:
            fit = fit_losses(losses)
            self._fitted[losses] = fit.end(self._fall * fit.at(0.0)) if fit else -1.0
        return self._fitted[losses]
