"""The judge of `shuffle` plans: the rules, and decoding of rows from sums modulo 2.

Rows are decoded first by peeling: a sum with a single unknown row reveals it, possibly leaving a
single unknown in another sum. The remaining sums are brought into reduced echelon form, as bit
sets. A row follows from them if and only if it is alone in one of the form's sums.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ...instances.shuffle import ShuffleInstance, ShufflePlan
from .judge import ONE, AnyVerdict, Breaches, Rules, instance_digest, misclaimed

SHOWN = 5
"""Maximum number of missing rows named in a violation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleCase:
    """The data of all rules: instance, plan, and its result."""

    instance: ShuffleInstance
    schedule: ShufflePlan
    load: Fraction
    unknown: Mapping[str, tuple[int, ...]]


def known_names(case: ShuffleCase) -> Breaches:
    """Every row and worker that a message names is in the instance."""
    workers = {one.name for one in case.instance.workers}
    for i, message in enumerate(case.schedule.messages):
        for row in message.rows:
            if row not in range(case.instance.rows):
                yield f"messages[{i}], row {row}", ONE
        for name in message.to:
            if name not in workers:
                yield f"messages[{i}], worker {name}", ONE


def named_once(case: ShuffleCase) -> Breaches:
    """A message names each of its rows and workers once."""
    for i, message in enumerate(case.schedule.messages):
        for what, names in (("row", message.rows), ("worker", message.to)):
            counts = Counter[int | str](names)
            for name in sorted((one for one in counts if counts[one] > 1), key=str):
                yield f"messages[{i}], {what} {name}", Fraction(counts[name] - 1)


def worked_out(case: ShuffleCase) -> Breaches:
    """Every worker can decode its rows from its cache and its messages."""
    for name, rows in case.unknown.items():
        if rows:
            some = ", ".join(map(str, rows[:SHOWN])) + (", .." if len(rows) > SHOWN else "")
            yield f"worker {name}, rows {some}", Fraction(len(rows))


def claims(case: ShuffleCase) -> Breaches:
    """A claimed load is the load of the messages."""
    yield from misclaimed("load", case.schedule.load, case.load)


RULES = Rules(instance_digest, known_names, named_once, worked_out, claims)


def learned(known: Iterable[int], sums: Iterable[Iterable[int]], wanted: set[int]) -> set[int]:
    """Return the rows of `wanted` that are known or follow from the sums."""
    have = set(known)
    rest = _peel(have, [set(one) - have for one in sums])
    if rest and not wanted <= have:
        have |= _alone(rest)
    return wanted & have


def _peel(have: set[int], sums: list[set[int]]) -> list[set[int]]:
    """Add all rows found by peeling to `have`, and return the remaining sums."""
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
    """Return the rows that are alone in a sum of the reduced echelon form."""
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
    """Every violation, and the cost of the messages."""

    load: Fraction
    unknown: Mapping[str, tuple[int, ...]]
    """Rows that a worker wants and cannot work out, by worker."""

    @property
    def objective(self) -> Fraction | None:
        """The cost of all messages."""
        return self.load


def check_shuffle(instance: ShuffleInstance, plan: ShufflePlan) -> ShuffleVerdict:
    """Check a plan against its instance, recomputing everything from the raw data.

    The judge continues after a violation. A row or a worker named repeatedly in a message is used
    once. An unknown row is an empty sum, and an unknown worker is paid for like any worker.
    """
    case = ShuffleCase(
        instance=instance,
        schedule=plan,
        load=_load(instance, plan),
        unknown=_unknown(instance, plan),
    )
    return ShuffleVerdict(
        violations=RULES.violations(case),
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
