"""Upper bounds on sums of rows over the minimum.

Proofs: `docs/theory/reserved-coded-shuffle.md`.
"""

from collections import Counter
from fractions import Fraction
from typing import Any

from ...instances import ShuffleInstance
from . import Guarantee, Hypothesis, optimal


def _owners(instance: ShuffleInstance) -> tuple[list[int], list[int]]:
    """Return bit sets of the workers that have each row, and of the workers that lack it."""
    has, lacks = [0] * instance.rows, [0] * instance.rows
    for k, (one, missing) in enumerate(zip(instance.workers, instance.missing, strict=True)):
        for row in one.has:
            has[row] |= 1 << k
        for row in missing:
            lacks[row] |= 1 << k
    return has, lacks


def _concerned(instance: ShuffleInstance) -> Fraction:
    has, lacks = _owners(instance)
    both = zip(has, lacks, strict=True)
    most = max(((own | other).bit_count() for own, other in both if other), default=1)
    price = Fraction(instance.multicast) if len(instance.workers) > 1 else Fraction(1)
    return max(Fraction(1), most * min(Fraction(1), price) / price)


def _padding(instance: ShuffleInstance) -> Fraction:
    has, lacks = _owners(instance)
    both = zip(has, lacks, strict=True)
    queues = Counter((own | other, other) for own, other in both if other)
    longest: dict[int, int] = {}
    for (workers, _), length in queues.items():
        longest[workers] = max(length, longest.get(workers, 0))
    mean = sum((Fraction(length, sets.bit_count()) for (sets, _), length in queues.items()))
    return sum(longest.values()) / Fraction(mean) if mean else Fraction(1)


def _priced(instance: Any, _: Any) -> str | None:
    return None if instance.multicast == 1 else f"a multicast costs {instance.multicast}"


def _shared(instance: Any, _: Any) -> str | None:
    rows = Counter(row for missing in instance.missing for row in missing)
    twice = next((row for row, count in rows.items() if count > 1), None)
    return None if twice is None else f"{rows[twice]} workers lack row {twice}"


SHUFFLE: tuple[Guarantee, ...] = (
    Guarantee(
        name="concerned",
        statement="max(1, i min(1, m)/m), at most i workers have or lack a lacked row",
        source="Ringyard",
        proved=True,
        factor=_concerned,
        methods=("greedy-cover", "subsets"),
    ),
    Guarantee(
        name="padding",
        statement="sum of the longest queues / sum of the mean queues",
        source="Ringyard, after Lee et al. 2018 (arXiv 1512.02673)",
        proved=True,
        hypotheses=(
            Hypothesis(name="multicasts that cost 1", unmet=_priced),
            Hypothesis(name="rows that one worker lacks", unmet=_shared),
        ),
        factor=_padding,
        methods=("subsets",),
    ),
    optimal("exact"),
)
