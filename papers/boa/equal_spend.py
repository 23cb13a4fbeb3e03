"""Policies that rent GPUs, compared on the same paths and terms at equal spend."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import ceil
from statistics import fmean
from typing import Any

import numpy as np

from ...analysis.drawing.colours import SOFT_INK
from ...analysis.figures.canvas import Figure, Point, draw, finished, guide, new_figure
from ...analysis.figures.style import POINTS, SOLID, looks_for
from ...analysis.intervals import ABOVE, mean_above, paired_ratio
from ...analysis.rental import premises
from ...analysis.rows import Row
from ...analysis.tables import Cell, Table, cell_text, columns_of, numbers, texts
from ...campaigns.rent.budget import UP, written
from ...campaigns.reproductions import Settings
from ...instances import FleetInstance
from ...instances.generate import generate
from ...policies.rental.dual import curve, streams_of
from ...run import ContradictionError
from ...search.rental.bounds import combinatorial_bounds
from ..study import Compared, table_of

TWO, APPS = "two types", "applications"

FAMILIES: dict[str, tuple[str, Mapping[str, Any]]] = {
    TWO: ("fleet-two-types", {"load": Decimal(20)}),
    APPS: ("fleet-pollux", {}),
}
"""Families of the generator by mix, and their options."""

JOBS, FEW = 100, 30
"""Jobs of a path, and of one of a small version."""

ASKS = 8
"""GPUs that users of the two types request, which the paper's figure does not give."""

SHARES = ("2", "1.5", "3")
"""Budgets, as multiples of the GPUs that the jobs keep busy if each has one, the usual one
first."""

USUAL, FREE, STALLS = SHARES[0], "free", "stalls of 60 s"

TERMS: dict[str, Mapping[str, Any]] = {
    FREE: {},
    STALLS: {"rescale_s": Decimal(60)},
    "GPUs 120 s late": {"provision_s": Decimal(120)},
    "nodes of 4": {"node_gpus": 4},
    "billed by the hour": {"billing_s": Decimal(3600)},
    "all of these": {
        "rescale_s": Decimal(60),
        "provision_s": Decimal(120),
        "node_gpus": 4,
        "billing_s": Decimal(3600),
    },
}
"""Costs of renting in addition to the GPUs that jobs hold."""


def usual(settings: Settings) -> int:
    """Return the usual number of jobs of a path."""
    return FEW if settings.points else JOBS


def instance(
    mix: str, seed: int, jobs: int, share: str = USUAL, terms: str = FREE
) -> FleetInstance:
    """Return the jobs of a seed, the same whatever the budget and the terms."""
    drawn = _drawn(mix, seed, jobs)
    load = float(sum(map(sum, drawn.loads)))
    return replace(
        drawn,
        name=f"{drawn.name} {share} {terms}",
        budget_gpus=ceil(1000 * float(share) * load) / Decimal(1000),
        **TERMS[terms],
    )


@cache
def _drawn(mix: str, seed: int, jobs: int) -> FleetInstance:
    name = f"{mix.replace(' ', '-')}-{jobs}-s{seed}"
    family, options = FAMILIES[mix]
    found: FleetInstance = generate(family, seed=seed, name=name, jobs=jobs, **options)
    if mix == APPS:
        return found
    return replace(found, types=tuple(replace(one, asks=ASKS) for one in found.types))


BASE, ONLINE, POLLUX, ASKED = "BOA", "BOA, online", "Pollux-like", "as asked"
FIRST = "Pollux-like, first epoch's goodput"

METHODS = {
    BASE: "boa",
    ONLINE: "boa-online",
    "equal widths": "equal-width",
    ASKED: "as-asked",
    "static, FIFO": "static-fifo",
    "static, fair": "static-fair",
    "static, 2D-LAS": "static-las:interval_s=300",
    POLLUX: "pollux",
    FIRST: "pollux:known=first",
}
"""Policies, and the methods that stand for them here."""

ROUNDING = Fraction(1, 10**12)
"""More than a number of a row is rounded by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RentedRows(Compared):
    """The rows of one budget, a row for each path, some without a log."""

    paths: Sequence[FleetInstance]

    def complete(self, name: str) -> bool:
        """Return True if a method kept within every budget."""
        return all(row["valid"] for row in self.rows[name])

    def spent(self, name: str) -> float:
        """Return the mean part of the budget that is spent."""
        paid = zip(self.rows[name], self.paths, strict=True)
        return fmean(row["mean_gpus"] / float(path.budget_gpus) for row, path in paid)

    def over_least(self, name: str) -> list[float]:
        """Return the times over the program's value for the same spend."""
        rows = zip(self.rows[name], self.paths, strict=True)
        return [_over_least(row, path) for row, path in rows]


def _over_least(row: Row, path: FleetInstance) -> float:
    """Return the ratio of one row, which cannot be less than 1."""
    gpus = written(Fraction(row["mean_gpus"]) * (1 + ROUNDING), UP)
    least = combinatorial_bounds(replace(path, budget_gpus=gpus))[0].value
    value = Fraction(row["objective"])
    if value * (1 + ROUNDING) < least:
        what = f"a mean of {float(value)} h for {gpus} GPUs, certified least {float(least)}"
        raise ContradictionError(f"{path.name}: {row['method']} gave {what}")
    return float(value / least)


def least_ratios(rented: Iterable[RentedRows], name: str) -> list[float]:
    """Return the results of a method with many budgets, over the program's value for its spend."""
    return [ratio for one in rented if one.complete(name) for ratio in one.over_least(name)]


INTERVALS = "with 95 % intervals (Student's t on logarithms)"

TAIL = "p95_jct_s"
"""The column of the time within which 95 % of the jobs are done."""

Budgets = Mapping[str, Mapping[str, RentedRows]]
"""Rows by mix, and by budget or terms."""


def spend_table(found: Budgets, settings: Settings) -> Table:
    """Return the results of each policy with each budget."""
    return table_of(
        "Rental policies for the same jobs and the same spend",
        (
            *texts("jobs", "budget / load", "policy"),
            *columns_of({"mean JCT, h": 3, "spent, %": 1, "over BOA": 2, "p95 over BOA's": 2}),
            *numbers("over the least for its spend", digits=3),
        ),
        (
            (mix, share, name, *_cells(one, name))
            for mix, budgets in found.items()
            for share, one in sorted(budgets.items(), key=lambda item: float(item[0]))
            for name in METHODS
        ),
        f"{settings.seeds} paths of {len(next(_paths(found)).jobs)} jobs: means, over BOA "
        f"geometric means on the same path, {INTERVALS}, over the least {ABOVE} 1. Load: GPUs "
        "busy if every job has one. Least for its spend: the program's certified value for "
        "the jobs of the path and the policy's own spend. p95: the time within which 95 % of "
        "the jobs of a path are done. -: more than the budget.",
        shared=2,
    )


def _paths(found: Budgets) -> Iterator[FleetInstance]:
    return (path for budgets in found.values() for one in budgets.values() for path in one.paths)


def _count(found: Budgets) -> int:
    return len(next(iter(next(iter(found.values())).values())).paths)


def _cells(one: RentedRows, name: str) -> tuple[Cell, ...]:
    if not one.complete(name):
        return None, None, None, None, None
    least = mean_above(one.over_least(name), 1.0)
    ratios = one.ratio(name, BASE), one.ratio(name, BASE, TAIL)
    return one.mean(name), 100 * one.spent(name), *ratios, least


def terms_table(found: Budgets, names: tuple[str, ...]) -> Table:
    """Return the cost of terms of renting, and which hypothesis of the theorem they break."""
    return table_of(
        "Cost of rental terms at equal spend",
        (
            *texts("jobs", "terms", "hypothesis not met"),
            *numbers("BOA over the program's value", digits=3),
            *numbers(*names, digits=2, over="over the same without"),
            *numbers(f"{POLLUX} over BOA", digits=2),
        ),
        (
            (mix, terms, _unmet(one), _loss(one), *_dearer(one, by_terms[FREE], names), _rival(one))
            for mix, by_terms in found.items()
            for terms, one in by_terms.items()
        ),
        f"{_count(found)} paths: means over the program's value, {ABOVE} 1, and geometric means, "
        f"{INTERVALS}, for {USUAL} times the load. The program knows nothing of the terms, so "
        "its value is a bound under all of them. A dash means that no width keeps within the "
        "budget on every path.",
        shared=1,
    )


def _unmet(one: RentedRows) -> str:
    return "; ".join(p.name for p in premises(one.paths[0]) if p.unmet) or "all are met"


def _loss(one: RentedRows) -> Cell:
    if not one.complete(BASE):
        return None
    return mean_above(one.over_least(BASE), 1.0)


def _rival(one: RentedRows) -> Cell:
    both = POLLUX in one.rows and one.complete(POLLUX) and one.complete(BASE)
    return one.ratio(POLLUX, BASE) if both else None


def _dearer(one: RentedRows, free: RentedRows, names: tuple[str, ...]) -> Iterator[Cell]:
    for name in names:
        both = one is not free and one.complete(name) and free.complete(name)
        yield paired_ratio(one.values(name), free.values(name)) if both else None


def statements(found: Budgets) -> Iterator[str]:
    """Yield that no scheduler is below the program, and how far one like Pollux is from BOA."""
    for mix, budgets in found.items():
        some = {name: least_ratios(budgets.values(), name) for name in METHODS}
        name, ratio = min(
            ((name, min(own)) for name, own in some.items() if own), key=lambda item: item[1]
        )
        runs = sum(map(len, some.values()))
        yield (
            f"{mix}: no run of {runs} is below the program's value for its own spend. The "
            f"nearest, {name}, has {ratio:.5f} times that value"
        )
    here = _ratios({mix: budgets[USUAL] for mix, budgets in found.items()})
    yield f"the paper's abstract says 1.6 and 2, and {POLLUX} over BOA here: {here}"


def stall_statements(found: Budgets) -> Iterator[str]:
    """Yield how far one like Pollux is from BOA where a change of GPUs takes a minute."""
    stalled = {mix: terms[STALLS] for mix, terms in found.items() if STALLS in terms}
    if stalled:
        yield f"with {STALLS} at each change of GPUs, {POLLUX} over BOA here: {_ratios(stalled)}"


def _ratios(found: Mapping[str, RentedRows]) -> str:
    return ", ".join(f"{mix} {cell_text(one.ratio(POLLUX, BASE), 2)}" for mix, one in found.items())


LENGTHS = (100, 400, 1000)
"""Jobs of a path."""

Learned = Mapping[tuple[str, int], RentedRows]
"""Rows by budget and length."""


def cases(settings: Settings) -> Iterator[tuple[str, int]]:
    """Yield budgets and lengths."""
    for share in sorted(settings.some(SHARES), key=float):
        for jobs in (FEW,) if settings.points else LENGTHS:
            yield share, jobs


def learning_table(found: Learned, settings: Settings) -> Table:
    """Return BOA online over BOA, by the length of the path."""
    return table_of(
        f"BOA online on longer paths: {APPS}",
        {"budget / load": None, "jobs": 0, "over BOA": 3, "p95 over BOA's": 3, "spent, %": 1},
        (
            (
                share,
                float(jobs),
                one.ratio(ONLINE, BASE),
                one.ratio(ONLINE, BASE, TAIL),
                100 * one.spent(ONLINE),
            )
            for (share, jobs), one in found.items()
        ),
        f"{settings.seeds} paths. Geometric means of ratios on the same path, {INTERVALS}.",
        shared=1,
    )


PAPER = {"1.6": "small implementation", "2": "large simulation"}
"""Mean completion times of other policies over BOA's in its paper, by place."""

DASHES = ((3.6, 2.4), (1.1, 1.2))

FINE = 60
"""Budgets along the curve."""

SHOWN = 5.0
"""Policies that take more times as long as BOA are left to the table."""

LEAST, MOST = 1.05, 3.4
"""Its ends, as multiples of the load."""


def draw_mix(mix: str, budgets: Mapping[str, RentedRows]) -> Figure:
    """Draw a mix. `budgets` has the rows of each budget."""
    paths = budgets[USUAL].paths
    least = _curve(paths)
    about = f"{mix}: mean completion time against GPUs paid for, by policy"
    across = "GPUs paid for / GPUs busy if every job has one"
    figure, axes = new_figure(about, across=across, up="mean completion time, h", log="y")
    guide(axes, least, "least for the money (program)", **SOLID)
    for (times, where), dash in zip(PAPER.items(), DASHES, strict=True):
        more = [(x, float(times) * y) for x, y in least]
        name = f"{times} times that (paper: {where})"
        guide(axes, more, name, color=SOFT_INK, linestyle=(0, dash))
    names = [name for name in METHODS if name != FIRST]  # It would lie on the one like Pollux.
    for name, look in looks_for(names).items():
        if points := _points(name, budgets):
            draw(axes, points, name, look | POINTS)
    notes = (
        f"{mix}, means over {len(paths)} paths of {len(paths[0].jobs)} jobs",
        f"not shown: more than {SHOWN:g} times BOA's",
    )
    return finished(figure, notes)


def load_of(path: FleetInstance) -> float:
    """Return the GPUs that are busy if every job has one."""
    return float(sum(map(sum, path.loads)))


def _curve(paths: Sequence[FleetInstance]) -> list[Point]:
    """Return the program's value by multiples of the load, on average over paths."""
    times = np.geomspace(LEAST, MOST, FINE)
    jct = [curve(streams_of(path), times * load_of(path)).mean_jct for path in paths]
    return list(zip(times.tolist(), np.mean(jct, axis=0).tolist(), strict=True))


def _points(name: str, budgets: Mapping[str, RentedRows]) -> list[Point]:
    """Return the spend and the mean completion time of a policy, by budget."""
    found = []
    for one in budgets.values():
        if one.complete(name):
            rows = zip(one.rows[name], one.paths, strict=True)
            spent = fmean(row["mean_gpus"] / load_of(path) for row, path in rows)
            mean = one.mean(name).mean
            found += [(spent, mean)] if mean <= SHOWN * one.mean(BASE).mean else []
    return sorted(found)
