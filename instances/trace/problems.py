"""Problems of groups, types, outages, and of jobs that have begun before time 0.

They are in a file below the instances whose fields they compare.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ..errors import Problem, Words, unknown
from ..reading.vocabulary import repeats, tick_problems
from ..regions import may_run

MOST_TICKS = 10**9
"""Longest duration of a job alone, and latest arrival, in ticks."""

WORK = 10**6
"""Work of a tick at full speed."""


def group_problems(instance: Any) -> Iterator[Problem]:
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


def type_problems(instance: Any) -> Iterator[Problem]:
    """Yield problems of types: their names, the shares of their phases, and the GPUs they name."""
    known = [one.name for one in instance.types]
    yield from repeats("types", known)
    for k, one in enumerate(instance.types):
        shares = sum(Fraction(phase.share) for phase in one.phases)
        if shares != 1:
            found = Words(f"shares that add up to {float(shares):.12g}")
            yield Problem(f"types[{k}].phases", found, "1 in all", "correct one of them")
        own = [Counter((width.gpus, width.gpu) for width in phase.speeds) for phase in one.phases]
        for i, counts in enumerate(own):
            if counts != own[0] or max(counts.values(), default=0) > 1:
                odd = Counter(counts - own[0] or own[0] - counts or counts).most_common(1)
                gpus, gpu = odd[0][0]
                found = Words(f"{gpus} GPUs{f' of {gpu}' if gpu else ''} {counts[gpus, gpu]} times")
                expected = "each number of GPUs of a kind once, the same in all phases"
                advice = "add or remove a speed"
                yield Problem(f"types[{k}].phases[{i}].speeds", found, expected, advice)
    for i, job in enumerate(instance.jobs):
        if job.type is None:
            continue
        if job.type not in known:
            yield unknown(f"jobs[{i}].type", job.type, known, "add it to the types")
        if job.speeds:
            found = Words(f"{len(job.speeds)} speeds")
            expected = f"none, because type {job.type!r} has them"
            yield Problem(f"jobs[{i}].speeds", found, expected, "leave them out")


def outage_problems(instance: Any) -> Iterator[Problem]:
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


def begun_problems(instance: Any, speed_on: Callable[..., Any]) -> Iterator[Problem]:
    """Yield problems of jobs that have begun, and of GPUs that several of them hold at time 0."""
    servers = {server.name: server for server in instance.servers}
    used, groups = dict.fromkeys(servers, 0), dict[str | None, int]()
    for i, job in enumerate(instance.jobs):
        path = f"jobs[{i}]"
        yield from tick_problems(f"{path}.held_s", job.held_s, instance.tick_s, MOST_TICKS)
        yield from _work_problems(path, job, instance.tick_s)
        if job.held is None:
            for name in ("held_s", *UNSAVED, "stopped"):
                if value := getattr(job, name):
                    yield Problem(f"{path}.{name}", value, "nothing without `held`", "leave it out")
            continue
        yield from _place_problems(path, job, servers, speed_on)
        yield from _unsaved_problems(path, job, instance)
        if job.stopped:
            continue
        each = 1 if job.held_share == "half" else 2
        for name, count in job.held:
            used[name] = used.get(name, 0) + each * count
            if name in servers and used[name] > 2 * servers[name].gpus:
                room = max(0, 2 * servers[name].gpus - used[name] + each * count) // each
                expected = f"at most {room}, because jobs before it hold the others"
                yield Problem(f"{path}.held[{name!r}]", count, expected, "correct one of them")
            groups[job.group] = groups.get(job.group, 0) + each * count
    for k, group in enumerate(instance.groups):
        if group.most is not None and groups.get(group.name, 0) > 2 * group.most:
            expected = f"at least {Decimal(groups[group.name]) / 2}, which its jobs hold at time 0"
            advice = "raise it, or set `stopped` of some jobs"
            yield Problem(f"groups[{k}].most", group.most, expected, advice)


def _work_problems(path: str, job: Any, tick_s: Decimal) -> Iterator[Problem]:
    """Yield why work cannot have been done before time 0."""
    if job.arrival_s and (job.done_s or job.held is not None):
        expected, advice = (
            "0, because the job has begun",
            "correct it, or leave out done_s and held",
        )
        yield Problem(f"{path}.arrival_s", job.arrival_s, expected, advice)
    if job.done_s >= job.duration_s:
        expected = f"less than its duration_s, {job.duration_s}"
        yield Problem(f"{path}.done_s", job.done_s, expected, "leave out jobs that are done")
    if (WORK * Fraction(job.done_s) / Fraction(tick_s)).denominator > 1:
        expected = f"a multiple of {tick_s / WORK:f}, a millionth of tick_s"
        yield Problem(f"{path}.done_s", job.done_s, expected, "round it")


UNSAVED = ("unsaved_s", "unsaved_done_s")


def _unsaved_problems(path: str, job: Any, instance: Any) -> Iterator[Problem]:
    """Yield why work since the last checkpoint cannot be that."""
    tick, every = instance.tick_s, instance.checkpoint_s
    yield from tick_problems(f"{path}.unsaved_s", job.unsaved_s, tick, MOST_TICKS)
    for name in UNSAVED:
        value = getattr(job, name)
        if value and (job.stopped or job.held_s or every is None):
            expected = "0, unless the run goes on at once at time 0 and there is a checkpoint_s"
            yield Problem(f"{path}.{name}", value, expected, "leave it out")
            return
    if job.unsaved_s and job.unsaved_s >= every:
        expected = f"less than checkpoint_s ({every})"
        yield Problem(f"{path}.unsaved_s", job.unsaved_s, expected, "correct it")
    most = done_in_phase(job, instance) if job.unsaved_s else Decimal(0)
    work = WORK * Fraction(job.unsaved_done_s)
    if job.unsaved_done_s > most or (work / Fraction(tick)).denominator > 1:
        expected = (
            f"a multiple of {tick / WORK:f} up to {most}, what is done of its phase, and 0 without "
            "unsaved_s"
        )
        yield Problem(f"{path}.unsaved_done_s", job.unsaved_done_s, expected, "correct it")


def done_in_phase(job: Any, instance: Any) -> Decimal:
    """Return the part of `done_s` that a job did in its present phase, all of it without a type."""
    phases = next((one.phases for one in instance.types if one.name == job.type), ())
    unit = instance.tick_s / WORK
    whole, done, start, share = int(job.duration_s / unit), job.done_s / unit, 0, Fraction(0)
    for phase in phases:
        share += Fraction(phase.share)
        if int(whole * share) > done:
            break
        start = int(whole * share)
    return (done - start) * unit if start else Decimal(job.done_s)


def _place_problems(
    path: str, job: Any, servers: Mapping[str, Any], speed_on: Callable[..., Any]
) -> Iterator[Problem]:
    """Yield why a job cannot have run on the GPUs that it held."""
    held = job.held or ()
    if not held and not job.stopped:
        expected = "GPUs, because it holds them at time 0"
        yield Problem(f"{path}.held", {}, expected, "set `stopped` if they are gone")
    if job.stopped and job.held_s:
        expected = "0, because a stopped job pays resume_s or restart_s"
        yield Problem(f"{path}.held_s", job.held_s, expected, "leave it out")
    if job.held_share == "half" and job.packed_speed is None:
        expected = "'whole', because the job has no packed_speed"
        yield Problem(f"{path}.held_share", job.held_share, expected, "correct it")
    for name, count in held:
        if name not in servers:
            yield unknown(f"{path}.held", name, servers, "correct it")
            return
        if not may_run(job, servers[name]):
            expected = "a server in the regions of the job"
            yield Problem(f"{path}.held", name, expected, "correct it")
        if count > 2 * servers[name].gpus:
            expected = f"at most {servers[name].gpus}, or twice as many halves"
            yield Problem(f"{path}.held[{name!r}]", count, expected, "correct it")
    kinds = {servers[name].gpu for name, _ in held}
    width = sum(count for _, count in held)
    if held and (len(kinds) > 1 or speed_on(job, width, next(iter(kinds))) is None):
        expected = f"GPUs of one kind, {job.gpus} or a number in its `speeds`"
        yield Problem(f"{path}.held", dict(held), expected, "correct it")
