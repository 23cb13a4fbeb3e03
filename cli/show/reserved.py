"""What `ringyard show` says of a `reserved` instance."""

from decimal import Decimal

from ...families.contracts import Said
from ...instances import ReservedInstance
from ...instances.errors import plural
from ..shared.output import say, show_rows
from ..shared.verdict_words import exact_texts
from .words import mix

SAID = Said(
    parts=lambda verdict: {"gains": exact_texts(verdict.gains)},
    beside=lambda verdict: ("working", f"{len(verdict.gains)} rings"),
    rest=lambda verdict: f" of {len(verdict.gains)} rings",
)


def _show_cluster(problem: ReservedInstance) -> None:
    """Print machines, what they have together, and their links."""
    machines = problem.machines
    say(f"machines: {len(machines)}, racks: {len(problem.racks)}")
    for resource in problem.resources:
        amounts = [dict(machine.capacity).get(resource, 0) for machine in machines]
        say(f"  {resource}: {sum(amounts)}, from {min(amounts)} to {max(amounts)} on a machine")
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


def show_reserved(problem: ReservedInstance, most: int) -> None:
    """Print machines, shapes of gains, and the first rings with the most each can hope for."""
    from ...search.reserved.bounds import most_worker_slots

    _show_cluster(problem)
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
