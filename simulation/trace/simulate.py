"""Let a policy run the jobs of a `trace` instance, event by event."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from ...instances import Limits, LossCurve, RefusedError, TraceInstance
from ..model import Model, Records
from ..state import State
from .advance import (
    ASK,
    DECIDE,
    GROW,
    NEVER,
    OVER,
    STUCK,
    advance,
    choose_now,
    here,
    make_room_now,
    start_now,
    stop_now,
)
from .build import UNITS, build_data, build_model, build_state, build_trace, whole_ticks
from .placement import PLACEMENTS
from .records import DONE, HALF, RUNNING, WHOLE, EngineLog, Rules, TraceEngine, enlarged, forget
from .views import (
    FULL,
    NONE,
    PREDICTED,
    ClusterView,
    GrantedGpus,
    JobView,
    KnownJobView,
    PredictedJobView,
    Ranker,
    TraceDecider,
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

    def __init__(self, model: Model, state: State, lives: Records, counts: Records) -> None:
        """Look at the account."""
        self._all, self._runs = model.jobs["iterations"], state.runs
        self._lives, self._counts = lives, counts[0]

    def of(self, number: int) -> float:
        """Return the ticks at full speed that are left of a job."""
        run = self._runs[number]
        left = float(run["remaining"])
        if self._lives[number]["status"] == RUNNING:
            now = int(self._counts["now"])
            left -= float(run["rate"]) * max(0.0, now - float(run["since"]))
        return max(0.0, left) / UNITS

    def done(self, number: int) -> float:
        """Return the part of its work that a job has done."""
        return 1.0 - self.of(number) * UNITS / float(self._all[number])


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
        self._known: dict[int, tuple[Generator, list[tuple[int, float]]]] = {}

    def of(self, number: int) -> list[tuple[int, float]]:
        """Return the epochs that a job has ended, and the loss after each."""
        curve = self._curves[number]
        if number not in self._known:
            self._known[number] = default_rng((self._seed, number)), []
        rng, known = self._known[number]
        ended = int(curve.epochs * self._left.done(number) + 1e-9)
        for epoch in range(len(known) + 1, ended + 1):
            fall = 1.0 / (float(curve.decay) * epoch + float(curve.start))
            loss = fall + float(curve.floor)
            known.append((epoch, loss * (1.0 + self._noise * float(rng.standard_normal()))))
        return list(known)


class PolicyRun:
    """The arrays of a simulation, its policy, and the views that the policy has."""

    def __init__(self, instance: TraceInstance, policy: TracePolicy, service: "Service") -> None:
        """Build everything as it is before the first job comes."""
        self.instance, self.keep = instance, service.keep
        self.policy: Any = policy
        self.model = build_model(instance)
        self.data = build_data(instance, self.model, dict(service.skews))
        self.state, self.trace = build_state(self.model), build_trace(self.model, self.data)
        self.rules = Rules(
            decides=policy.decides,
            preempts=policy.preempts,
            blocks=policy.blocks,
            events=service.events,
            starts=policy.starts,
            wakes=policy.wakes,
            stable=service.stable,
            offers=service.offers,
            interval=service.interval,
            placement=PLACEMENTS[service.placement],
            skewed=service.pack_limit,
            kappa=service.kappa,
        )
        self._left = ProgressLookup(self.model, self.state, self.trace.lives, self.trace.counts)
        self._losses = Losses(instance, self._left, service.noise, service.seed)
        law = None if policy.information in (NONE, PREDICTED) else _law(instance)
        self.setting = TraceSetting(instance, self.trace.counts, law, service.interval)
        self._views: dict[int, JobView] = {}

    @property
    def engine(self) -> TraceEngine:
        """All arrays, in their current state, because the log grows."""
        return TraceEngine(self.model, self.state, self.trace, self.data, self.rules)

    @property
    def cluster(self) -> ClusterView:
        """The GPUs held by each job."""
        return ClusterView(self.model, self.state, self.trace)

    def view(self, number: int) -> Any:
        """Return a job as the policy may see it."""
        if number not in self._views:
            self._views[number] = self._new_view(number)
        return self._views[number]

    def _new_view(self, number: int) -> JobView:
        job, life = self.instance.jobs[number], self.trace.lives[number]
        losses, left = self._losses, self._left
        known = number, job, int(self.data.reach[number]), self.setting, life
        if self.policy.information == PREDICTED:
            ticks = whole_ticks(self.instance, job.predicted_s or job.duration_s)
            return PredictedJobView(*known, lambda: losses.of(number), predicted=ticks)
        if self.policy.information != FULL:
            return JobView(*known, lambda: losses.of(number))
        ticks = whole_ticks(self.instance, job.duration_s)
        return KnownJobView(
            *known, lambda: losses.of(number), left=lambda: left.of(number), duration=ticks
        )

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


def _law(instance: TraceInstance) -> NDArray[np.float64]:
    """Return the sorted GPU-ticks of past jobs, or of the instance's jobs."""
    tick = float(instance.tick_s)
    known = instance.law or tuple(job.gpus * job.duration_s for job in instance.jobs)
    return np.sort(np.array([float(seconds) / tick for seconds in known]))


def carry_out(run: PolicyRun) -> None:
    """Run the policy, stop jobs whose GPUs change, and start the new ones.

    Jobs that may use fewer servers come first, and may displace other jobs.
    """
    trace, cluster = run.trace, run.cluster
    jobs = [run.view(int(number)) for number in trace.order[: here(trace)]]
    holds: Mapping[int, GrantedGpus] = run.policy.decide(jobs, cluster)
    changed = [job for job in jobs if not job.running or not _holds(cluster, job, holds)]
    for job in changed:
        if job.running:
            stop_now(run.model, run.state, trace, job.number)
    for place, job in enumerate(jobs):
        if job.number in holds and not job.running:
            _start(run, place, job.number, holds[job.number])
    trace.counts[0]["again"] = min(NEVER, run.policy.again)
    trace.counts[0]["phase"] = 0


def _holds(cluster: ClusterView, job: Any, holds: Mapping[int, GrantedGpus]) -> bool:
    """Return True if a running job holds the intended GPUs."""
    hold = holds.get(job.number)
    if hold is None or hold.half != cluster.half(job.number) or hold.width != job.width:
        return False
    return hold.pieces is None or dict(hold.pieces) == cluster.pieces(job.number)


def _start(run: PolicyRun, place: int, number: int, hold: GrantedGpus) -> None:
    """Start a job if its GPUs are free, or let it wait if its placement finds none."""
    engine, share = run.engine, HALF if hold.half else WHOLE
    if hold.pieces is None:
        pieces = choose_now(engine, number, hold.width, share)
        if pieces == 0 and len(run.setting.sets) > 1:
            pieces = make_room_now(engine, place, hold.width, share)
    else:
        pieces = len(hold.pieces)
        for k, server in enumerate(sorted(hold.pieces)):
            engine.trace.chosen[k], engine.trace.taken[k] = server, hold.pieces[server]
    if pieces > 0:
        start_now(engine, number, share, pieces)


OFTEN = 1000
"""Stops of the loop between two reports, and between two checks for removable data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceResult:
    """The result of a simulation: everything about every job, and the log of runs."""

    trace: EngineLog
    events: int
    finished: bool
    """True if all jobs are done, False at a time limit."""


def simulate(
    instance: TraceInstance,
    policy: Ranker | TraceDecider,
    service: Service | None = None,
    limits: Limits | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TraceResult:
    """Return the result of a policy. `progress` gets the tick and the number of done jobs.

    Raises:
        RefusedError: If the policy never lets some job run.
    """
    run, limits = PolicyRun(instance, policy, service or Service()), limits or Limits()
    policy.begin(run.setting)
    stops = 0
    while True:
        why = advance(run.engine)
        if why == OVER:
            return _result(run, finished=True)
        if why == STUCK:
            raise RefusedError(_waiting(run))
        if why == GROW:
            _make_room(run)
        elif why == DECIDE:
            carry_out(run)
        elif why == ASK:
            _answer(run)
        stops += 1
        if why == GROW or stops % OFTEN == 0:
            run.tidy()
            if progress is not None:
                progress(int(run.trace.counts[0]["now"]), int(run.trace.counts[0]["finished"]))
        if limits.over():
            return _result(run, finished=False)


def _result(run: PolicyRun, *, finished: bool) -> TraceResult:
    events = int(run.trace.counts[0]["events"])
    return TraceResult(trace=run.trace, events=events, finished=finished)


def _answer(run: PolicyRun) -> None:
    """Write the requested ranks."""
    lives, rank_of = run.trace.lives, run.policy.rank
    for number in run.trace.asked[: run.trace.counts[0]["asked"]].tolist():
        life = lives[number]
        if life["status"] != DONE:
            rank = rank_of(run.view(number))
            life["level"], life["key"], life["slope"] = rank.level, rank.key, rank.slope
            life["until"], life["wake"] = rank.until, rank.wake


def _make_room(run: PolicyRun) -> None:
    if not run.keep:
        forget(run.trace)
    if run.keep or run.crowded():
        run.trace = enlarged(run.trace)


def _waiting(run: PolicyRun) -> str:
    """Return a message that names the jobs that wait for ever."""
    lives = run.trace.lives
    names = [
        job.name
        for job, life in zip(run.instance.jobs, lives, strict=True)
        if life["status"] != DONE
    ]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"the policy never lets {', '.join(names[:3])}{more} run, so choose another placement"
