"""What `ringyard show` says of an `online` instance."""

from collections import Counter

from ...families.contracts import Said
from ...instances import OnlineInstance
from ...instances.errors import plural
from ..shared.output import say, show_rows
from ..shared.verdict_words import exact_texts
from .words import mix

SAID = Said(
    parts=lambda verdict: {
        "completions": dict(verdict.completions),
        "utilities": exact_texts(verdict.utilities),
    },
    beside=lambda verdict: ("completed", f"{plural(len(verdict.completions), 'job')}"),
    rest=lambda verdict: f" of {len(verdict.completions)} completed jobs",
)


def _show_cluster(problem: OnlineInstance) -> None:
    """Print machines and what they have together."""
    machines = problem.machines
    hosts = Counter(machine.hosts for machine in machines)
    told = {"both": "", "workers": " for workers only", "servers": " for parameter servers only"}
    whose = ", ".join(f"{count}{told[host]}" for host, count in hosts.items())
    say(f"machines: {len(machines)} ({whose})" if set(hosts) != {"both"} else f"machines: {whose}")
    regions = Counter(machine.region for machine in machines)
    if set(regions) != {None}:
        places = (f"{count} in {name or 'no region'}" for name, count in regions.items())
        say(f"  {', '.join(places)}")
    for resource in problem.resources:
        amounts = [dict(machine.capacity).get(resource, 0) for machine in machines]
        say(f"  {resource}: {sum(amounts)}, from {min(amounts)} to {max(amounts)} on a machine")
    say(f"time: {plural(problem.horizon_slots, 'slot')} of {problem.slot_s} s")


def show_online(problem: OnlineInstance, most: int) -> None:
    """Print the machines, the utilities of jobs, and the first of them."""
    from ...search.online.bounds import optimistic_values

    _show_cluster(problem)
    kinds = mix((job.utility.model for job in problem.jobs), " ")
    say(f"jobs: {len(problem.jobs)} ({kinds})")
    bound = any(job.allowed_regions for job in problem.jobs)
    rows = [
        [
            hope.job.name,
            hope.job.arrival_slot,
            hope.job.work,
            hope.job.batch_samples,
            float(hope.job.rate(True, problem.slot_s)),
            float(hope.job.rate(False, problem.slot_s)),
            hope.slots,
            float(hope.worth),
            *([", ".join(hope.job.allowed_regions or ("any",))] if bound else []),
        ]
        for hope in optimistic_values(problem)[:most]
    ]
    heads = ["  job", "arrives", "samples", "workers", "inside/slot", "across/slot"]
    heads += ["least slots", "most utility"] + ["regions"] * bound
    show_rows(heads, rows, len(problem.jobs))
