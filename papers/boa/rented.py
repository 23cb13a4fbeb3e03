"""What ways to rent GPUs made of the same paths, at their own spend and beside BOA."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import fmean

from ...analysis.rows import Row
from ...campaigns.rent.asked import UP, written
from ...instances import FleetInstance
from ...run import ContradictionError
from ...search.rental.bounds import combinatorial_bounds
from ..compared import Compared

BASE, POLLUX, ASKED = "BOA", "Pollux-like", "as asked"

METHODS = {
    BASE: "boa",
    "BOA, online": "boa-online",
    "equal widths": "equal-width",
    ASKED: "as-asked",
    "static, FIFO": "static-fifo",
    "static, fair": "static-fair",
    "static, 2D-LAS": "static-las:interval_s=300",
    POLLUX: "pollux",
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
