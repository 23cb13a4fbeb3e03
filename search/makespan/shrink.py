"""Delta debugging: the smallest instance on which something still goes wrong."""

from collections.abc import Callable

from ...instances import InputError, Limits, MakespanInstance, validate
from .reductions import REDUCTIONS, Reduction

Fails = Callable[[MakespanInstance], bool]
"""Says whether an instance still shows what is looked for."""


def shrink(
    instance: MakespanInstance,
    fails: Fails,
    limits: Limits | None = None,
    tell: Callable[[MakespanInstance], None] = lambda smaller: None,
) -> MakespanInstance:
    """Return a smaller instance that still fails; `instance` itself must fail.

    Greedy and deterministic: the first candidate of a reduction that is valid and fails is
    taken, until none is left. So, unless time runs out, no single step of `REDUCTIONS` leads
    from the result to a valid instance that fails. `tell` hears of every instance on the way.
    """
    limits = limits or Limits()
    harmless: set[MakespanInstance] = set()

    def first(reduce: Reduction, current: MakespanInstance) -> MakespanInstance | None:
        for candidate in reduce(current):
            if limits.over():
                return None
            if candidate in harmless or not _valid(candidate):
                continue
            if fails(candidate):
                return candidate
            harmless.add(candidate)
        return None

    before = None
    while before != instance:
        before = instance
        for reduce in REDUCTIONS:
            while (smaller := first(reduce, instance)) is not None:
                instance = smaller
                tell(instance)
    return instance


def _valid(instance: MakespanInstance) -> bool:
    try:
        validate(instance)
    except InputError:
        return False
    return True
