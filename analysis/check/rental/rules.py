"""The rules of a `rental` plan: one function each, its docstring the rule.

A rule yields (where, amount) for every breach.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ....instances.rental.instance import Choice, JobType, RentalInstance, RentalPlan, Stretch
from ..judge import ONE, Breaches, Rule, instance_digest, misclaimed, repeated
from .speed import misfit


@dataclass(frozen=True, slots=True, kw_only=True)
class RentalCase:
    """All that the rules look at: instance, plan, and what it comes to."""

    instance: RentalInstance
    schedule: RentalPlan
    types: Mapping[str, JobType]
    mean_jct: Fraction | None
    mean_gpus: Fraction

    def entries(self) -> Iterator[tuple[int, JobType]]:
        """Yield every entry of a known type: where it stands, and the type."""
        for i, entry in enumerate(self.schedule.types):
            if entry.type in self.types:
                yield i, self.types[entry.type]

    def choices(self) -> Iterator[tuple[str, Choice, JobType]]:
        """Yield every choice of a known type: where it stands, the choice, the type."""
        for i, one in self.entries():
            for c, choice in enumerate(self.schedule.types[i].choices):
                yield f"{self.place(i)}, choices[{c}]", choice, one

    def stretches(self) -> Iterator[tuple[str, Stretch, JobType]]:
        """Yield every stretch of a known type: where it stands, the stretch, the type."""
        for place, choice, one in self.choices():
            for s, stretch in enumerate(choice.stretches):
                yield f"{place}, stretches[{s}]", stretch, one

    def place(self, entry: int) -> str:
        """Say where an entry stands."""
        return f"types[{entry}], type {self.schedule.types[entry].type}"


def known_names(case: RentalCase) -> Breaches:
    """Every type and epoch that the plan names is in the instance."""
    for i, entry in enumerate(case.schedule.types):
        if entry.type not in case.types:
            yield case.place(i), ONE
    for place, stretch, one in case.stretches():
        if stretch.epoch not in range(len(one.epochs)):
            yield f"{place}, epoch {stretch.epoch}", ONE


def planned_once(case: RentalCase) -> Breaches:
    """Every type has one entry."""
    yield from repeated((case.place(i), one.name) for i, one in case.entries())
    named = {entry.type for entry in case.schedule.types}
    yield from ((f"type {one.name}", ONE) for one in case.instance.types if one.name not in named)


def shares(case: RentalCase) -> Breaches:
    """The shares of a type are not negative, and add up to 1."""
    for place, choice, _ in case.choices():
        if choice.share < 0:
            yield place, -Fraction(choice.share)
    for i, _ in case.entries():
        given = (Fraction(choice.share) for choice in case.schedule.types[i].choices)
        total = sum(given, Fraction(0))
        if total != 1:
            yield case.place(i), abs(total - 1)


def parts(case: RentalCase) -> Breaches:
    """The parts of each epoch are not negative, and add up to 1 in every choice."""
    for place, stretch, _ in case.stretches():
        if stretch.part < 0:
            yield place, -Fraction(stretch.part)
    for place, choice, one in case.choices():
        done = [Fraction(0)] * len(one.epochs)
        for stretch in choice.stretches:
            if stretch.epoch in range(len(done)):
                done[stretch.epoch] += Fraction(stretch.part)
        for e, total in enumerate(done):
            if total != 1:
                yield f"{place}, epoch {e}", abs(total - 1)


def order(case: RentalCase) -> Breaches:
    """A job does its epochs in order."""
    for place, choice, _ in case.choices():
        pairs = zip(choice.stretches, choice.stretches[1:], strict=False)
        for s, (before, after) in enumerate(pairs, 1):
            if after.epoch < before.epoch:
                yield f"{place}, stretches[{s}]", Fraction(before.epoch - after.epoch)


def widths(case: RentalCase) -> Breaches:
    """A job holds 1 to 1,000,000 GPUs, and whole ones if `widths` is "whole"."""
    grain = Decimal(1) if case.instance.widths == "whole" else None
    for place, stretch, _ in case.stretches():
        over = misfit(stretch.gpus, grain)
        if over:
            yield place, over


def budget(case: RentalCase) -> Breaches:
    """On average over time, no more GPUs are paid for than the budget has."""
    over = case.mean_gpus - Fraction(case.instance.budget_gpus)
    if over > 0:
        yield "budget_gpus", over


def claims(case: RentalCase) -> Breaches:
    """A claimed mean is that of the completion times, or of the GPUs paid for."""
    plan = case.schedule
    yield from misclaimed("mean_jct_h", plan.mean_jct_h, case.mean_jct)
    yield from misclaimed("mean_gpus", plan.mean_gpus, case.mean_gpus)


ALL: tuple[Rule, ...] = (
    instance_digest,
    known_names,
    planned_once,
    shares,
    parts,
    order,
    widths,
    budget,
    claims,
)
"""Every rule, in the order in which violations are reported."""

RULES: dict[str, str] = {rule.__name__: str(rule.__doc__) for rule in ALL}
"""What each rule says, by its name."""
