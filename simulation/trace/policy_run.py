"""One simulation under way: the arrays, and what its policy may see of them."""

from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from ...instances import LossCurve, TraceInstance
from ..model import Model, Records
from ..state import State
from .build import UNITS, build_data, build_model, build_state, build_trace, whole_ticks
from .placement.place import PLACEMENTS
from .records import DONE, RUNNING, Rules, TraceEngine
from .service import Service
from .views import FULL, NONE, ClusterView, JobView, KnownJobView, TracePolicy, TraceSetting


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
"""The curve of a job that has none."""


class Losses:
    """What can be read off the logs of jobs so far."""

    def __init__(
        self, instance: TraceInstance, left: ProgressLookup, noise: float, seed: int
    ) -> None:
        """Keep the curves; `noise` is the standard deviation as a part of the loss."""
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
        law = None if policy.information == NONE else _law(instance)
        self.setting = TraceSetting(instance, self.trace.counts, law, service.interval)
        self._views: dict[int, JobView] = {}

    @property
    def engine(self) -> TraceEngine:
        """All arrays, as they are now: the log grows."""
        return TraceEngine(self.model, self.state, self.trace, self.data, self.rules)

    @property
    def cluster(self) -> ClusterView:
        """Who holds what."""
        return ClusterView(self.model, self.state, self.trace)

    def view(self, number: int) -> Any:
        """Return a job as the policy may see it."""
        if number not in self._views:
            self._views[number] = self._new_view(number)
        return self._views[number]

    def _new_view(self, number: int) -> JobView:
        job, life = self.instance.jobs[number], self.trace.lives[number]
        reach, losses, left = int(self.data.reach[number]), self._losses, self._left

        def report() -> list[tuple[int, float]]:
            return losses.of(number)

        if self.policy.information != FULL:
            return JobView(number, job, reach, self.setting, life, report)
        ticks = whole_ticks(self.instance, job.duration_s)
        return KnownJobView(
            number, job, reach, self.setting, life, report, lambda: left.of(number), ticks
        )

    def tidy(self) -> None:
        """Forget the views of jobs that are done."""
        status = self.trace.lives["status"]
        for number in [number for number in self._views if status[number] == DONE]:
            del self._views[number]

    def crowded(self) -> bool:
        """Say whether more than half of the log is needed."""
        trace, counts = self.trace, self.trace.counts[0]
        entries, pieces = 2 * counts["logged"], 2 * counts["pieced"]
        return bool(entries > trace.log.size or pieces > trace.servers.size)


def _law(instance: TraceInstance) -> NDArray[np.float64]:
    """Return the sorted GPU-ticks of past jobs, or of those of the instance."""
    tick = float(instance.tick_s)
    known = instance.law or tuple(job.gpus * job.duration_s for job in instance.jobs)
    return np.sort(np.array([float(seconds) / tick for seconds in known]))
