"""`ringyard show`: the problem in a screenful."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..instances.errors import InputError, Problem
from .output import cell, json_visible, say

if TYPE_CHECKING:
    from ..instances import Instance


def show_command(
    instance: str, /, *, jobs: int = 12, json: Annotated[bool, Parameter(negative=())] = False
) -> int:
    """Show an instance: cluster or budget, jobs, bounds, best known.

    Parameters
    ----------
    instance
        A name of the catalogue, or a file.
    jobs
        How many jobs to list, or types of jobs, workers, updates.
    json
        Print the instance as a ringyard/1 JSON object.
    """
    from ..instances.catalogue import load
    from ..instances.reading.encode import to_text

    if jobs < 0:
        problems = [Problem("--jobs", jobs, "an integer at least 0", "give 0 or more")]
        raise InputError("ringyard show", problems)
    problem = load(instance)
    if json:
        say(json_visible(to_text(problem).rstrip()))
        return 0
    _head(problem)
    if problem.kind == "online":
        from .show_online import show_cluster, show_jobs

        show_cluster(problem)
        show_jobs(problem, jobs)
    elif problem.kind == "reserved":
        from .show_reserved import show_cluster as show_links
        from .show_reserved import show_jobs as show_reserved

        show_links(problem)
        show_reserved(problem, jobs)
    elif problem.kind == "trace":
        from .show_trace import show_cluster as show_racks
        from .show_trace import show_jobs as show_trace

        show_racks(problem)
        show_trace(problem, jobs)
    elif problem.kind == "rental":
        from .show_rental import show_budget, show_types

        show_budget(problem)
        show_types(problem, jobs)
    elif problem.kind == "fleet":
        from .show_fleet import show_jobs as show_fleet
        from .show_fleet import show_leases
        from .show_rental import show_budget as show_spend
        from .show_rental import show_types as show_streams

        show_spend(problem)
        show_leases(problem)
        show_streams(problem, jobs)
        show_fleet(problem, jobs)
    elif problem.kind == "coded":
        from .show_coded import show_coded

        show_coded(problem)
    elif problem.kind == "shuffle":
        from .show_shuffle import show_shuffle

        show_shuffle(problem, jobs)
    elif problem.kind == "transfers":
        from .show_transfers import show_transfers

        show_transfers(problem, jobs)
    elif problem.kind == "makespan":
        from .show_rings import show_cluster as show_servers
        from .show_rings import show_jobs as show_rings

        show_servers(problem)
        show_rings(problem, jobs)
    _known(problem)
    return 0


def _head(problem: "Instance") -> None:
    from ..instances import digest

    say(f"{problem.name}: {problem.title}" if problem.title else problem.name)
    say(f"  family {problem.kind}, digest {digest(problem)[:16]}")
    if problem.notes:
        import textwrap

        say(textwrap.fill(problem.notes, 96, initial_indent="  ", subsequent_indent="  "))


def _known(problem: "Instance") -> None:
    from ..families import FAMILIES
    from ..instances import digest
    from ..instances.catalogue import entries

    family = FAMILIES[problem.kind]
    stuck = family.refusal(problem)
    if stuck:
        say(f"impossible: {stuck}")
        return
    say(f"{'upper' if family.most else 'lower'} bounds:")
    for bound in family.bounds(problem):
        say(f"  {cell(bound.value):>8}  {bound.kind}, {bound.name}: {bound.argument}")
    entry = entries().get(problem.name)
    if entry is None or entry.digest != digest(problem):
        return
    for title, records in (("best known", entry.upper), ("best bound", entry.lower)):
        for known in records[:1]:
            how = f"{known.method}, {known.certificate}, {known.date}"
            say(f"{title}: {cell(known.value)} ({how})")
