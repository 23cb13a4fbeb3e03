"""Jobs on servers by the rounding of Lenstra, Shmoys and Tardos, then list scheduling.

No server gets more than the least limit and one job in addition. Where every job fits into every
server, the makespan is at most 4 O / (O + 1) times the least, for servers of at most O GPUs: see
docs/makespan/lp-rounding.md.
"""

from ...instances import MakespanInstance, Outcome
from ...policies.request import NO_OPTIONS, NoOptions, Request
from ...rounding.lenstra_shmoys_tardos import round_by_slots
from .rounded_assignment import best_rounded, too_large

METHOD = "lenstra-shmoys-tardos"


def refuses(instance: MakespanInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Say why the program of `instance` would be too large, or None if it is not."""
    return too_large(instance)


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best of three schedules; nothing in it is random."""
    return best_rounded(
        instance, request.limits, METHOD, lambda shares, work: [round_by_slots(shares, work)]
    )
