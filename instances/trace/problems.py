"""Problems of groups and outages, which involve several fields of an instance."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ..errors import Problem, unknown
from ..reading.vocabulary import repeats, tick_problems
from . import MOST_TICKS, TraceInstance


def group_problems(instance: TraceInstance) -> Iterator[Problem]:
    """Yield problems of quotas and limits of groups."""
    if not instance.groups:
        return
    yield from repeats("groups", [group.name for group in instance.groups])
    quotas = 0
    for k, group in enumerate(instance.groups):
        quotas += group.quota
        if quotas - group.quota <= instance.gpus < quotas:
            room = instance.gpus - (quotas - group.quota)
            expected = f"at most {room}, so that all quotas fit into {instance.gpus} GPUs"
            yield Problem(f"groups[{k}].quota", group.quota, expected, "lower some quotas")
        if group.most is not None and group.quota > group.most:
            expected = f"at most {group.most}, the most of group {group.name!r}"
            yield Problem(f"groups[{k}].quota", group.quota, expected, "lower it or raise most")
    most = {group.name: group.most for group in instance.groups}
    for i, job in enumerate(instance.jobs):
        if job.group is not None and job.group not in most:
            yield unknown(f"jobs[{i}].group", job.group, most, "add it to the groups")
        limit = most.get(job.group or "")
        if limit is not None and job.gpus > limit:
            expected = f"at most {limit}, the most of group {job.group!r}"
            yield Problem(f"jobs[{i}].gpus", job.gpus, expected, "drop the job or raise most")


def outage_problems(instance: TraceInstance) -> Iterator[Problem]:
    """Yield outages of unknown servers and outages that overlap."""
    known, spans = [server.name for server in instance.servers], dict[str, list[Any]]()
    named = set(known)
    for i, outage in enumerate(instance.outages):
        if outage.server not in named:
            yield unknown(f"outages[{i}].server", outage.server, known, "correct it")
        for name in ("from_s", "until_s"):
            yield from tick_problems(
                f"outages[{i}].{name}", getattr(outage, name), instance.tick_s, MOST_TICKS
            )
        if outage.until_s <= outage.from_s:
            expected = f"more than {outage.from_s}, its from_s"
            yield Problem(f"outages[{i}].until_s", outage.until_s, expected, "correct one")
        spans.setdefault(outage.server, []).append((outage.from_s, i))
    for server, own in spans.items():
        own.sort()
        for (_, i), (start, k) in pairwise(own):
            until = instance.outages[i].until_s
            if start < until:
                expected = f"at least {until}, because outages[{i}] of {server!r} ends then"
                yield Problem(f"outages[{k}].from_s", start, expected, "merge the two")
