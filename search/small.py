"""Which instances are so small that asking every method costs next to nothing."""

from typing import Any

JOBS = 3
"""Jobs, or updates, at most."""

TICKS, PLACES = 30, 60
"""Ticks that all jobs of a trace take; slots times machines times jobs."""


def is_small(instance: Any) -> bool:
    """Say whether an instance is one of these; in other families none is."""
    match instance.kind:
        case "trace":
            ticks = sum(job.duration_s for job in instance.jobs) / instance.tick_s
            return len(instance.jobs) <= JOBS and ticks <= TICKS
        case "online" | "reserved":
            places = len(instance.jobs) * len(instance.machines) * instance.horizon_slots
            return len(instance.jobs) <= JOBS and places <= PLACES
        case "transfers":
            return len(instance.updates) <= JOBS
        case _:
            return False
