"""Random groups, priorities, time limits and deadlines of jobs, as the options of a mix say."""

from bisect import bisect_right
from dataclasses import replace
from decimal import Decimal
from itertools import accumulate
from math import ceil
from random import Random
from typing import Any

from . import JobGroup, TraceInstance, TraceJob


def with_labels(instance: TraceInstance, mix: Any, seed: int) -> TraceInstance:
    """Draw groups, priorities, time limits and deadlines from random numbers of their own."""
    if mix.groups == mix.priorities == 1 and mix.overestimate is None and mix.slack is None:
        return instance
    rng, tick = Random(f"labels {seed}"), instance.tick_s
    names = [f"group{k}" for k in range(min(mix.groups, len(instance.jobs)))]
    sums = list(accumulate(1 / (k + 1) for k in range(len(names))))

    def longer(job: TraceJob, most: Decimal | None, part: float) -> Decimal | None:
        ticks = float(job.duration_s / tick) * (1 + part * float(most or 0))
        return None if most is None else ceil(ticks) * tick

    jobs = []
    for job in instance.jobs:
        parts = [rng.random() for _ in range(4)]
        jobs.append(
            replace(
                job,
                group=names[bisect_right(sums, parts[0] * sums[-1])] if mix.groups > 1 else None,
                priority=int(parts[1] * mix.priorities),
                limit_s=longer(job, mix.overestimate, parts[2]),
                due_s=longer(job, mix.slack, parts[3]),
            )
        )
    return _with_groups(replace(instance, jobs=tuple(jobs)), mix, names)


def _with_groups(instance: TraceInstance, mix: Any, names: list[str]) -> TraceInstance:
    """Give the groups quotas and the number of GPUs that they never exceed."""
    if mix.groups == 1 or (mix.quota is None and mix.most is None):
        return instance
    quota = int(instance.gpus * (mix.quota or 0) / len(names))
    widest = dict.fromkeys(names, quota)
    for job in instance.jobs:
        widest[job.group or ""] = max(widest[job.group or ""], job.gpus)
    part = None if mix.most is None else round(mix.most * instance.gpus / len(names))
    groups = (
        JobGroup(name=name, quota=quota, most=None if part is None else max(1, part, widest[name]))
        for name in names
    )
    return replace(instance, groups=tuple(groups))
