"""User-defined functions for `rental`: ``{type: gpus}``, or ``{type: [gpus of each epoch]}``."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..instances import RentalInstance, RentalPlan, digest
from ..policies.rental.plan import plan_of, steady
from .calling import Call
from .makespan import name_of

PLAN = "{type: gpus} or {type: [gpus of each epoch]}"


SKELETON = '''
def NAME(instance, part: float = 0.5):
    """All jobs on the same number of GPUs, for a part of the budget."""
    work = sum(float(one.rate_per_h * sum(e.work_h for e in one.epochs)) for one in instance.types)
    gpus = max(1, int(part * float(instance.budget_gpus) / work))
    return {one.name: gpus for one in instance.types}
'''


def schedule(instance: RentalInstance, given: Any, call: Call) -> RentalPlan:
    """Return the plan with these widths for all jobs of a type."""
    widths = {name_of(one): own for one, own in call.pairs(given, PLAN)}
    names, groups = [one.name for one in instance.types], []
    for name in widths:
        if name not in names:
            raise call.error(name, f"a type of the instance: {', '.join(names)}")
    for one in instance.types:
        own: Any = widths.get(one.name)
        found = own if isinstance(own, Sequence) and not isinstance(own, str) else None
        epochs = [own] * len(one.epochs) if found is None else list(found)
        if len(epochs) != len(one.epochs) or not all(map(_width, epochs)):
            raise call.error(own, f"GPUs for {len(one.epochs)} epochs of type {one.name!r}")
        groups.append([steady(1.0, map(float, epochs))])
    return replace(plan_of(instance, groups, call.label), digest=digest(instance))


def _width(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, str) and 0 < float(value) < 1e9
