"""The arrays of a simulation, its policy, and the views that the policy has."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from ...instances import LossCurve, RefusedError, TraceInstance
from ..state import State
from .build import (
    UNITS,
    build_data,
    build_groups,
    build_limits,
    build_model,
    build_state,
    build_trace,
    first_known,
    note_begun,
    note_phases,
    phases_by_job,
    whole_ticks,
)
from .placement import PLACEMENTS
from .records import DONE, RUNNING, Rules, TraceEngine, enlarged, forget
from .views import (
    ESTIMATES,
    FULL,
    NONE,
    PREDICTED,
    ClusterView,
    Columns,
    EstimatedJobView,
    JobView,
    KnownJobView,
    LiveJobs,
    PredictedJobView,
    TracePolicy,
    TraceSetting,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Rules for serving the queue under any policy."""

    placement: str = "least-fragmentation"
    pack_limit: float = 0.3
    """Larger skews are consolidated by the placement `profile`."""
    skews: Mapping[str, float] = field(default_factory=dict)
    """Skews by the name of the model, in small letters. Other jobs use known values."""
    kappa: int = 8
    """GPUs of the largest job that is small for the placement `sjf-bco`."""
    interval: int = 0
    """Period in ticks for serving the queue in addition to events, 0 for no period."""
    events: bool = True
    """True if it is served whenever a job comes, ends or changes its rank."""
    stable: bool = False
    """True if jobs of equal rank keep their order, otherwise they are ordered by number."""
    offers: bool = False
    """True if jobs get the GPUs that a job of a better rank cannot use yet."""
    noise: float = 0.0
    """Standard deviation of measured losses, relative to the loss."""
    seed: int = 0
    keep: bool = True
    """True if the log keeps the runs of jobs that are done."""


class ProgressLookup:
    """Looks up how far jobs have come."""

    def __init__(
        self,
        instance: TraceInstance,
        state: State,
        lives: Columns,
        now: memoryview,
        later: memoryview,
    ) -> None:
        """Look at the account."""
        self._all = [UNITS * whole_ticks(instance, job.duration_s) for job in instance.jobs]
        self._runs = Columns(state.runs, "remaining", "rate", "since")
        self._status, self._now, self._later = lives["status"], now, later

    def of(self, number: int) -> float:
        """Return the ticks at full speed that are left of a job."""
        remaining, rate, since = self._runs.values()
        left: float = remaining[number]
        if self._status[number] == RUNNING:
            worked = self._now[0] - since[number]
            if worked > 0:
                left -= rate[number] * worked
        if self._later:
            left = max(0.0, left) + self._later[number]
        return left / UNITS if left > 0 else 0.0

    def done(self, number: int) -> float:
        """Return the part of its work that a job has done."""
        return 1.0 - self.of(number) * UNITS / self._all[number]


USUAL = LossCurve(epochs=100)
"""The curve of a job without one."""


class Losses:
    """The losses in the logs of jobs so far."""

    def __init__(
        self, instance: TraceInstance, left: ProgressLookup, noise: float, seed: int
    ) -> None:
        """Keep the curves. `noise` is the standard deviation as a fraction of the loss."""
        self._curves = [job.curve or USUAL for job in instance.jobs]
        self._left, self._noise, self._seed = left, noise, seed
        self._ended: dict[int, int] = {}
        self._known: dict[int, tuple[Generator, list[tuple[int, float]]]] = {}

    def epochs(self, number: int) -> int:
        """Return the number of epochs that a job has ended."""
        ended = int(self._curves[number].epochs * self._left.done(number) + 1e-9)
        self._ended[number] = max(ended, self._ended.get(number, 0))
        return self._ended[number]

    def of(self, number: int) -> list[tuple[int, float]]:
        """Return the epochs that a job has ended, and the loss after each."""
        curve = self._curves[number]
        if number not in self._known:
            self._known[number] = default_rng((self._seed, number)), []
        rng, known = self._known[number]
        for epoch in range(len(known) + 1, self.epochs(number) + 1):
            fall = 1.0 / (float(curve.decay) * epoch + float(curve.start))
            loss = fall + float(curve.floor)
            known.append((epoch, loss * (1.0 + self._noise * float(rng.standard_normal()))))
        return list(known)


def unserved(
    instance: TraceInstance,
    *,
    obeys_most: bool = False,
    knows_kinds: bool = False,
    follows_outages: bool = False,
) -> str | None:
    """Return why a policy cannot serve an instance with some groups, kinds or outages, or None."""
    if instance.limited and not obeys_most:
        reason = f"group {instance.limited.name!r} has `most`"
        return f"{reason}, which the method does not obey. Use backfill or quotas."
    kinds = instance.kinds
    if len(kinds) > 1 and not knows_kinds:
        reason = f"there are {len(kinds)} kinds of GPUs ({', '.join(map(str, kinds))})"
        return f"{reason}, which the method does not distinguish. Use srsf, las, backfill or gavel."
    if instance.outages and not follows_outages:
        reason = f"server {instance.outages[0].server!r} has an outage"
        return f"{reason}, which the method does not expect. Use srsf, las or backfill."
    return None


class PolicyRun:
    """The arrays of a simulation, its policy, and the views that the policy has."""

    def __init__(self, instance: TraceInstance, policy: TracePolicy, service: Service) -> None:
        """Build everything as it is before the first job comes."""
        self.instance, self.keep = instance, service.keep
        self.policy: Any = policy
        self._phases = phases_by_job(instance)
        self.model = build_model(instance)
        self.data = build_data(instance, self.model, dict(service.skews), self._phases)
        if policy.backfills or policy.information == ESTIMATES:
            self.data = self.data._replace(
                limits=build_limits(instance),
                foresees=any(outage.known for outage in instance.outages),
            )
        self.state = build_state(self.model)
        self.trace = build_trace(
            self.model, self.data, build_groups(instance), first_known(instance)
        )
        note_begun(instance, self.trace)
        note_phases(self.state, self.data, self.trace)
        if policy.backfills or policy.reclaims:
            room = self.trace.active.size + min(policy.backfills, len(instance.jobs)) + 2
            ends, freeing = np.zeros(room, np.int64), np.zeros(room, np.int64)
            self.trace = self.trace._replace(ends=ends, freeing=freeing)
        if policy.stops_lower:
            self.trace = self.trace._replace(vain=np.repeat(self.trace.vain, 2, axis=0))
        self.rules = Rules(
            decides=policy.decides,
            preempts=policy.preempts,
            blocks=policy.blocks,
            events=service.events,
            starts=policy.starts,
            wakes=policy.wakes,
            stable=service.stable,
            backfills=policy.backfills,
            stops_lower=policy.stops_lower,
            reclaims=policy.reclaims,
            offers=service.offers,
            interval=service.interval,
            placement=PLACEMENTS[service.placement],
            skewed=service.pack_limit,
            kappa=service.kappa,
        )
        self.engine = TraceEngine(self.model, self.state, self.trace, self.data, self.rules)
        self.counts, self.lives = Columns(self.trace.counts), Columns(self.trace.lives)
        self._left = ProgressLookup(
            instance, self.state, self.lives, self.counts["now"], self.trace.later.data
        )
        self._losses = Losses(instance, self._left, service.noise, service.seed)
        law = None if policy.information in (NONE, ESTIMATES, PREDICTED) else _law(instance)
        self.setting = TraceSetting(instance, self.counts["now"], law, service.interval)
        self.cluster = ClusterView(self.model, self.state, self.trace, self.data.server_kind)
        self._views: dict[int, JobView] = {}
        self.live = LiveQueue(self)

    def begin(self) -> None:
        """Let the policy begin, and take over the formula of its ranks, if it has one.

        Raises:
            RefusedError: If a group may not use the whole cluster, GPUs are of several kinds, or
                servers have outages, and the policy ignores that.
        """
        reason = unserved(
            self.instance,
            obeys_most=self.policy.obeys_most,
            knows_kinds=self.policy.knows_kinds,
            follows_outages=self.policy.follows_outages,
        )
        if reason is not None:
            raise RefusedError(reason)
        self.policy.begin(self.setting)
        if not self.rules.decides:
            kind, by_gpus, thresholds, factors = self.policy.formula()
            self.rules = self.rules._replace(formula=kind, by_gpus=by_gpus)
            self.data = self.data._replace(thresholds=np.array(thresholds, dtype=np.float64))
            if factors is not None:
                points = np.array(factors.points(self.instance), np.float64)
                self.data = self.data._replace(
                    weights=np.array(factors[:4], np.float64), points=points
                )
            self.engine = self.engine._replace(data=self.data, rules=self.rules)

    def view(self, number: int) -> Any:
        """Return a job as the policy may see it."""
        if number not in self._views:
            self._views[number] = self._new_view(number)
        return self._views[number]

    def _new_view(self, number: int) -> JobView:
        job = self._phases[number][0].job if self._phases else self.instance.jobs[number]
        losses, left = self._losses, self._left
        known = number, job, int(self.data.reach[number]), self.setting, self.lives
        if self.policy.information == PREDICTED:
            ticks = whole_ticks(self.instance, job.predicted_s or job.duration_s)
            return PredictedJobView(*known, losses, predicted=ticks)
        if self.policy.information == ESTIMATES:
            return EstimatedJobView(*known, losses, limit=int(self.data.limits[number]))
        if self.policy.information != FULL:
            return JobView(*known, losses)
        return KnownJobView(
            *known, losses, left=left.of, duration=whole_ticks(self.instance, job.duration_s)
        )

    def turn_views(self) -> None:
        """Give the views of jobs that have entered a phase its speeds."""
        if not self._phases:
            return
        present = self.trace.phase - self.data.phase_first[:-1]
        for number, view in self._views.items():
            if view.phase != present[number]:
                phase = int(present[number])
                view.enter_phase(self._phases[number][phase].job, phase, self.setting.kinds)

    def tidy(self) -> None:
        """Forget the views of jobs that are done."""
        status = self.trace.lives["status"]
        for number in [number for number in self._views if status[number] == DONE]:
            del self._views[number]

    def crowded(self) -> bool:
        """Return True if more than half of the log is needed."""
        trace, counts = self.trace, self.trace.counts[0]
        entries, pieces = 2 * counts["logged"], 2 * counts["pieced"]
        return bool(entries > trace.log.size or pieces > trace.servers.size)

    def make_room(self) -> None:
        """Forget runs, if that is allowed, or double the room of the log."""
        if not self.keep:
            forget(self.trace)
        if self.keep or self.crowded():
            self.trace = enlarged(self.trace)
            self.engine = self.engine._replace(trace=self.trace)
            self.cluster = ClusterView(self.model, self.state, self.trace, self.data.server_kind)


class LiveQueue:
    """The jobs that have arrived and are not done: those with fewer servers first, then by number.

    Only arrivals and ends change it, so that a decision costs little beside waiting jobs.
    """

    def __init__(self, run: PolicyRun) -> None:
        """Start empty."""
        self._run, self._arrived = run, 0
        levels, jobs = run.trace.lives["level"], run.trace.lives.size
        self.rank: list[int] = (levels * jobs + np.arange(jobs)).tolist()
        """The place of each job in relation to others."""
        self._ranks, self._jobs, self._numbers = list[int](), list[Any](), set[int]()

    def __contains__(self, number: object) -> bool:
        """Return True if a job has arrived and is not done."""
        return number in self._numbers

    def update(self, ended: list[int]) -> LiveJobs:
        """Return the jobs after some have ended and others have arrived."""
        for number in ended:
            at = bisect_left(self._ranks, self.rank[number])
            del self._ranks[at], self._jobs[at]
            self._numbers.remove(number)
        first, self._arrived = self._arrived, self._run.counts["arrived"][0]
        arrived = [
            self._run.view(j) for j in self._run.data.arrivals[first : self._arrived].tolist()
        ]
        for job in arrived:
            at = bisect_left(self._ranks, self.rank[job.number])
            self._ranks.insert(at, self.rank[job.number])
            self._jobs.insert(at, job)
            self._numbers.add(job.number)
        return LiveJobs(self._jobs, arrived, ended)


def _law(instance: TraceInstance) -> NDArray[np.float64]:
    """Return the sorted GPU-ticks of past jobs, or of the instance's jobs."""
    tick = float(instance.tick_s)
    known = instance.law or tuple(job.gpus * job.duration_s for job in instance.jobs)
    return np.sort(np.array([float(seconds) / tick for seconds in known]))
