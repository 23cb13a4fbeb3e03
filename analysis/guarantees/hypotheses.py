"""What the theorems need, each checked on the instance and on the method's options."""

from typing import Any

from ...instances import MakespanInstance, RefusedError
from ...instances.reading.encode import fraction_text
from .facts import facts
from .guarantee import Hypothesis


def _released(instance: MakespanInstance, options: Any) -> str | None:
    del options
    late = (job for job in instance.jobs if job.release_slot > 0)
    return next((f"job {job.name!r} comes at slot {job.release_slot}" for job in late), None)


def _unslotted(instance: Any, options: Any) -> str | None:
    """Slots are whole in families that have no `progress`."""
    del options
    progress = getattr(instance, "progress", "floor")
    return "progress is continuous" if progress == "continuous" else None


def _stalled(instance: MakespanInstance, options: Any) -> str | None:
    del options
    try:
        facts(instance)
    except RefusedError as reason:
        return str(reason)
    return None


def _limited(instance: MakespanInstance, options: Any) -> str | None:
    """The largest limit tried is the horizon or all loads; a slot more covers rounding."""
    known, horizon = facts(instance), instance.horizon_slots
    theta, kappa = getattr(options, "theta", "grid"), getattr(options, "kappa", None)
    enough = min(known.loads, known.latest) + 1
    if kappa is not None and kappa < known.largest:
        return f"kappa is {kappa}, and a job takes {known.largest} GPUs"
    if theta == "bisection":
        return "theta is 'bisection', which does not begin at the top"
    if theta == "none" or horizon is None or horizon >= enough:
        return None
    return f"horizon_slots is {horizon}, and a load may be {fraction_text(enough)}"


def _departing(instance: MakespanInstance, options: Any) -> str | None:
    """What the pseudo-code leaves open may be settled either way; this it does not leave open."""
    del instance
    printed = {"kappa": (None,), "theta": ("grid", "bisection"), "mode": ("least_exec",)}
    for name, wanted in printed.items():
        value = getattr(options, name, wanted[0])
        if value not in wanted:
            return f"{name} is {value!r}"
    return None


def _bound(instance: MakespanInstance, options: Any) -> str | None:
    del options
    bound = (job for job in instance.jobs if job.allowed_regions)
    return next((f"job {job.name!r} is bound to regions" for job in bound), None)


def _too_wide(instance: MakespanInstance, options: Any) -> str | None:
    del options
    smallest = min(instance.cluster.servers, key=lambda server: server.gpus)
    wide = (job for job in instance.jobs if job.gpus > smallest.gpus)
    return next(
        (
            f"job {job.name!r} takes {job.gpus}, server {smallest.name!r} has {smallest.gpus}"
            for job in wide
        ),
        None,
    )


def _ringed(instance: MakespanInstance, options: Any) -> str | None:
    del options
    wide = (job for job in instance.jobs if job.gpus > 1)
    return next((f"job {job.name!r} takes {job.gpus}" for job in wide), None)


def _unsorted(instance: MakespanInstance, options: Any) -> str | None:
    del instance
    ties = getattr(options, "ties", "longest")
    return None if ties == "longest" else f"ties is {ties!r}"


OFFLINE = Hypothesis(name="all jobs released at 0", unmet=_released)
SLOTTED = Hypothesis(name="whole slots", unmet=_unslotted)
MOVING = Hypothesis(name="jobs that always end", unmet=_stalled)
UNLIMITED = Hypothesis(name="a trial that no load limit binds", unmet=_limited)
PRINTED = Hypothesis(name="the algorithm as printed", unmet=_departing)
ANYWHERE = Hypothesis(name="jobs that may run anywhere", unmet=_bound)
FITTING = Hypothesis(name="jobs that fit into every server", unmet=_too_wide)
SINGLE = Hypothesis(name="jobs of one GPU each", unmet=_ringed)
LONGEST = Hypothesis(name="the longest first", unmet=_unsorted)
