"""`ringyard show`: the problem in a screenful."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..instances.errors import InputError, Problem
from .output import cell, say, table

if TYPE_CHECKING:
    from ..instances import MakespanInstance


def show_command(
    instance: str, /, *, jobs: int = 12, json: Annotated[bool, Parameter(negative=())] = False
) -> int:
    """Show an instance: cluster, jobs, bounds, best known.

    Parameters
    ----------
    instance
        A name of the catalogue, or a file.
    jobs
        How many jobs to list.
    json
        Print the instance as a ringyard/1 JSON object.
    """
    from ..instances.catalogue import load
    from ..instances.encode import to_text

    if jobs < 0:
        problems = [Problem("--jobs", jobs, "an integer at least 0", "give 0 or more")]
        raise InputError("ringyard show", problems)
    problem = load(instance)
    if json:
        say(to_text(problem).rstrip())
        return 0
    _head(problem)
    _cluster(problem)
    _jobs(problem, jobs)
    _known(problem)
    return 0


def _head(problem: "MakespanInstance") -> None:
    from ..instances import digest

    say(f"{problem.name}: {problem.title}" if problem.title else problem.name)
    say(f"  family {problem.kind}, digest {digest(problem)[:16]}")
    if problem.notes:
        import textwrap

        say(textwrap.fill(problem.notes, 96, initial_indent="  ", subsequent_indent="  "))


def _cluster(problem: "MakespanInstance") -> None:
    servers = problem.cluster.servers
    sizes = Counter(server.gpus for server in servers)
    mix = ", ".join(f"{count} x {size}" for size, count in sorted(sizes.items()))
    say(f"cluster: {len(servers)} servers, {sum(s.gpus for s in servers)} GPUs ({mix})")
    net = problem.cluster
    say(
        f"  {net.intra_bandwidth_gb_s} GB/s inside a server, {net.inter_bandwidth_gb_s} GB/s "
        f"between servers, reducing at {net.reduce_gb_s} GB/s"
    )
    say(f"  contention {_fields(problem.contention)}")
    say(
        f"  progress {problem.progress}, slots of {problem.slot_s} s, "
        f"overhead {problem.overhead} x {problem.overhead_s} s"
    )


def _fields(noun: Any) -> str:
    from ..instances.encode import plain

    parts = plain(noun)
    model = parts.pop("model")
    shown = [f"{k} {len(v) if isinstance(v, list) else v}" for k, v in parts.items()]
    return f"{model}: " + ", ".join(shown)


def _jobs(problem: "MakespanInstance", most: int) -> None:
    from ..simulation.extremes import extremes

    gangs = Counter(job.gpus for job in problem.jobs)
    mix = ", ".join(f"{count} x {size}" for size, count in sorted(gangs.items()))
    say(f"jobs: {len(problem.jobs)}, GPUs ({mix})")
    rows = [
        [
            job.name,
            job.gpus,
            job.iterations,
            extreme.least_slots,
            extreme.most_slots,
            float(job.release_slot),
        ]
        for job, extreme in list(zip(problem.jobs, extremes(problem), strict=True))[:most]
    ]
    if rows:
        table(["  job", "gpus", "iterations", "fastest", "slowest", "release"], rows)
    if len(problem.jobs) > most:
        say(f"  ... and {len(problem.jobs) - most} more (--jobs N shows more)")


def _known(problem: "MakespanInstance") -> None:
    from ..instances import digest
    from ..instances.catalogue import entries
    from ..search.bounds import combinatorial_bounds
    from ..simulation.refusal import refusal

    stuck = refusal(problem)
    if stuck:
        say(f"impossible: {stuck}")
        return
    say("lower bounds:")
    for bound in combinatorial_bounds(problem):
        say(f"  {cell(bound.value):>8}  {bound.kind}, {bound.name}: {bound.argument}")
    entry = entries().get(problem.name)
    if entry is None or entry.digest != digest(problem):
        return
    for title, records in (("best known", entry.upper), ("best bound", entry.lower)):
        for known in records[:1]:
            say(
                f"{title}: {cell(known.value)} by {known.method}, {known.certificate}, {known.date}"
            )
