"""BOA tested: known numbers, equal spend, terms of renting, and tries to beat it.

The body of the paper is not available, so its workloads cannot be reproduced. The workloads of
`equal_spend.py` stand in for them, and only the two ratios of the abstract are compared with
Ringyard's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...analysis.rows import Row
from ...analysis.tables import Cell, Column, Table, columns_of, numbers, texts
from ...campaigns.rent.long_run import Drawing, drawn_path, planned
from ...campaigns.reproductions import Answers, Known, Results, Run, Settings
from ...instances import FleetInstance, RentalInstance, SpeedTable
from ...instances.catalogue import load_as
from ...instances.fleet.mix import Sizes
from ...policies.rental.dual import solve_budget, streams_of, use_of
from ...run import ContradictionError, solve
from ..study import RunsByName, answered, flat, seeded, sound, table_of
from .counterexamples import hunt_table, hunted
from .equal_spend import (
    APPS,
    BASE,
    FIRST,
    FREE,
    METHODS,
    ONLINE,
    POLLUX,
    SHARES,
    TERMS,
    TWO,
    USUAL,
    RentedRows,
    cases,
    draw_mix,
    instance,
    learning_table,
    spend_table,
    stall_statements,
    statements,
    terms_table,
    usual,
)

JOBS, FEW = 1_000_000, 3_000
"""Jobs of a run, and of one of a small version."""

TICK_S = Decimal("0.1")
"""A job ends with a tick, on average half of one too late."""

LAWS: tuple[tuple[str, Sizes], ...] = (
    ("poisson", "exponential"),
    ("bursty", "exponential"),
    ("poisson", "pareto"),
    ("bursty", "lognormal"),
    ("even", "exponential"),
)
"""Laws of arrivals and of sizes."""


def long_table(settings: Settings) -> Table:
    """Return the measurements, law by law."""
    instance = load_as(RentalInstance, "boa-two-types")
    jobs = FEW if settings.points else JOBS
    return table_of(
        f"{jobs:,} jobs under BOA: {instance.name}",
        (
            *texts("arrivals", "sizes"),
            *columns_of({"measured": 4, "program": 4, "within": None}, over="mean JCT, h"),
            *numbers("measured", "budget", digits=3, over="GPUs paid for"),
            Column(head="over the path's own least", digits=5),
        ),
        (_long_row(instance, jobs, *laws) for laws in LAWS),
        "Intervals: batch means, 95 %. Within: whether the program's value lies in the "
        "interval. The path's own least: the program's certified value for the jobs of the "
        "path and for the money spent on them. Pareto sizes have infinite variance, so their "
        "intervals are too narrow.",
    )


def _long_row(instance: RentalInstance, jobs: int, arrivals: str, sizes: Sizes) -> tuple[Cell, ...]:
    drawing = Drawing(jobs=jobs, arrivals=arrivals, sizes=sizes, tick_s=TICK_S)
    path = drawn_path(instance, drawing, as_fleet=False)
    found, _ = planned(instance, path, solve(instance).schedule, drawing.seed, None)
    assert found.expected is not None
    assert found.mean_jct_h is not None
    mean, expected = found.mean_jct_h, float(found.expected.mean_jct)
    within = "yes" if mean.low <= expected <= mean.high else "no"
    budget = float(found.expected.mean_gpus)
    ratio = float(found.ratio)
    return arrivals, sizes, mean, expected, within, found.spend_per_h, budget, ratio


MIXES = (TWO, APPS)

LEARNING = (BASE, ONLINE)
"""Policies that are run on longer paths."""

UNDER_TERMS = (BASE, "static, fair", POLLUX, FIRST)
"""Policies that are run under every terms."""


class RentCase(NamedTuple):
    """Jobs of a mix, with budget, rental terms and policies."""

    mix: str
    share: str
    jobs: int
    names: Sequence[str] = tuple(METHODS)
    terms: str = FREE

    def path(self, seed: int) -> FleetInstance:
        """Return the jobs of a seed."""
        return instance(self.mix, seed, self.jobs, self.share, self.terms)

    def runs(self, settings: Settings) -> RunsByName:
        """Return the runs of the policies."""
        methods = {name: METHODS[name] for name in self.names}
        return seeded(methods, self.path, range(settings.seeds))


def _by_budget(settings: Settings) -> dict[str, dict[str, RentCase]]:
    jobs, shares = usual(settings), settings.some(SHARES)
    return {mix: {share: RentCase(mix, share, jobs) for share in shares} for mix in MIXES}


def _by_terms(settings: Settings) -> dict[str, dict[str, RentCase]]:
    jobs, some = usual(settings), settings.some([terms for terms in TERMS if terms != FREE])
    return {
        mix: {terms: RentCase(mix, USUAL, jobs, UNDER_TERMS, terms) for terms in some}
        for mix in MIXES
    }


def _by_length(settings: Settings) -> dict[tuple[str, int], RentCase]:
    return {one: RentCase(APPS, *one, LEARNING) for one in cases(settings)}


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report needs."""
    for by_mix in (_by_budget(settings), _by_terms(settings)):
        yield from flat(one.runs(settings) for some in by_mix.values() for one in some.values())
    yield from flat(one.runs(settings) for one in _by_length(settings).values())


def report(settings: Settings, answers: Answers) -> Results:
    """Make tables, charts and sentences of the rows, and of measurements here."""
    rented = partial(_rented, settings=settings, answers=answers)
    by_budget = {
        mix: {share: rented(one) for share, one in some.items()}
        for mix, some in _by_budget(settings).items()
    }
    by_terms = {
        mix: {FREE: by_budget[mix][USUAL]} | {terms: rented(one) for terms, one in some.items()}
        for mix, some in _by_terms(settings).items()
    }
    by_length = {key: rented(one) for key, one in _by_length(settings).items()}
    found = hunted(settings)
    return Results(
        tables={
            "oracle": oracle(),
            "whole": whole(),
            "equal-spend": spend_table(by_budget, settings),
            "learning": learning_table(by_length, settings),
            "terms": terms_table(by_terms, UNDER_TERMS),
            "bent": bent(),
            "long-run": long_table(settings),
            "hunt": hunt_table(found),
        },
        charts={
            mix.replace(" ", "-"): partial(draw_mix, mix, found) for mix, found in by_budget.items()
        },
        statements=(*statements(by_budget), *stall_statements(by_terms), found.sentence),
    )


def _rented(one: RentCase, settings: Settings, answers: Answers) -> RentedRows:
    paths = tuple(map(one.path, range(settings.seeds)))
    row = partial(_row, answers=answers)
    return RentedRows(paths=paths, rows=answered(one.runs(settings), row).rows)


def _row(run: Run, answers: Answers) -> Row:
    """Return a row that is valid, or that says that the budget is not enough."""
    found = answers(run)
    return found if found["status"] == "unknown" else sound(answers)(run)


WIDTHS = {
    "1.0": ("2.429", "1.474", "0.6765"),
    "1.5": ("4.214", "4.440", "0.4322"),
    "2.0": ("6", "9", "0.3333"),
    "2.5": ("7.786", "15.154", "0.2798"),
    "3.0": ("9.571", "22.903", "0.2463"),
}
"""By budget the widths of both types and the mean completion time, from closed forms."""

WHOLE = {
    "1.0": ("0.69393", "0.73333"),
    "1.5": ("0.43323", "0.45000"),
    "2.0": ("0.33333", "0.33333"),
    "3.0": ("0.246387", "0.246507"),
}
"""By budget the mean with whole widths: with one type split among two, and without."""


def oracle() -> Table:
    """Return real widths and the mean completion time, known and computed."""
    rows = []
    for budget, known in WIDTHS.items():
        priced = solve_budget(streams_of(_two_types(budget)), float(budget))
        assert priced is not None
        found = (*priced.widths.tolist(), priced.mean_jct)
        rows.append((budget, *_beside(f"{budget} GPUs", known, found)))
    heads = ("GPUs of the first", "GPUs of the second", "mean JCT, h")
    return _table("One width for each type, by budget", heads, rows)


def whole() -> Table:
    """Return the mean completion time with whole widths, known and computed."""
    rows = []
    for budget, known in WHOLE.items():
        instance = replace(_two_types(budget), widths="whole")
        found = [float(solve(instance, name).objective or 0) for name in ("boa", "boa-pure")]
        rows.append((budget, *_beside(f"{budget} GPUs, whole", known, found)))
    heads = ("one type split, h", "none split, h")
    return _table("Whole widths, by budget", heads, rows)


def _two_types(budget: str) -> RentalInstance:
    return replace(load_as(RentalInstance, "boa-two-types"), budget_gpus=Decimal(budget))


def _beside(
    what: str, known: tuple[str, ...], found: tuple[float, ...] | list[float]
) -> Iterator[str]:
    """Yield the known and the computed numbers, with equal digits, because they must agree."""
    for wanted, value in zip(known, found, strict=True):
        digits = -int(Decimal(wanted).as_tuple().exponent)
        shown = f"{value:.{digits}f}"
        if shown != wanted:
            raise ContradictionError(f"boa-two-types, {what}: {shown} where {wanted} is known")
        yield wanted
        yield shown


def _table(caption: str, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    pairs = (column for head in heads for column in texts("known", "here", over=head))
    return table_of(
        f"{caption} (two types of Figure 1 of the BOA paper)",
        (*texts("budget"), *pairs),
        rows,
        "Known: computed from closed forms, which the axes of the figure agree with.",
    )


NAME = "rental-stepped"

BUDGETS = 200
"""Budgets at which each type is looked at."""

Point = tuple[float, float]
"""GPU-hours and hours for an hour of work."""


def bent() -> Table:
    """Return the worst loss of each type of the instance alone, and the loss of all together."""
    instance = replace(load_as(RentalInstance, NAME), widths="any")
    rows: list[tuple[Cell, ...]] = [
        (one.name, *_worst(replace(instance, types=(one,)))) for one in instance.types
    ]
    whole = replace(instance, widths="whole")
    pure, mixed = (float(solve(whole, name).objective or 0) for name in ("boa-pure", "boa"))
    load = float(sum(map(sum, instance.loads)))
    rows.append(("all, whole", float(instance.budget_gpus) / load, pure / mixed, None))
    return table_of(
        f"One width where speed-ups are not concave: {NAME}",
        {
            "type": None,
            "budget / load": 2,
            "mean JCT over two mixed widths": {"best single width": 3, "printed program": 3},
        },
        rows,
        f"Each type alone, at the budget of {BUDGETS} where its best single real width loses "
        "most. The printed program chooses the best width at a price, and raises the price "
        "until the budget is kept. All: one whole width for each type, for the instance's "
        "budget.",
    )


def _worst(alone: RentalInstance) -> tuple[float, float, float]:
    """Return the budget over the load, and the two losses there."""
    streams = streams_of(alone)
    h, z = use_of(streams, streams.corners.T)
    uses, times = z[:, 0].tolist(), h[:, 0].tolist()
    speedup = alone.types[0].epochs[0].speedup
    assert isinstance(speedup, SpeedTable)
    points = [(float(point.gpus / point.speed), float(1 / point.speed)) for point in speedup.points]
    found = []
    for budget in np.linspace(uses[0], uses[-1], BUDGETS).tolist():
        least = float(np.interp(budget, uses, times))
        printed = min(time for use, time in zip(uses, times, strict=True) if use <= budget)
        found.append((budget, single(points, budget) / least, printed / least))
    return max(found, key=lambda one: one[1])


def single(points: Sequence[Point], budget: float) -> float:
    """Return the least hours that one width takes for the given GPU-hours, both per hour of work.

    Between two points of a table, hours are linear in GPU-hours.
    """
    found = [time for use, time in points if use <= budget]
    for one, other in pairwise(points):
        (low, at_low), (high, at_high) = sorted((one, other))
        if low <= budget < high:
            found.append(at_low + (at_high - at_low) * (budget - low) / (high - low))
    return min(found)
