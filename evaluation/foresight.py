"""Does a method decide by jobs that have not arrived? Its plans of two instances tell.

Of an instance there is a twin, in which the later half of the jobs come in another order. As long
as only earlier jobs have come, both look the same to one who does not see ahead, whatever it knows
of all lengths together. So until then its plans have to be the same.
"""

from dataclasses import replace
from typing import Any

from ..instances import Instance
from ..instances.reading.encode import plain
from .bench import Judged

ARRIVALS = ("arrival_s", "arrival_slot")
"""Fields that say when a job arrives."""

BEGINS, ENDS = ("start_s", "slot"), ("stop_s", "end_s")
"""Fields that say when something is done, and until when."""


def twin(instance: Any) -> Instance | None:
    """Return the instance with its later jobs in another order, if jobs arrive in it."""
    field = _field(instance)
    if field is None:
        return None
    cut = cut_of(instance)
    later = [one for one in instance.jobs if getattr(one, field) >= cut]
    bodies = dict(zip((one.name for one in later), reversed(later), strict=True))
    jobs = [
        replace(bodies.get(one.name, one), **{"name": one.name, field: getattr(one, field)})
        for one in instance.jobs
    ]
    made: Instance = replace(instance, jobs=tuple(jobs))
    return made


def cut_of(instance: Any) -> Any:
    """Return when the later jobs begin to arrive."""
    field = _field(instance)
    times = sorted(getattr(one, str(field)) for one in instance.jobs)
    return times[len(times) // 2]


def foresees(instance: Any, run: Judged, other: Judged) -> bool | None:
    """Say whether a plan depends on jobs to come; None if one of the two is missing.

    What a fleet leases is left out: the same GPUs may be written as leases in several ways.
    """
    if not (run.valid and other.valid):
        return None
    cut = cut_of(instance)
    plans = [plain(one.schedule, without=("leases",)) for one in (run, other)]
    return _before(plans[0], cut) != _before(plans[1], cut)


def _field(instance: Any) -> str | None:
    return next((name for name in ARRIVALS if hasattr(instance.jobs[0], name)), None)


def _before(value: Any, cut: Any) -> object:
    """Return what is done before a moment, in an order of its own; None where nothing is."""
    if isinstance(value, list):
        some = [_before(part, cut) for part in value]
        return sorted((one for one in some if one is not None), key=repr) or None
    if not isinstance(value, dict):
        return None  # Claims, and names of the whole.
    begins = [value[name] for name in BEGINS if value.get(name) is not None]
    if begins:
        ended = {name: None for name in ENDS if value.get(name) is None or value[name] >= cut}
        return None if begins[0] >= cut else value | ended
    parts = {name: _before(part, cut) for name, part in value.items()}
    done = {name: part for name, part in parts.items() if part is not None}
    return {"job": value.get("job"), **done} if done else None
