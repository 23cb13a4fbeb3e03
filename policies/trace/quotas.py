"""Quotas of groups by the rules of Kueue for the queues of a cohort.

A group has its own GPUs first, borrows those that other groups leave idle, and takes its own back:

- In order, jobs start that fit into what is left of the quota of their group. If one finds no GPUs,
  jobs of groups above their quotas are stopped until it has a place: first those with the worst
  level (by `order`), of these the last that started. Those whose GPUs are not needed run on. After
  stops the round begins again, because more groups may be below their quotas.
- Then, in order, jobs start that borrow idle GPUs.
- In both rounds, jobs that do not fit are passed over. A stopped job waits at its place in the
  order. No other job is stopped. A job without a group has no quota.

With the placement `pack`, no job waits that fits into the quota of its group, unless it is bound to
regions. Kueue looks at the first job of each queue only, one cycle after the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from ...instances import TraceInstance
from ...instances.errors import Problem
from .backfill import Backfill
from .serve import ServiceOptions, scheduler


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderOptions(ServiceOptions):
    """The order of the queue."""

    order: Annotated[
        Literal["arrival", "priority", "gpus", "limit"],
        "who goes first: the earliest, the highest priority, the fewest GPUs or the shortest "
        "limit; ties by arrival",
    ] = "arrival"

    def problems(self) -> Iterator[Problem]:
        """Yield options that have no effect."""
        if self.idle != "kept":
            expected = "kept, because groups borrow all idle GPUs"
            yield Problem("idle", self.idle, expected, "drop it")


class Quotas(Backfill):
    """In order, with quotas of groups from which other groups may borrow."""

    reclaims = True
    formula = Backfill.formula

    def __init__(self, options: OrderOptions) -> None:
        """Choose the order."""
        self._order = options.order


def _without_quotas(instance: TraceInstance, options: OrderOptions) -> str:
    """Return a note if no group has a quota."""
    if any(group.quota for group in instance.groups):
        return ""
    order = "" if options.order == OrderOptions().order else f":order={options.order}"
    return f"no group has a quota, so quotas serves like backfill:promised=0{order}"


QUOTAS = scheduler("quotas", Quotas, OrderOptions, _without_quotas)
