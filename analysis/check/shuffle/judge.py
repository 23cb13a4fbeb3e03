"""From `shuffle` instance and plan to the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.shuffle.instance import ShuffleInstance
from ....instances.shuffle.schedule import ShufflePlan
from ..verdict import AnyVerdict, violations_of
from .elimination import learned
from .rules import ALL, ShuffleCase


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleVerdict(AnyVerdict):
    """Every violation, and what the messages cost."""

    load: Fraction
    unknown: Mapping[str, tuple[int, ...]]
    """Rows that a worker wants and cannot work out, by worker."""

    @property
    def objective(self) -> Fraction | None:
        """The cost of all messages."""
        return self.load


def check_shuffle(instance: ShuffleInstance, plan: ShufflePlan) -> ShuffleVerdict:
    """Check a plan against its instance, recomputing everything from the raw data.

    The judge goes on after a violation. A row or a worker that a message names more than once
    counts once, an unknown row is a sum of nothing, and an unknown worker is paid for like others.
    """
    case = ShuffleCase(
        instance=instance,
        schedule=plan,
        load=_load(instance, plan),
        unknown=_unknown(instance, plan),
    )
    return ShuffleVerdict(
        violations=violations_of(case, ALL),
        load=case.load,
        unknown=case.unknown,
    )


def _load(instance: ShuffleInstance, plan: ShufflePlan) -> Fraction:
    several = sum(len(set(message.to)) > 1 for message in plan.messages)
    return len(plan.messages) - several + several * Fraction(instance.multicast)


def _unknown(instance: ShuffleInstance, plan: ShufflePlan) -> dict[str, tuple[int, ...]]:
    heard: dict[str, list[set[int]]] = {one.name: [] for one in instance.workers}
    for message in plan.messages:
        rows = {row for row in message.rows if row < instance.rows}
        for name in set(message.to) & heard.keys():
            heard[name].append(rows)
    unknown = {}
    for one in instance.workers:
        wants = set(one.wants)
        unknown[one.name] = tuple(sorted(wants - learned(one.has, heard[one.name], wants)))
    return unknown
