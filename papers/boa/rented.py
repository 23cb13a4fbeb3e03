"""What ways to rent GPUs made of the same paths, on the same terms, at their own spend."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import ceil
from statistics import fmean
from typing import Any

from ...analysis.rows import Row
from ...campaigns.rent.budget import UP, written
from ...instances import FleetInstance
from ...instances.generate import generate
from ...run import ContradictionError
from ...search.rental.bounds import combinatorial_bounds
from ..compared import Compared
from ..study import Settings

TWO, APPS = "two types", "applications"

FAMILIES: dict[str, tuple[str, Mapping[str, Any]]] = {
    TWO: ("fleet-two-types", {"load": Decimal(20)}),
    APPS: ("fleet-pollux", {}),
}
"""Families of the generator by mix, and their options."""

JOBS, FEW = 100, 30
"""Jobs of a path, and of one of a small version."""

ASKS = 8
"""GPUs that users of the two types ask for; the paper's figure says nothing of it."""

SHARES = ("2", "1.5", "3")
"""Budgets, as multiples of the GPUs that the jobs keep busy if each has one; the usual first."""

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
"""What renting may cost beside the GPUs that jobs hold."""


def usual(settings: Settings) -> int:
    """Return how many jobs a path has, unless more are asked for."""
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
"""What is compared, and the methods that stand for it here."""

ROUNDING = Fraction(1, 10**12)
"""More than a number of a row is rounded by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RentedRows(Compared):
    """The rows of one budget, a row for each path; some have no log."""

    paths: Sequence[FleetInstance]

    def complete(self, name: str) -> bool:
        """Say whether a method kept within every budget."""
        return all(row["valid"] for row in self.rows[name])

    def spent(self, name: str) -> float:
        """Return the mean part of the budget that is spent."""
        paid = zip(self.rows[name], self.paths, strict=True)
        return fmean(row["mean_gpus"] / float(path.budget_gpus) for row, path in paid)

    def over_least(self, name: str) -> list[float]:
        """Return the times over the program's value for what was spent itself."""
        rows = zip(self.rows[name], self.paths, strict=True)
        return [_over_least(row, path) for row, path in rows]


def _over_least(row: Row, path: FleetInstance) -> float:
    """Return one of these; less than 1 cannot be."""
    gpus = written(Fraction(row["mean_gpus"]) * (1 + ROUNDING), UP)
    least = combinatorial_bounds(replace(path, budget_gpus=gpus))[0].value
    value = Fraction(row["objective"])
    if value * (1 + ROUNDING) < least:
        what = f"a mean of {float(value)} h for {gpus} GPUs, certified least {float(least)}"
        raise ContradictionError(f"{path.name}: {row['method']} gave {what}")
    return float(value / least)


def least_ratios(rented: Iterable[RentedRows], name: str) -> list[float]:
    """Return what a method made of many budgets, over the program's value for its own spend."""
    return [ratio for one in rented if one.complete(name) for ratio in one.over_least(name)]
