"""User-defined functions and policies for `trace`.

A policy is a function that returns a job's priority as a number or a tuple: the least runs first,
None does not run now. It is called for every job at each event. Classes of `Ranker` and
`TraceDecider` are policies, too.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from ..instances import Outcome, RefusedError, TraceInstance
from ..instances.errors import InputError, MethodError, Words
from ..policies.request import Request
from ..policies.trace.serve import ServiceOptions, serve
from ..simulation.trace.views import (
    DISTRIBUTION,
    ESTIMATES,
    FULL,
    NONE,
    PREDICTED,
    ClusterView,
    GrantedGpus,
    JobView,
    Ranker,
    TraceDecider,
    TraceSetting,
)
from .calling import Call

POLICY = {
    "job": "a job that has arrived: see `JobView`, or with information='estimates', 'predicted' "
    "or 'full' `EstimatedJobView`, `PredictedJobView` or `KnownJobView`",
    "now": "the tick",
    "setting": "the cluster, see `TraceSetting`",
}
"""Further parameters of a policy. The instance is not available."""

CLASSES = True
"""True if a class is a policy."""

OPTIONS = ServiceOptions
"""Options of every policy in addition to its own: placement of jobs, time of serving the queue."""

TRAITS: dict[str, Any] = {"information": NONE, "preempts": True, "overtakes": True}
"""Knowledge of lengths (`none`, `estimates`, `distribution`, `predicted`, `full`). True if running
jobs are preempted for jobs of higher priority. True if jobs may overtake one that does not fit."""


SKELETON = '''
@policy("trace")
def NAME(job, now, setting, patience_s: float = 3600.0):
    """The least service first, after jobs that have waited for too long."""
    if not job.running and (now - job.waiting_since) * setting.tick_s > patience_s:
        return 0, job.waiting_since
    return 1, job.attained
'''


def run_policy(
    instance: TraceInstance, request: Request[Any], call: Call, seen: dict[str, Any]
) -> Outcome:
    """Run a policy to the end of all jobs."""
    policy: Any
    if not call.is_class:
        if "instance" in call.asks.values():
            found = Words("instance")
            expected = "job, now and setting, because the instance has the lengths of jobs"
            raise InputError.of(call.label, "parameter", found, expected, "leave it out")
        policy = _Ordered(call, {**TRAITS, **call.traits}, seen, request.options)
    else:
        policy = call({}, request.options)
        if not isinstance(policy, Ranker | TraceDecider):
            raise call.error(policy, "a Ranker or a TraceDecider")
    try:
        with call.guarded():
            return serve(instance, request.limits, call.label, policy, request.options)
    except RefusedError as error:
        raise MethodError(f"{call.label}: {str(error).partition(';')[0]}") from error


class _Ordered(TraceDecider):
    """Run jobs in the order of a function's values."""

    obeys_most = knows_kinds = follows_outages = True

    def __init__(
        self, call: Call, traits: Mapping[str, Any], seen: Mapping[str, Any], options: Any
    ) -> None:
        levels = (NONE, ESTIMATES, DISTRIBUTION, PREDICTED, FULL)
        if traits["information"] not in levels:
            expected = f"one of {', '.join(levels)}"
            raise InputError.of(
                call.label, "information", traits["information"], expected, "name one"
            )
        self.information = traits["information"]
        self._stops, self._past = traits["preempts"], traits["overtakes"]
        self._call, self._seen, self._options = call, seen, options

    def begin(self, setting: TraceSetting) -> None:
        """Store the cluster."""
        self._setting = setting
        self._most = {group.name: group.most for group in setting.groups if group.most}

    def decide(self, jobs: Sequence[JobView], cluster: ClusterView) -> Mapping[int, GrantedGpus]:
        """Run the first jobs that fit together."""
        running = [] if self._stops else [job for job in jobs if job.running]
        held = {job.number: GrantedGpus(job.gpus) for job in running}
        free = int(cluster.gpus.sum()) - sum(job.gpus for job in running)
        used = Counter[str | None]()
        for job in running:
            used[job.group] += job.gpus
        for _, job in sorted(self._keyed([job for job in jobs if job.number not in held])):
            if used[job.group] + job.gpus > self._most.get(job.group, inf):
                continue
            if job.gpus <= free:
                held[job.number] = GrantedGpus(job.gpus)
                free -= job.gpus
                used[job.group] += job.gpus
            elif not self._past:
                break
        return held

    def _keyed(self, jobs: Sequence[JobView]) -> "list[tuple[Any, Any]]":
        found = []
        for job in jobs:
            seen = {**self._seen, "job": job, "now": self._setting.now, "setting": self._setting}
            key = self._call(seen, self._options)
            if key is None:
                continue
            key = key if isinstance(key, tuple) else (key,)
            if not all(hasattr(part, "__float__") and part == part for part in key):
                raise self._call.error(key, f"a number or a tuple of them for job {job.name!r}")
            found.append(((key, job.number), job))
        return found
