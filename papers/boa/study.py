"""BOA tested: known numbers, equal spend, terms of renting, and tries to beat it.

The body of the paper is not available, so its workloads cannot be reproduced; what stands in for
them is `rented.py`, and only the two ratios of its abstract are compared with ours.
"""

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from itertools import product

from ...analysis.rows import Row
from ...analysis.tables import Cell, Column, Table, columns_of, numbers, texts
from ...campaigns.rent.long_run import Drawing, drawn_path, planned
from ...campaigns.results import Results
from ...campaigns.runs import Run
from ...instances import RentalInstance
from ...instances.catalogue import load_as
from ...instances.fleet.mix import Sizes
from ...run import solve
from ..study import Answers, Known, Settings, sound
from .bent import bent
from .chart import draw_mix
from .hunt import hunt_table, hunted
from .learning import cases, learning_table
from .oracles import oracle, whole
from .rented import (
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
    instance,
    usual,
)
from .tables import said, said_of_stalls, spend_table, terms_table

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
    """Return what was measured, law by law."""
    instance = load_as(RentalInstance, "boa-two-types")
    jobs = FEW if settings.points else JOBS
    return Table(
        caption=f"{jobs:,} jobs under BOA: {instance.name}",
        columns=(
            *texts("arrivals", "sizes"),
            *columns_of({"measured": 4, "program": 4, "within": None}, over="mean JCT, h"),
            *numbers("measured", "budget", digits=3, over="GPUs paid for"),
            Column(head="over the path's own least", digits=5),
        ),
        rows=tuple(_long_row(instance, jobs, *laws) for laws in LAWS),
        notes=(
            "Intervals: batch means, 95 %. Within: whether the program's value lies in the "
            "interval. The path's own least: the program's value for the jobs that came and for "
            "what was paid for them; certified. Sizes by Pareto's law have no variance, so that "
            "their intervals are too narrow.",
        ),
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


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report asks for."""
    for mix, share, name, seed in product(MIXES, _shares(settings), METHODS, range(settings.seeds)):
        yield _run(mix, seed, usual(settings), name, share)
    for mix, terms, name, seed in product(
        MIXES, _terms(settings), UNDER_TERMS, range(settings.seeds)
    ):
        yield _run(mix, seed, usual(settings), name, USUAL, terms)
    for (share, jobs), name, seed in product(cases(settings), LEARNING, range(settings.seeds)):
        yield _run(APPS, seed, jobs, name, share)


def report(settings: Settings, answers: Answers) -> Results:
    """Make tables, charts and sentences of the rows, and of what is measured here."""
    by_budget = {
        mix: {share: _rented(mix, settings, answers, share) for share in _shares(settings)}
        for mix in MIXES
    }
    by_terms = {
        mix: {
            FREE: by_budget[mix][USUAL],
            **{terms: _rented(mix, settings, answers, USUAL, terms) for terms in _terms(settings)},
        }
        for mix in MIXES
    }
    by_length = {
        (share, jobs): _rented(APPS, settings, answers, share, jobs=jobs, names=LEARNING)
        for share, jobs in cases(settings)
    }
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
        statements=(*said(by_budget), *said_of_stalls(by_terms), found.sentence),
    )


def _shares(settings: Settings) -> list[str]:
    return settings.some(SHARES)


def _terms(settings: Settings) -> list[str]:
    return settings.some([terms for terms in TERMS if terms != FREE])


def _run(mix: str, seed: int, jobs: int, name: str, share: str, terms: str = FREE) -> Run:
    path = instance(mix, seed, jobs, share, terms)
    return Run(instance=path, method=METHODS[name], seed=seed)


def _rented(
    mix: str,
    settings: Settings,
    answers: Answers,
    share: str,
    terms: str = FREE,
    jobs: int | None = None,
    names: tuple[str, ...] | None = None,
) -> RentedRows:
    names = names or (tuple(METHODS) if terms == FREE else UNDER_TERMS)
    jobs, seeds = jobs or usual(settings), range(settings.seeds)
    return RentedRows(
        paths=tuple(instance(mix, seed, jobs, share, terms) for seed in seeds),
        rows={
            name: [_row(_run(mix, seed, jobs, name, share, terms), answers) for seed in seeds]
            for name in names
        },
    )


def _row(run: Run, answers: Answers) -> Row:
    """Return a row that is valid, or that says that the budget is not enough."""
    found = answers(run)
    return found if found["status"] == "unknown" else sound(answers)(run)
