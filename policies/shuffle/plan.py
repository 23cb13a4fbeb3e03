"""From sums, and who learns which row from each, to a plan that pays for no vain multicast."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

from ...instances import (
    Message,
    Outcome,
    ShuffleInstance,
    ShufflePlan,
    SolutionStatus,
    TerminationReason,
    digest,
)

Part = tuple[int, int]
"""A worker, by number, and the row that it learns."""


def answer(instance: ShuffleInstance, method: str, sums: Iterable[Sequence[Part]]) -> Outcome:
    """Return the plan that sends the sums; no worker learns two rows from one."""
    plan = ShufflePlan(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        messages=tuple(message for parts in sums for message in messages_of(instance, parts)),
    )
    value = load_of(instance, plan)
    return Outcome(
        schedule=plan,
        termination=TerminationReason.DONE,
        status=SolutionStatus.FEASIBLE,
        value=value,
    )


def messages_of(instance: ShuffleInstance, parts: Sequence[Part]) -> list[Message]:
    """Return the cheapest messages: the sum to all that learn from it, or each row alone."""
    names, parts = [one.name for one in instance.workers], sorted(parts)
    if instance.multicast < 1 < len(names):  # Whom else a message reaches makes it cheaper.
        return [Message(rows=_rows(parts), to=tuple(names))]
    if len(parts) <= instance.multicast:
        return [Message(rows=(row,), to=(names[worker],)) for worker, row in parts]
    return [Message(rows=_rows(parts), to=tuple(names[worker] for worker, _ in parts))]


def _rows(parts: Sequence[Part]) -> tuple[int, ...]:
    return tuple(sorted({row for _, row in parts}))


def load_of(instance: ShuffleInstance, plan: ShufflePlan) -> Fraction:
    """Return what the messages cost."""
    several = sum(len(message.to) > 1 for message in plan.messages)
    return len(plan.messages) - several + several * Fraction(instance.multicast)


def owners(held: Sequence[Iterable[int]]) -> defaultdict[int, int]:
    """Return the workers that hold each row."""
    owners: defaultdict[int, int] = defaultdict(int)
    for k, own in enumerate(held):
        for row in own:
            owners[row] |= 1 << k
    return owners
