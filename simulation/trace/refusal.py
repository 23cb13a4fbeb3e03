"""What the engine cannot simulate, said before anything is tried."""

from ...instances import TraceInstance
from ..makespan.refusal import MOST_GPUS
from .build import whole_ticks

LONGEST = 10**9
"""More ticks of work in one job, with all that slows it down, cannot be counted exactly."""


def refusal(instance: TraceInstance) -> str | None:
    """Say why `instance` cannot be simulated, or None if it can."""
    if instance.gpus > MOST_GPUS:
        return f"{instance.gpus} GPUs are more than {MOST_GPUS}; split the instance"
    total = sum(whole_ticks(instance, job.duration_s) for job in instance.jobs)
    if total > 10**4 * LONGEST:
        return f"its jobs take {total:.3g} ticks, more than 1e13; lengthen tick_s"
    return None
