"""Tiny random fleets with nasty numbers, and what is wrong with what all methods make of them.

`draw` makes an instance of a seed, `faults` says what is wrong, in words.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from random import Random

from check.fleet.naive import Usage, live, spend
from fleet_brute import best_by_hand
from fleet_player import Player

from ringyard.analysis.check import check
from ringyard.instances import (
    Amdahl,
    Epoch,
    FleetInstance,
    FleetJob,
    FleetLog,
    JobType,
    PowerLaw,
    SpeedPoint,
    SpeedTable,
    Speedup,
    validate,
)
from ringyard.run import Answer
from ringyard.testing import family as family_problems
from ringyard.testing.family import DEFAULT, Asked, asked

MAY_REFUSE = "boa-integer"
"""The one method of the family that treats some fleets only."""

SPANS = (10, 16, 25, 40)
"""Ticks of a span: what costs so many GPU-ticks is a budget with few decimals."""


def draw(seed: int | str | Random) -> FleetInstance:
    """Return a fleet of up to four jobs, its budget often just what some simple plan costs."""
    rng = seed if isinstance(seed, Random) else Random(seed)
    tick = rng.choice(_decimals("1", "60", "0.1", "0.333333333333333", "1e-9"))
    types = tuple(_type(rng, f"t{i}") for i in range(rng.randint(1, 2)))
    made = FleetInstance(
        name=f"fleet-{seed if isinstance(seed, int | str) else 'drawn'}",
        types=types,
        jobs=tuple(_job(rng, f"j{i}", types, tick) for i in range(rng.randint(1, 4))),
        span_s=rng.choice(SPANS) * tick,
        budget_gpus=Decimal(1),
        price_per_gpu_h=rng.choice(_decimals("1", "1", "0.333333333333333", "1e-9", "1e9")),
        widths=rng.choice(["any", "whole"]),
        rescale_s=rng.choice((0, 0, 0, 0, 1, 3)) * tick,
        provision_s=rng.choice((0, 0, 1, 3, 7)) * tick,
        node_gpus=rng.choice((None, None, None, 2, 8)),
        billing_s=rng.choice((None, None, 4 * tick, 6 * tick, 12 * tick)),
        tick_s=tick,
    )
    made = replace(made, budget_gpus=_budget(rng, made))
    validate(made)
    return made


def _decimals(*words: str) -> tuple[Decimal, ...]:
    return tuple(map(Decimal, words))


def _type(rng: Random, name: str) -> JobType:
    epochs = (
        Epoch(work_h=rng.choice(_decimals("0.1", "1", "1e-9")), speedup=_speedup(rng))
        for _ in range(rng.choice((1, 1, 2)))
    )
    return JobType(
        name=name,
        rate_per_h=rng.choice(_decimals("1", "20", "0.333333333333333", "1e9")),
        weight=rng.choice(_decimals("1", "1", "0.333333333333333", "1e-9", "1e9")),
        asks=rng.choice((1, 2, 3, 4, 8)),
        epochs=tuple(epochs),
    )


def _speedup(rng: Random) -> Speedup:
    model = rng.randrange(3)
    if model == 0:
        return PowerLaw(exponent=rng.choice(_decimals("1", "0.5", "0.333333333333333", "1e-9")))
    if model == 1:
        return Amdahl(parallel=rng.choice(_decimals("1", "0.9", "0.666666666666667", "0")))
    points, speed = [SpeedPoint(gpus=Decimal(1), speed=Decimal(1))], Decimal(1)
    for gpus in sorted(rng.sample(range(2, 9), rng.randint(1, 3))):
        speed = rng.choice((speed, speed + Decimal("0.333333333333333"), Decimal(gpus)))
        points.append(SpeedPoint(gpus=Decimal(gpus), speed=speed))
    return SpeedTable(points=tuple(points))


def _job(rng: Random, name: str, types: Sequence[JobType], tick: Decimal) -> FleetJob:
    kind = rng.choice(types)
    work = (rng.choice((1, 2, 3, 4, 6, 6, 9, 12)) * tick for _ in kind.epochs)
    arrival = rng.choice((0, 0, 1, 4, 6, 6, 9))
    return FleetJob(name=name, type=kind.name, arrival_s=arrival * tick, work_s=tuple(work))


def _budget(rng: Random, fleet: FleetInstance) -> Decimal:
    """Return what a plan of one width costs, to the last digit, or a bit more, or less."""
    width = rng.choice((1, 1, 1, 2, 4))
    cost = Player(fleet, [width] * len(fleet.types)).run().paid()
    exact = Decimal(cost) / int(fleet.span_s / fleet.tick_s)
    factor = rng.choice(_decimals("1", "1", "1", "1.000001", "0.999999", "1.3", "2", "5"))
    return exact * factor


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a log comes to: spend, the weighted mean in hours, and most GPUs short in a tick."""

    spend: Fraction
    mean_h: Fraction
    short: Fraction


def recount(fleet: FleetInstance, log: FleetLog) -> Counted:
    """Go through a log tick by tick."""
    tick, use = fleet.tick_s, Usage()
    entries = {entry.job: entry for entry in log.jobs}
    weights = {one.name: Fraction(one.weight) for one in fleet.types}
    total = worth = Fraction(0)
    for job in fleet.jobs:
        end = live(fleet, job, entries[job.name], use)
        assert end is not None, f"{job.name} does not end"
        total += weights[job.type] * (end * Fraction(tick) - Fraction(job.arrival_s))
        worth += weights[job.type]
    ready: dict[int, Fraction] = {}
    for one in log.leases:
        first = int((one.start_s + fleet.provision_s) / tick)
        for now in range(first, int(one.stop_s / tick)):
            ready[now] = ready.get(now, Fraction(0)) + Fraction(one.gpus)
    short = max(
        (Fraction(gpus) - ready.get(now, 0) for now, gpus in use.items()), default=Fraction(0)
    )
    price = Fraction(fleet.price_per_gpu_h) / 3600
    return Counted(spend=spend(fleet, log) * price, mean_h=total / worth / 3600, short=short)


def faults(fleet: FleetInstance) -> list[str]:
    """Return what is wrong with what the methods of the family say of a fleet."""
    found = asked(fleet)
    return [*family_problems.problems(fleet, found, None), *beyond(fleet, found)]


def beyond(fleet: FleetInstance, found: Asked) -> list[str]:
    """Return what is wrong beside what can be wrong in any family.

    No log costs or takes anything else than counted by hand. The default has one that is no worse
    than any equal width, and has one at all if brute force has.
    """
    told = [f"{name} refuses: {why}" for name, why in found.refused.items() if name != MAY_REFUSE]
    for name, answer in found.answers.items():
        if answer.valid:
            told += [f"{name}: {what}" for what in _wrong(answer)]
    default = found.answers.get(DEFAULT)
    if default is None:
        return told
    for width in (1, 2, 4, 8):
        plan = Player(fleet, [width] * len(fleet.types)).run()
        if plan.cost() <= fleet.budget and not (
            default.valid and default.objective <= plan.mean_h()
        ):
            told.append(f"{width} GPUs each have {plan.mean_h()}, the default {default.objective}")
    by_hand = best_by_hand(fleet)
    if by_hand is not None:
        verdict = check(fleet, by_hand.log)
        if (verdict.valid, verdict.mean_jct) != (True, by_hand.mean_h):
            told.append(f"the judge refuses a log by hand: {verdict.violations}")
        if by_hand.mean_h < default.bound.value:
            told.append(f"the bound {default.bound.value} is above {by_hand.mean_h} by hand")
        if default.schedule is None:
            told.append("the default finds nothing, and brute force does")
    return told


def _wrong(answer: Answer) -> list[str]:
    """Return what is wrong with the log of an answer."""
    verdict, counted = answer.verdict, recount(answer.instance, answer.schedule)
    pairs = ((verdict.spend, counted.spend), (verdict.mean_jct, counted.mean_h))
    found = [f"{judged} by the judge, {own} by hand" for judged, own in pairs if judged != own]
    if answer.outcome.value != verdict.mean_jct:
        found.append(f"{answer.outcome.value} by the method, {verdict.mean_jct} by the judge")
    if counted.short > 0:
        found.append(f"{counted.short} GPUs short")
    return found
