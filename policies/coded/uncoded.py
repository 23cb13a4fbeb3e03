"""As many parts as workers: the product is known when the last worker is done."""

from numpy.random import Generator

from ...instances import CodedInstance, Limits, Outcome
from .order import mean_of
from .plan import endless, planned


def run(instance: CodedInstance, limits: Limits, rng: Generator) -> Outcome:
    """Return the plan; nothing is random."""
    del limits, rng
    if mean_of(instance.time, instance.workers, instance.workers) is None:
        return endless("the last worker")
    return planned(instance, "uncoded", instance.workers)
