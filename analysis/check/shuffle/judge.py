"""From `shuffle` instance and plan to the verdict: which rows follow from sums modulo 2.

First by peeling: a sum of which one row is unknown gives that row away, which may leave one unknown
in another. What then remains of the sums is brought into reduced echelon form, as bit sets; a row
follows from them if and only if it is alone in one of the form's sums.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.shuffle.instance import ShuffleInstance, ShufflePlan
from ..judge import AnyVerdict, violations_of
from .rules import ALL, ShuffleCase


def learned(known: Iterable[int], sums: Iterable[Iterable[int]], wanted: set[int]) -> set[int]:
    """Return the rows of `wanted` that are known or follow from the sums."""
    have = set(known)
    rest = _peel(have, [set(one) - have for one in sums])
    if rest and not wanted <= have:
        have |= _alone(rest)
    return wanted & have


def _peel(have: set[int], sums: list[set[int]]) -> list[set[int]]:
    """Add to `have` all that follows one by one; return what is left of the sums."""
    places: dict[int, list[int]] = {}
    for i, one in enumerate(sums):
        for row in one:
            places.setdefault(row, []).append(i)
    single = [i for i, one in enumerate(sums) if len(one) == 1]
    while single:
        one = sums[single.pop()]
        if not one:
            continue
        (row,) = one
        have.add(row)
        for i in places[row]:
            sums[i].discard(row)
            if len(sums[i]) == 1:
                single.append(i)
    return [one for one in sums if one]


def _alone(sums: list[set[int]]) -> set[int]:
    """Return the rows that stand alone in a sum of the reduced echelon form."""
    rows = sorted(set().union(*sums))
    bit = {row: 1 << k for k, row in enumerate(rows)}
    form: dict[int, int] = {}
    for one in sums:
        vector = sum(bit[row] for row in one)
        while vector and (top := vector.bit_length()) in form:
            vector ^= form[top]
        if vector:
            form[vector.bit_length()] = vector
    heads = sum(1 << top - 1 for top in form)
    for top in sorted(form):
        # The sums with lower heads are reduced by now, so none of them brings in another head.
        below = form[top] & heads & ~(1 << top - 1)
        while below:
            form[top] ^= form[below.bit_length()]
            below &= ~(1 << below.bit_length() - 1)
    return {rows[top - 1] for top, vector in form.items() if vector == 1 << top - 1}


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
