"""The tables and sentences about ways to rent GPUs at equal spend, and under what terms."""

from collections.abc import Iterator, Mapping

from ...analysis.intervals import ABOVE, mean_above, paired_ratio
from ...analysis.rental import premises
from ...analysis.tables import Cell, Table, cell_text, columns_of, numbers, texts
from ...instances import FleetInstance
from ..study import Settings
from .rented import BASE, FREE, METHODS, POLLUX, STALLS, USUAL, RentedRows, least_ratios

INTERVALS = "with 95 % intervals (Student's t on logarithms)"

TAIL = "p95_jct_s"
"""The column of the time within which 95 % of the jobs are done."""

Budgets = Mapping[str, Mapping[str, RentedRows]]
"""What was made by mix, and by budget or terms."""


def spend_table(found: Budgets, settings: Settings) -> Table:
    """Return what each policy makes of each budget."""
    return Table(
        caption="Ways to rent GPUs for the same jobs and the same money",
        columns=(
            *texts("jobs", "budget / load", "policy"),
            *columns_of({"mean JCT, h": 3, "spent, %": 1, "over BOA": 2, "p95 over BOA's": 2}),
            *numbers("over the least for its spend", digits=3),
        ),
        rows=tuple(
            (mix, share, name, *_cells(one, name))
            for mix, budgets in found.items()
            for share, one in sorted(budgets.items(), key=lambda item: float(item[0]))
            for name in METHODS
        ),
        shared=2,
        notes=(
            f"{settings.seeds} paths of {len(next(_paths(found)).jobs)} jobs; "
            f"means, over BOA geometric means on the same path, {INTERVALS}, over the least "
            f"{ABOVE} 1. Load: GPUs busy if every job has one. Least for its spend: the program's "
            "value for the jobs of the path and for what the policy itself paid; certified. p95: "
            "the time within which 95 % of the jobs of a path are done. -: "
            "more than the budget.",
        ),
    )


def _paths(found: Budgets) -> Iterator[FleetInstance]:
    return (path for budgets in found.values() for one in budgets.values() for path in one.paths)


def _cells(one: RentedRows, name: str) -> tuple[Cell, ...]:
    if not one.complete(name):
        return None, None, None, None, None
    least = mean_above(one.over_least(name), 1.0)
    ratios = one.ratio(name, BASE), one.ratio(name, BASE, TAIL)
    return one.mean(name), 100 * one.spent(name), *ratios, least


def terms_table(found: Budgets, names: tuple[str, ...]) -> Table:
    """Return what terms of renting cost, and which hypothesis of the theorem they break."""
    return Table(
        caption="What terms of renting cost at equal spend",
        columns=(
            *texts("jobs", "terms", "hypothesis not met"),
            *numbers("BOA over the program's value", digits=3),
            *numbers(*names, digits=2, over="over the same without"),
        ),
        rows=tuple(
            (mix, terms, _unmet(one), _loss(one), *_dearer(one, by_terms[FREE], names))
            for mix, by_terms in found.items()
            for terms, one in by_terms.items()
        ),
        shared=1,
        notes=(
            f"Means over the program's value, {ABOVE} 1, and geometric means over paths, "
            f"{INTERVALS}, for {USUAL} times the load. The program knows nothing of the terms, so "
            "its value is a bound under all of them. -: no width is found that keeps within the "
            "budget on every path.",
        ),
    )


def _unmet(one: RentedRows) -> str:
    return "; ".join(p.name for p in premises(one.paths[0]) if p.unmet) or "all are met"


def _loss(one: RentedRows) -> Cell:
    if not one.complete(BASE):
        return None
    return mean_above(one.over_least(BASE), 1.0)


def _dearer(one: RentedRows, free: RentedRows, names: tuple[str, ...]) -> Iterator[Cell]:
    for name in names:
        both = one is not free and one.complete(name) and free.complete(name)
        yield paired_ratio(one.values(name), free.values(name)) if both else None


def said(found: Budgets) -> Iterator[str]:
    """Say that no scheduler is below the program, and how far one like Pollux is from BOA."""
    for mix, budgets in found.items():
        some = {name: least_ratios(budgets.values(), name) for name in METHODS}
        name, ratio = min(
            ((name, min(own)) for name, own in some.items() if own), key=lambda item: item[1]
        )
        runs = sum(map(len, some.values()))
        yield (
            f"{mix}: of {runs} runs none is below the program's value for its own spend; the "
            f"nearest, {name}, is {ratio:.5f} times that"
        )
    here = _ratios({mix: budgets[USUAL] for mix, budgets in found.items()})
    yield f"the paper's abstract says 1.6 and 2; {POLLUX} over BOA here: {here}"


def said_of_stalls(found: Budgets) -> Iterator[str]:
    """Say how far one like Pollux is from BOA where a change of GPUs takes a minute."""
    stalled = {mix: terms[STALLS] for mix, terms in found.items() if STALLS in terms}
    if stalled:
        yield f"with {STALLS} at each change of GPUs, {POLLUX} over BOA here: {_ratios(stalled)}"


def _ratios(found: Mapping[str, RentedRows]) -> str:
    return ", ".join(f"{mix} {cell_text(one.ratio(POLLUX, BASE), 2)}" for mix, one in found.items())
