"""As many parts as workers: the product is known when the last worker is done."""

from ...instances import CodedInstance, Outcome
from ..request import NoOptions, Request
from .order import mean_of
from .plan import endless, planned


def run(instance: CodedInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan; nothing is random."""
    if mean_of(instance.time, instance.workers, instance.workers) is None:
        return endless("the last worker")
    return planned(instance, "uncoded", instance.workers)
