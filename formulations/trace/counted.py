"""When it is enough to count GPUs: instances in which where a job runs changes nothing."""

from itertools import pairwise

from ...instances import RackLinks, TraceInstance, TraceJob
from .demand import ticks
from .pools import MOST_POOLS, pools


def refuses(instance: TraceInstance) -> str | None:
    """Say why counting GPUs is not enough, or None if it is.

    On one server places are alike. On several they are if no job is slower across servers, and
    also if jobs may move for nothing and their GPUs and those of a server divide one another:
    then they always fit into servers, the largest first, and a larger job has whole servers.
    Where jobs may run in some regions only, GPUs are counted in each of them and in several
    together, and all that are there must be as good; jobs may have to move.
    """
    alike = len(instance.servers) == 1
    elastic = next((job for job in instance.jobs if job.speeds or job.packed_speed), None)
    shared = next((job for job in instance.jobs if job.packed_speed), None)
    if elastic is not None and not free(instance):
        return f"{_job(elastic)} may change its GPUs, and running again is charged: {_ADVICE}"
    if not alike and shared is not None:
        return f"{_job(shared)} may share GPUs, and there are several servers: {_ADVICE}"
    if not alike and ticks(instance, instance.restart_s) != cost(instance):
        return f"running again costs less on the same GPUs than elsewhere: {_ADVICE}"
    bound = len(pools(instance)) > 1
    if bound and not free(instance):
        return f"jobs may run in some regions only, and running again is charged: {_ADVICE}"
    if len(pools(instance)) > MOST_POOLS:
        return f"jobs name regions in more than {MOST_POOLS} ways: {_ADVICE}"
    slower = next((job for job in instance.jobs if job.communication and widest(job) > 1), None)
    if alike or slower is None:
        return None
    if free(instance) and nested(instance) and not _crowded(instance) and not bound:
        return None
    return f"{_job(slower)} is slower across servers: {_ADVICE}"


_ADVICE = "GPUs are counted here, their places are not looked at; take a policy and its bound"


def _job(job: TraceJob) -> str:
    return f"job {job.name!r}"


def cost(instance: TraceInstance) -> int:
    """Return the ticks that running again costs, where places are alike."""
    return ticks(instance, instance.resume)


def free(instance: TraceInstance) -> bool:
    """Say whether jobs may be stopped, moved and run again for nothing."""
    return not (instance.restart_s or instance.resume)


def widest(job: TraceJob) -> int:
    """Return the most GPUs that a job may have."""
    return max(job.gpus, *(width.gpus for width in job.speeds), 0)


def nested(instance: TraceInstance) -> bool:
    """Say whether servers are alike and all numbers of GPUs divide one another."""
    sizes = {server.gpus for server in instance.servers}
    widths = {width.gpus for job in instance.jobs for width in job.speeds}
    chain = sorted(sizes | widths | {job.gpus for job in instance.jobs})
    return len(sizes) == 1 and all(large % small == 0 for small, large in pairwise(chain))


def _crowded(instance: TraceInstance) -> bool:
    """Say whether a job with whole servers can be slower than in its best place."""
    largest = max(server.gpus for server in instance.servers)
    links = isinstance(instance.contention, RackLinks)
    return links and any(widest(job) > largest for job in instance.jobs)
