"""The judge of `rental` plans: the rules, and the hours and GPU-hours on average."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from ...instances.rental import Choice, JobType, RentalInstance, RentalPlan, Stretch, TypePlan
from ...instances.speedup import MOST_GPUS, Amdahl, PowerLaw, SpeedTable, Speedup
from .judge import ONE, AnyVerdict, Breaches, Rules, instance_digest, misclaimed, repeated

DIGITS = Context(prec=50)
"""Precision in digits of powers, which are irrational."""


def speed_of(speedup: Speedup, gpus: Decimal) -> Fraction:
    """Return the speed-up on some GPUs, with fewer than 1 treated as 1."""
    held = max(gpus, Decimal(1))
    if isinstance(speedup, PowerLaw):
        return Fraction(DIGITS.power(held, speedup.exponent))
    if isinstance(speedup, Amdahl):
        parallel = Fraction(speedup.parallel)
        return 1 / (1 - parallel + parallel / Fraction(held))
    return _between(speedup, held)


def _between(table: SpeedTable, gpus: Decimal) -> Fraction:
    last = table.points[0]
    for point in table.points:
        if point.gpus > gpus:
            wide = Fraction(point.gpus) - Fraction(last.gpus)
            along = (Fraction(gpus) - Fraction(last.gpus)) / wide
            return Fraction(last.speed) + along * (Fraction(point.speed) - Fraction(last.speed))
        last = point
    return Fraction(last.speed)


def misfit(gpus: Decimal, grain: Decimal | None) -> Fraction:
    """Return the distance of a number of GPUs to the nearest allowed one, 0 if it is allowed.

    Multiples of `grain` from 1 to a million are allowed, or anything between without a `grain`.
    """
    if not 1 <= gpus <= MOST_GPUS:
        return 1 - Fraction(gpus) if gpus < 1 else Fraction(gpus) - MOST_GPUS
    if grain is None:
        return Fraction(0)
    above, below = gpus.as_integer_ratio()
    grains, parts = grain.as_integer_ratio()
    over = Fraction(above * parts % (grains * below), below * parts)
    return min(over, Fraction(grain) - over)


@dataclass(frozen=True, slots=True, kw_only=True)
class RentalCase:
    """The data of all rules: instance, plan, and its result."""

    instance: RentalInstance
    schedule: RentalPlan
    types: Mapping[str, JobType]
    mean_jct: Fraction | None
    mean_gpus: Fraction

    def entries(self) -> Iterator[tuple[int, JobType]]:
        """Yield every entry of a known type: its place and the type."""
        for i, entry in enumerate(self.schedule.types):
            if entry.type in self.types:
                yield i, self.types[entry.type]

    def choices(self) -> Iterator[tuple[str, Choice, JobType]]:
        """Yield every choice of a known type: its place, the choice, the type."""
        for i, one in self.entries():
            for c, choice in enumerate(self.schedule.types[i].choices):
                yield f"{self.place(i)}, choices[{c}]", choice, one

    def stretches(self) -> Iterator[tuple[str, Stretch, JobType]]:
        """Yield every stretch of a known type: its place, the stretch, the type."""
        for place, choice, one in self.choices():
            for s, stretch in enumerate(choice.stretches):
                yield f"{place}, stretches[{s}]", stretch, one

    def place(self, entry: int) -> str:
        """Return the place of an entry."""
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
    """The time average of paid GPUs is at most the budget."""
    over = case.mean_gpus - Fraction(case.instance.budget_gpus)
    if over > 0:
        yield "budget_gpus", over


def claims(case: RentalCase) -> Breaches:
    """A claimed mean is the mean of the completion times, or of the GPUs paid for."""
    plan = case.schedule
    yield from misclaimed("mean_jct_h", plan.mean_jct_h, case.mean_jct)
    yield from misclaimed("mean_gpus", plan.mean_gpus, case.mean_gpus)


RULES = Rules(
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

NONE = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Hours of a job, and GPU-hours that it pays for."""

    hours: Fraction
    gpu_hours: Fraction


def costs_of(instance: RentalInstance, plan: RentalPlan) -> dict[str, Cost]:
    """Return the costs of jobs by the first entry of every known type, in the plan's order."""
    types = {one.name: one for one in instance.types}
    stall, found = Fraction(instance.rescale_s) / 3600, dict[str, Cost]()
    for entry in plan.types:
        if entry.type in types and entry.type not in found:
            found[entry.type] = _of_type(types[entry.type], entry, stall)
    return found


def _of_type(one: JobType, entry: TypePlan, stall: Fraction) -> Cost:
    each = [(Fraction(choice.share), _of_choice(one, choice, stall)) for choice in entry.choices]
    return Cost(
        hours=sum((share * cost.hours for share, cost in each), NONE),
        gpu_hours=sum((share * cost.gpu_hours for share, cost in each), NONE),
    )


def _of_choice(one: JobType, choice: Choice, stall: Fraction) -> Cost:
    hours = gpu_hours = NONE
    before: Stretch | None = None
    for stretch in choice.stretches:
        if stretch.epoch not in range(len(one.epochs)):
            continue
        epoch = one.epochs[stretch.epoch]
        took = Fraction(stretch.part) * Fraction(epoch.work_h)
        took /= speed_of(epoch.speedup, stretch.gpus)
        if before is not None and before.gpus != stretch.gpus:
            took += stall
        hours += took
        gpu_hours += Fraction(stretch.gpus) * took
        before = stretch
    return Cost(hours=hours, gpu_hours=gpu_hours)


def mean_hours(instance: RentalInstance, costs: Mapping[str, Cost]) -> Fraction | None:
    """Return the weighted mean completion time, None if a type has no entry."""
    if len(costs) < len(instance.types):
        return None
    weights = [Fraction(one.rate_per_h) * Fraction(one.weight) for one in instance.types]
    hours = [costs[one.name].hours for one in instance.types]
    return _sum([w * h for w, h in zip(weights, hours, strict=True)]) / sum(weights)


def mean_gpus(instance: RentalInstance, costs: Mapping[str, Cost]) -> Fraction:
    """Return the GPUs that are paid for, on average over time."""
    known = [one for one in instance.types if one.name in costs]
    return _sum([Fraction(one.rate_per_h) * costs[one.name].gpu_hours for one in known])


def _sum(terms: Sequence[Fraction]) -> Fraction:
    # By halves: a thousand irrational speeds make a denominator of 50,000 digits.
    if len(terms) < 2:
        return terms[0] if terms else NONE
    half = len(terms) // 2
    return _sum(terms[:half]) + _sum(terms[half:])


@dataclass(frozen=True, slots=True, kw_only=True)
class RentalVerdict(AnyVerdict):
    """Every violation, and the long-run result of the plan.

    `mean_jct`, in hours, weights a job's hours by its type, and is None if a type has no entry.
    `mean_gpus` is the time average of paid GPUs. By type, `times` has the hours of a job, and
    `gpu_hours` its payment.
    """

    mean_jct: Fraction | None
    mean_gpus: Fraction
    times: Mapping[str, Fraction]
    gpu_hours: Mapping[str, Fraction]

    @property
    def objective(self) -> Fraction | None:
        """The mean completion time."""
        return self.mean_jct


def check_rental(instance: RentalInstance, plan: RentalPlan) -> RentalVerdict:
    """Check a plan against its instance, recomputing everything from the raw data.

    The judge continues after a violation. It uses the first entry of every known type, with its
    stretches of known epochs, and shares and parts as given. On less than one GPU, a job is as fast
    as on one. The instance must be accepted by the reader.
    """
    costs = costs_of(instance, plan)
    case = RentalCase(
        instance=instance,
        schedule=plan,
        types={one.name: one for one in instance.types},
        mean_jct=mean_hours(instance, costs),
        mean_gpus=mean_gpus(instance, costs),
    )
    return RentalVerdict(
        violations=RULES.violations(case),
        mean_jct=case.mean_jct,
        mean_gpus=case.mean_gpus,
        times={name: cost.hours for name, cost in costs.items()},
        gpu_hours={name: cost.gpu_hours for name, cost in costs.items()},
    )
