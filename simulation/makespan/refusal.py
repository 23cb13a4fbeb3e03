"""What no engine here can run, said before anything is tried."""

from ...instances import MakespanInstance
from ..iteration import TICK
from .extremes import extremes
from .groups import MOST_GROUPS, groups

LONGEST, LONGEST_CONTINUOUS = 10**12, 10**7
"""Longer schedules, in slots, are refused: floats could not tell slots or ticks apart."""

MOST_GPUS = 4_000_000
"""Policies keep a record for each GPU, and each GPU that a job asks for."""


def refusal(instance: MakespanInstance) -> str | None:
    """Say why `instance` cannot be scheduled or simulated, or None if it can."""
    return (
        never_ends(instance)
        or _too_large(instance)
        or _too_many_groups(instance)
        or _too_long(instance)
        or _too_short(instance)
    )


def never_ends(instance: MakespanInstance) -> str | None:
    """Name a job that cannot finish even alone where it is fastest, with the reason."""
    for job, extreme in zip(instance.jobs, extremes(instance), strict=True):
        if extreme.least_slots is None:
            seconds = float(extreme.fastest_s)
            return (
                f"job {job.name!r} does no iteration: its fastest takes {seconds:.6g} s, "
                f"a slot {instance.slot_s} s, and progress is 'floor'; "
                "lengthen slot_s or set progress to 'fractional'"
            )
    return None


def _too_large(instance: MakespanInstance) -> str | None:
    held = sum(server.gpus for server in instance.cluster.servers)
    asked = sum(job.gpus for job in instance.jobs)
    if max(held, asked) <= MOST_GPUS:
        return None
    return f"{held} GPUs, and {asked} asked for, are more than {MOST_GPUS}; split the instance"


def _too_many_groups(instance: MakespanInstance) -> str | None:
    lists = len(groups(instance)) - 1
    if lists <= MOST_GROUPS:
        return None
    return f"jobs have {lists} different lists of regions, more than {MOST_GROUPS}; join some"


def _too_long(instance: MakespanInstance) -> str | None:
    total = float(max(job.release_slot for job in instance.jobs)) + sum(
        float(extreme.most_slots or job.iterations)
        for job, extreme in zip(instance.jobs, extremes(instance), strict=True)
    )
    longest = LONGEST_CONTINUOUS if instance.progress == "continuous" else LONGEST
    if total <= longest:
        return None
    return f"its jobs may take {total:.3g} slots, more than {longest:.0e}; lengthen slot_s"


def _too_short(instance: MakespanInstance) -> str | None:
    if instance.progress != "continuous":
        return None
    least = min(float(extreme.least_slots or 1) for extreme in extremes(instance))
    if least >= 1000 * TICK:
        return None
    return (
        f"a job takes only {least:.3g} slots, and in continuous time jobs start at multiples "
        f"of {TICK:g} slots; shorten slot_s"
    )
