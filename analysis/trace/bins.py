"""The four kinds of job that the evaluation of Tiresias tells apart (Gu et al., NSDI 2019)."""

from collections.abc import Callable

from ...instances.trace.instance import TraceJob

SMALL_GPUS = 4
"""A job is small that asks for no more GPUs than a machine of the testbed has."""

SHORT_S = 800
"""A job is short that takes less time alone, in seconds."""


def is_small(job: TraceJob) -> bool:
    """Say whether a job asks for few GPUs."""
    return job.gpus <= SMALL_GPUS


def is_short(job: TraceJob) -> bool:
    """Say whether a job takes little time."""
    return job.duration_s < SHORT_S


BINS: dict[str, Callable[[TraceJob], bool]] = {
    "small-short": lambda job: is_small(job) and is_short(job),
    "small-long": lambda job: is_small(job) and not is_short(job),
    "large-short": lambda job: not is_small(job) and is_short(job),
    "large-long": lambda job: not is_small(job) and not is_short(job),
}
"""Which jobs belong to each kind; every job to one."""
