"""How many runs went how, by method."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ..rows import Row, answered, solved
from .cases import Case, by_method, for_all_seeds
from .wrong import WRONG, mark_wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Runs of a method, by what they left; `failed` ones left nothing, wrong ones included.

    A run can be both solved and valid; `feasible` are valid ones that are not solved.
    """

    runs: int
    solved: int
    valid: int
    feasible: int
    failed: int
    wrong: int
    missing: int
    statuses: dict[str, int]


def count_runs(rows: Iterable[Row], *, seedless: Collection[str] = ()) -> dict[str, Counts]:
    """Return the counts of every method over all rows; `missing` are cases that others ran.

    No other seeds are missing for the methods that no seed changes, the `seedless`.
    """
    table = by_method(mark_wrong(rows))
    union = set[Case]().union(*table.values())
    spread = for_all_seeds(table, seedless)
    return {
        method: count(runs.values(), missing=len(union) - len(spread[method]))
        for method, runs in table.items()
    }


def count(runs: Iterable[Row], *, missing: int = 0) -> Counts:
    """Return the counts of some runs in which wrong ones are marked."""
    runs = list(runs)
    statuses = Counter(sorted(row["status"] for row in runs))
    return Counts(
        runs=len(runs),
        solved=sum(map(solved, runs)),
        valid=sum(map(answered, runs)),
        feasible=sum(answered(row) and not solved(row) for row in runs),
        failed=sum(not answered(row) and not solved(row) for row in runs),
        wrong=statuses[WRONG],
        missing=missing,
        statuses=dict(statuses),
    )
