"""One simulation under way: the arrays, and what its policy may see of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...instances import TraceInstance
from .build import build_data, build_model, build_state, build_trace, whole_ticks
from .losses import Losses
from .placement.place import PLACEMENTS
from .progress_lookup import ProgressLookup
from .records import DONE, Rules
from .service import Service
from .views import FULL, NONE, ClusterView, JobView, KnownJobView, TracePolicy, TraceSetting


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
