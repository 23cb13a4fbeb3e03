"""The cases common to all compared methods, and numbers of runs by outcome."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ..rows import BOUND, Row, answered, solved
from .references import WRONG, Key, best_bounds, best_values, mark_wrong, refusal

DISTINCT = (
    *("threads", "workers", "time_limit", "cpu_limit", "memory_limit", "gap_limit", "target"),
    *("solver_version", "version", "code"),
)
"""Columns in which two runs of one method on one case may differ."""


class Case(NamedTuple):
    """The subject of one run: an instance with its horizon, a seed, a repetition."""

    digest: str
    horizon: int | None
    seed: int
    repetition: int

    @property
    def key(self) -> Key:
        """The problem without the chance in it."""
        return self.digest, self.horizon


Runs = dict[str, dict[Case, Row]]
"""Runs by method and case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """The runs of every method on the same cases, in one order.

    `limits` are the time limits of the cases. `left_out` is the number of cases that some method
    did not run. `best` and `bounds` are over all rows.
    """

    cases: tuple[Case, ...]
    runs: dict[str, tuple[Row, ...]]
    limits: tuple[float | None, ...]
    left_out: int
    best: dict[Key, float]
    bounds: dict[Key, float]


def case_of(row: Row) -> Case:
    """Return the case of a run."""
    return Case(row["digest"], row["horizon"], row["seed"], row["repetition"])


def by_method(rows: Iterable[Row]) -> Runs:
    """Return the runs of every method by case, and refuse two runs of a method on one case."""
    table: Runs = {}
    for row in rows:
        if row["method"] == BOUND:
            continue
        mine = table.setdefault(row["method"], {})
        other = mine.setdefault(case_of(row), row)
        if other is not row:
            raise _twice(row, other)
    return dict(sorted(table.items()))


def for_all_seeds(table: Runs, seedless: Collection[str]) -> Runs:
    """Reuse the run of a deterministic method for all seeds of its instance."""
    union = set[Case]().union(*table.values())
    spread = dict(table)
    for method in table.keys() & set(seedless):
        ordered = sorted(table[method], key=_order, reverse=True)
        least = {case._replace(seed=0): table[method][case] for case in ordered}
        ours = {case: least.get(case._replace(seed=0)) for case in union}
        spread[method] = {case: row for case, row in ours.items() if row} | table[method]
    return spread


def common_set(
    rows: Iterable[Row], *, seedless: Collection[str] = (), restrict: bool = False
) -> Common:
    """Return the runs on the cases that all methods have, with wrong runs marked.

    A missing run is refused or, with `restrict`, excludes its case. The single run of a `seedless`
    method is used for every seed.
    """
    marked = mark_wrong(rows)
    table = for_all_seeds(by_method(marked), seedless)
    if not table:
        raise refusal("rows", "runs", [], "a run of at least one method", "run the campaign")
    union = sorted(set[Case]().union(*table.values()), key=_order)
    cases = tuple(case for case in union if all(case in runs for runs in table.values()))
    if len(cases) < len(union) and not restrict:
        raise _missing(table, union)
    if not cases:
        advice = "leave out the method that has no case in common with the other methods"
        raise refusal("rows", "cases", [], "a case that all methods ran", advice)
    return Common(
        cases=cases,
        runs={method: tuple(runs[case] for case in cases) for method, runs in table.items()},
        limits=tuple(_limit([runs[case] for runs in table.values()]) for case in cases),
        left_out=len(union) - len(cases),
        best=best_values(marked),
        bounds=best_bounds(marked),
    )


def _order(case: Case) -> tuple[str, int, int, int]:
    return case.digest, case.horizon or 0, case.seed, case.repetition


def _limit(runs: list[Row]) -> float | None:
    limits = sorted({row["time_limit"] for row in runs if row["time_limit"] is not None})
    if len(limits) > 1:
        advice = "compare runs under one limit at a time"
        place = f"{runs[0]['instance']}: time_limit"
        raise refusal("rows", place, limits[1], f"{limits[0]}, as for the other methods", advice)
    return limits[0] if limits else None


def _twice(row: Row, other: Row) -> Exception:
    differ = [name for name in DISTINCT if row[name] != other[name]]
    place = f"{row['instance']}: {row['method']}, seed {row['seed']}"
    what = f"one run, not two that differ in {', '.join(differ) or 'no recorded value'}"
    advice = "choose one of them, or give the methods different names"
    return refusal("rows", place, row["key"], what, advice)


def _missing(table: Runs, union: list[Case]) -> Exception:
    method, case = next((m, c) for c in union for m, runs in table.items() if c not in runs)
    row = next(runs[case] for runs in table.values() if case in runs)
    place = f"{row['instance']}: {method}, seed {case.seed}"
    short = sum(any(case not in runs for runs in table.values()) for case in union)
    expected = f"a run, as for {row['method']} ({short} of {len(union)} cases are incomplete)"
    advice = (
        "run the missing cases, declare the method deterministic, or restrict the comparison to "
        "common cases"
    )
    return refusal("rows", place, None, expected, advice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Numbers of a method's runs by outcome. `failed` runs have no answer or a wrong one.

    A run can be both solved and valid. `feasible` runs are valid but not solved.
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
    """Return the numbers of every method. `missing` cases ran with other methods only.

    For `seedless` methods, no further seeds are missing.
    """
    table = by_method(mark_wrong(rows))
    union = set[Case]().union(*table.values())
    spread = for_all_seeds(table, seedless)
    return {
        method: count(runs.values(), missing=len(union) - len(spread[method]))
        for method, runs in table.items()
    }


def count(runs: Iterable[Row], *, missing: int = 0) -> Counts:
    """Return the numbers of runs by outcome, with wrong ones marked."""
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
