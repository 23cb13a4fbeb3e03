"""Output of `ringyard show` for jobs on a cluster: `makespan`, `online`, `reserved`, `trace`.

Also the waits that `ringyard solve` prints for a trace.
"""

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ...families.family import VerdictTexts
from ...instances.errors import plural, visible
from ...instances.reading.encode import as_number, exact_text, plain
from ..shared.output import cell, say, show_rows, show_table, timed
from ..shared.verdicts import exact_texts
from . import mix, quantiles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...analysis.check.trace import TraceVerdict
    from ...instances import (
        MakespanInstance,
        OnlineInstance,
        RackServer,
        ReservedInstance,
        Server,
        TraceInstance,
    )
    from ...instances.trace import JobGroup, TraceJob

MAKESPAN_TEXTS = VerdictTexts(
    parts=lambda verdict: {
        "mean_completion": as_number(verdict.mean_completion),
        "mean_completion_exact": exact_text(verdict.mean_completion),
        "ends": exact_texts(verdict.ends),
    },
    beside=lambda verdict: ("mean end", _mean(verdict)),
    rest=lambda verdict: f", mean end {cell(verdict.mean_completion)} slots",
)


def _mean(verdict: Any) -> str:
    mean = verdict.mean_completion
    return "-" if mean is None else f"{float(mean):.2f} slots"


def _show_makespan_cluster(problem: "MakespanInstance") -> None:
    """Print servers, bandwidths and contention."""
    servers = problem.cluster.servers
    size = f"{plural(len(servers), 'server')}, {plural(sum(s.gpus for s in servers), 'GPU')}"
    say(f"cluster: {size} ({mix(server.gpus for server in servers)})")
    net = problem.cluster
    reducing = (
        f"reducing at {net.reduce_gb_s} GB/s" if net.reduce_gb_s else "reducing takes no time"
    )
    say(
        f"  {net.intra_bandwidth_gb_s} GB/s inside a server, {net.inter_bandwidth_gb_s} GB/s "
        f"between servers, {reducing}"
    )
    _show_kinds(servers)
    uplinks = Counter(server.uplink for server in servers)
    if len(uplinks) > 1:
        counts = (f"{width} of it on {plural(n, 'server')}" for width, n in uplinks.items())
        say(f"  uplinks: {', '.join(counts)}")
    regions = Counter(server.region for server in servers if server.region)
    if regions:
        gpus = {name: sum(s.gpus for s in servers if s.region == name) for name in regions}
        places = (
            f"{name} ({plural(n, 'server')}, {plural(gpus[name], 'GPU')})"
            for name, n in regions.items()
        )
        say(f"  regions {', '.join(places)}")
    say(f"  contention {_fields(problem.contention)}")
    say(
        f"  progress {problem.progress}, slots of {problem.slot_s} s, "
        f"overhead {problem.overhead} x {problem.overhead_s} s"
    )


def _fields(contention: Any) -> str:
    parts = plain(contention)
    model = parts.pop("model")
    shown = [f"{k} {len(v) if isinstance(v, list) else v}" for k, v in parts.items()]
    return f"{model}: " + ", ".join(shown)


def show_rings(problem: "MakespanInstance", most: int) -> None:
    """Print the cluster, the mix of jobs, and the first of them."""
    from ...simulation.makespan.evaluate import extremes

    _show_makespan_cluster(problem)
    say(f"jobs: {len(problem.jobs)}, GPUs ({mix(job.gpus for job in problem.jobs)})")
    bound, kinds = any(job.allowed_regions for job in problem.jobs), problem.kinds
    begun = any(job.held for job in problem.jobs)
    rows = [
        [
            job.name,
            job.gpus,
            job.iterations,
            extreme.least_slots,
            extreme.most_slots,
            float(job.release_slot),
            *([", ".join(k for k in kinds if k and job.speed_on(k))] if len(kinds) > 1 else []),
            *([", ".join(job.allowed_regions or ("any",))] if bound else []),
            *([", ".join(f"{s}:{n}" for s, n in job.held or ())] if begun else []),
        ]
        for job, extreme in list(zip(problem.jobs, extremes(problem), strict=True))[:most]
    ]
    heads = ["  job", "gpus", "iterations", "fastest", "slowest", "release"]
    heads += ["kinds"] * (len(kinds) > 1)
    heads += ["regions"] * bound + ["held"] * begun
    show_rows(heads, rows, len(problem.jobs))


ONLINE_TEXTS = VerdictTexts(
    parts=lambda verdict: {
        "completions": dict(verdict.completions),
        "utilities": exact_texts(verdict.utilities),
    },
    beside=lambda verdict: ("completed", f"{plural(len(verdict.completions), 'job')}"),
    rest=lambda verdict: f" of {len(verdict.completions)} completed jobs",
)


def _show_online_cluster(problem: "OnlineInstance") -> None:
    """Print machines and their total resources."""
    machines = problem.machines
    hosts = Counter(machine.hosts for machine in machines)
    roles = {"both": "", "workers": " for workers only", "servers": " for parameter servers only"}
    whose = ", ".join(f"{count}{roles[host]}" for host, count in hosts.items())
    say(f"machines: {len(machines)} ({whose})" if set(hosts) != {"both"} else f"machines: {whose}")
    regions = Counter(machine.region for machine in machines)
    if set(regions) != {None}:
        places = (f"{count} in {name or 'no region'}" for name, count in regions.items())
        say(f"  {', '.join(places)}")
    _show_resources(problem)
    say(f"time: {plural(problem.horizon_slots, 'slot')} of {problem.slot_s} s")


def _show_resources(problem: "OnlineInstance | ReservedInstance") -> None:
    """Print the amount of each resource."""
    for resource in problem.resources:
        amounts = [dict(machine.capacity).get(resource, 0) for machine in problem.machines]
        say(f"  {resource}: {sum(amounts)}, from {min(amounts)} to {max(amounts)} per machine")


def show_online(problem: "OnlineInstance", most: int) -> None:
    """Print the machines, the utilities of jobs, and the first of them."""
    from ...search.online.bounds import optimistic_values

    _show_online_cluster(problem)
    kinds = mix((job.utility.model for job in problem.jobs), " ")
    say(f"jobs: {len(problem.jobs)} ({kinds})")
    bound = any(job.allowed_regions for job in problem.jobs)
    rows = [
        [
            best.job.name,
            best.job.arrival_slot,
            best.job.work,
            best.job.batch_samples,
            float(best.job.rate(True, problem.slot_s)),
            float(best.job.rate(False, problem.slot_s)),
            best.slots,
            float(best.worth),
            *([", ".join(best.job.allowed_regions or ("any",))] if bound else []),
        ]
        for best in optimistic_values(problem)[:most]
    ]
    heads = ["  job", "arrives", "samples", "workers", "inside/slot", "across/slot"]
    heads += ["least slots", "most utility"] + ["regions"] * bound
    show_rows(heads, rows, len(problem.jobs))


RESERVED_TEXTS = VerdictTexts(
    parts=lambda verdict: {"gains": exact_texts(verdict.gains)},
    beside=lambda verdict: ("working", f"{len(verdict.gains)} rings"),
    rest=lambda verdict: f" of {len(verdict.gains)} rings",
)


def _show_reserved_cluster(problem: "ReservedInstance") -> None:
    """Print machines, their total resources, and their links."""
    machines = problem.machines
    say(f"machines: {len(machines)}, racks: {len(problem.racks)}")
    _show_resources(problem)
    say(f"  uplinks of machines: {_links([machine.uplink_gb_s for machine in machines])}")
    if problem.racks:
        say(f"  uplinks of racks: {_links([rack.uplink_gb_s for rack in problem.racks])}")
    say(f"time: {plural(problem.horizon_slots, 'slot')}")


def _links(limits: list[Decimal | None]) -> str:
    known = [limit for limit in limits if limit is not None]
    if not known:
        return "without limit"
    free = len(limits) - len(known)
    return f"from {min(known)} to {max(known)} GB/s" + (f", {free} without limit" if free else "")


def show_reserved(problem: "ReservedInstance", most: int) -> None:
    """Print machines, shapes of gains, and the first rings with their largest gains."""
    from ...search.reserved.bounds import most_worker_slots

    _show_reserved_cluster(problem)
    shapes = mix((job.gain.shape for job in problem.jobs), " ")
    say(f"rings: {len(problem.jobs)} ({shapes})")
    rows = [
        [
            job.name,
            job.arrival_slot,
            job.most_workers,
            float(job.reserved_gb_s),
            float(job.progress_per_worker_slot),
            count,
            float(job.worth(count)),
        ]
        for job, count in list(zip(problem.jobs, most_worker_slots(problem), strict=True))[:most]
    ]
    heads = ["  ring", "arrives", "workers", "GB/s", "progress/worker-slot"]
    show_rows([*heads, "most worker-slots", "most gain"], rows, len(problem.jobs))


TRACE_TEXTS = VerdictTexts(
    parts=lambda verdict: {"ends": exact_texts(verdict.ends)},
    beside=lambda verdict: ("ended", f"{plural(len(verdict.ends), 'job')}"),
    rest=lambda verdict: f", {plural(len(verdict.ends), 'job')} ended",
)


def _show_trace_cluster(problem: "TraceInstance") -> None:
    """Print servers and racks, time, costs and contention."""
    racks = len({server.rack for server in problem.servers})
    say(
        f"cluster: {plural(len(problem.servers), 'server')}, {plural(problem.gpus, 'GPU')} "
        f"({mix(server.gpus for server in problem.servers)}), {plural(racks, 'rack')}"
    )
    say(
        f"  ticks of {problem.tick_s} s, a restart costs {problem.restart_s} s, or "
        f"{problem.resume} s on the same GPUs"
    )
    _show_kinds(problem.servers)
    _show_regions(problem)
    say(f"  contention {'none' if problem.contention is None else _fields(problem.contention)}")


def _show_kinds(servers: "Iterable[Server | RackServer]") -> None:
    """Print the kinds of GPUs, if there are any."""
    sizes: dict[str | None, list[int]] = {}
    for server in servers:
        sizes.setdefault(server.gpu, []).append(server.gpus)
    if None not in sizes:
        counts = (
            f"{sum(own)} {kind} on {plural(len(own), 'server')}" for kind, own in sizes.items()
        )
        say(f"  kinds of GPUs: {', '.join(counts)}")


def _show_regions(problem: "TraceInstance") -> None:
    """Print the regions of servers, if they have any."""
    gpus: Counter[str] = Counter()
    for server in problem.servers:
        gpus[server.region or "none"] += server.gpus
    if any(server.region for server in problem.servers):
        counts = ", ".join(f"{region} {count} GPUs" for region, count in sorted(gpus.items()))
        say(f"  regions: {counts}")


MOST_GROUPS = 5


def show_trace(problem: "TraceInstance", most: int) -> None:
    """Print the cluster, the mix of jobs, the arriving work, and the first jobs."""
    from ...instances.trace import in_first_phase, named_types

    _show_trace_cluster(problem)
    jobs = problem.jobs
    say(f"jobs: {len(jobs)}, GPUs ({mix(job.gpus for job in jobs)})")
    first, last = min(job.arrival_s for job in jobs), max(job.arrival_s for job in jobs)
    work = float(sum(job.gpus * (job.duration_s - job.done_s) for job in jobs))
    there = float(last - first) * problem.gpus
    load = f", {100 * work / there:.0f} % of the cluster's capacity in that time" if there else ""
    say(f"  arrive from {first} s to {timed(last)} and need {work:,.0f} GPU-seconds{load}")
    say(f"  durations in s, at {quantiles(job.duration_s for job in jobs)}")
    kinds, types = _kinds(problem), named_types(problem)
    alike = [in_first_phase(types, job) for job in jobs]
    for words, count in (
        ("may share their GPUs", sum(job.packed_speed is not None for job in jobs)),
        ("may use other numbers of GPUs", sum(_widths(job) > 1 for job in alike)),
        ("run on one kind of GPUs only", sum(len(own) == 1 for own in kinds)),
        ("go through phases", sum(job.type is not None for job in jobs)),
        ("have a loss curve", sum(job.curve is not None for job in jobs)),
        ("are restricted to some regions", sum(job.allowed_regions is not None for job in jobs)),
        ("have begun before time 0", sum(job.begun for job in jobs)),
        ("hold GPUs at time 0", sum(job.held is not None and not job.stopped for job in jobs)),
        ("have a priority other than 0", sum(bool(job.priority) for job in jobs)),
        ("have a time limit", sum(job.limit_s is not None for job in jobs)),
        ("have a deadline", sum(job.due_s is not None for job in jobs)),
        ("have a wait in the log", sum(job.waited_s is not None for job in jobs)),
    ):
        if count:
            say(f"  {count} {words}")
    for one in problem.types[:MOST_GROUPS]:
        shares = ", ".join(f"{float(100 * phase.share):.3g} %" for phase in one.phases)
        count = sum(job.type == one.name for job in jobs)
        say(f"  type {one.name}: {plural(count, 'job')}, phases of {shares}")
    if len(problem.types) > MOST_GROUPS:
        say(f"  and {plural(len(problem.types) - MOST_GROUPS, 'more type')}")
    if any(job.group for job in jobs):
        groups = Counter(job.group or "none" for job in jobs).most_common(MOST_GROUPS)
        counts = (f"{name} {plural(count, 'job')}" for name, count in groups)
        say(f"  largest groups: {', '.join(counts)}")
    if problem.groups:
        some = "; ".join(map(_claims, problem.groups[:MOST_GROUPS]))
        more = len(problem.groups) - MOST_GROUPS
        say(f"groups: {some}" + (f"; and {more} more" if more > 0 else ""))
    if problem.outages:
        known = sum(outage.known for outage in problem.outages)
        gpus = {server.name: server.gpus for server in problem.servers}
        times = (gpus[one.server] * (one.until_s - one.from_s) for one in problem.outages)
        out_s = sum(times, Decimal(0))
        saves = f"checkpoints after {problem.checkpoint_s} s" if problem.checkpoint_s else "no loss"
        say(f"outages: {len(problem.outages)}, {known} known, {_short(out_s)} GPU-seconds, {saves}")
    bound = any(job.allowed_regions for job in jobs)
    rows = [
        [
            job.name,
            _short(job.arrival_s),
            job.gpus,
            _short(job.duration_s),
            job.model,
            float(job.communication),
            *([", ".join(kinds[i])] if kinds else []),
            *([", ".join(job.allowed_regions or ("any",))] if bound else []),
        ]
        for i, job in enumerate(jobs[:most])
    ]
    head = ["  job", "arrives", "gpus", "duration", "model", "communication"]
    head += ["kinds of GPUs"] * bool(kinds)
    show_rows(head + ["regions"] * bound, rows, len(jobs))


def _widths(job: "TraceJob") -> int:
    """Return how many numbers of GPUs a job may run on."""
    return len({job.gpus, *(entry.gpus for entry in job.speeds)})


def _kinds(problem: "TraceInstance") -> list[list[str]]:
    """Return the kinds on which each job may run, first the requested one, or none for one kind."""
    if len(problem.kinds) == 1:
        return []
    from ...instances.trace.kinds import reach_by_kind

    names = [str(kind) for kind in problem.kinds]
    return [
        [names[k] for _, k in sorted(own, key=lambda row: problem.kinds[row[1]] != job.gpu)]
        for job, own in zip(problem.jobs, reach_by_kind(problem).rows, strict=True)
    ]


def _claims(group: "JobGroup") -> str:
    """Return the part of the cluster that a group may have."""
    most = "" if group.most is None else f", at most {group.most}"
    return f"{group.name} share {group.share}, quota {group.quota}{most}"


def _short(seconds: Decimal) -> int | float:
    return int(seconds) if seconds == int(seconds) else float(seconds)


def show_waits(instance: "TraceInstance", verdict: "TraceVerdict") -> None:
    """Print the waits of all jobs, and a table of parts if the jobs come from a log."""
    from ...analysis.trace import metrics_of
    from ...analysis.trace.parts import longest_wait, metrics_by, part_table, time_texts

    found = metrics_by(instance, verdict)
    every = found[0]
    names = ("mean", "median", "p95", "p99")
    waits = time_texts([getattr(every, f"{name}_wait_s") for name in names])
    said = (f"{name} {wait}" for name, wait in zip(names, waits, strict=True))
    say(f"  wait      {', '.join(said)}")
    metrics = metrics_of(instance, verdict)
    if metrics.group_fairness is not None:
        index = float(metrics.group_fairness)
        say(f"  groups    Jain's index of GPU-time over shares {index:.3f}, while jobs arrive")
    if any(job.group or job.waited_s is not None for job in instance.jobs):
        say()
        show_table(part_table(found, f"Waits in {instance.title or instance.name}"))
    if longest := longest_wait(found):
        say(f"Group {visible(longest[0].name)} waits longest: {longest[1]}.")
