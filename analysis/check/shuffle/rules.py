"""The rules of a `shuffle` plan: one function each, its docstring the rule.

A rule yields (where, amount) for every breach.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.shuffle.instance import ShuffleInstance, ShufflePlan
from ..judge import ONE, Breaches, Rule, instance_digest, misclaimed

SHOWN = 5
"""The most missing rows that a violation names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleCase:
    """All that the rules look at: instance, plan, and what it comes to."""

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
    """Every worker can work out the rows it wants, from its cache and from what it is sent."""
    for name, rows in case.unknown.items():
        if rows:
            some = ", ".join(map(str, rows[:SHOWN])) + (", .." if len(rows) > SHOWN else "")
            yield f"worker {name}, rows {some}", Fraction(len(rows))


def claims(case: ShuffleCase) -> Breaches:
    """A claimed load is that of the messages."""
    yield from misclaimed("load", case.schedule.load, case.load)


ALL: tuple[Rule, ...] = (instance_digest, known_names, named_once, worked_out, claims)
"""Every rule, in the order in which violations are reported."""

RULES: dict[str, str] = {rule.__name__: str(rule.__doc__) for rule in ALL}
"""What each rule says, by its name."""
