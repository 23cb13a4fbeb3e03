"""Relaxations of one whole width for each epoch of each type of jobs (BOA), and its rounding."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

from ...analysis.guarantees import find_guarantee
from ...analysis.intervals import mean_above
from ...analysis.tables import Cell, Table, columns_of, numbers
from ...campaigns.reproductions import Answers, Run
from ...formulations.adapters.rental_cvxpy import Form, solve_convex
from ...formulations.catalogue import find_formulation
from ...formulations.matrix import relaxed, stated_matrix
from ...formulations.program import Caps
from ...formulations.rental.widths import classes_of
from ...formulations.solver_interface.solve import solve
from ...instances import Limits, RefusedError, RentalInstance, SolutionStatus
from ...instances.catalogue import entries
from ...policies.rental.dual import solve_budget, streams_of
from ...run import ContradictionError
from ...search.rental.bounds import combinatorial_bounds
from ..study import named, table_of
from .rings import Rounded, below, rounded_table
from .strengths import (
    AT,
    ENGINES,
    Root,
    RoundedPair,
    Timed,
    solved,
    strength_rows,
    strength_table,
    timed,
)

FULL, REAL, HULL = "full speed", "real widths", "hull of whole widths"
RELAXATIONS = (FULL, REAL, HULL)
OTHERS = ("price", "Clarabel", "Clarabel, closed", "SCS")

PURE, SPLIT = "boa-pure", "boa-integer"
"""Methods that round: to one width for each class, or to two for one of them."""


class WholeRental(NamedTuple):
    """An instance with whole widths, and the best plans of it."""

    instance: RentalInstance
    pure: float
    """Of one width for each class."""
    split: float
    """Of any whole widths: the hull's value, which is reached."""
    proved: bool
    """True if a solver claims `pure` to be the best."""


def names() -> list[str]:
    """Return the named instances whose jobs do not stand still, small ones first."""
    known = [one for one in entries().values() if one.kind == "rental" and not one.problem]
    ordered, pure = sorted(known, key=lambda one: one.jobs), find_formulation("pure")
    return [one.name for one in ordered if pure.refuses(whole(one.name)) is None]


@cache
def whole(name: str) -> RentalInstance:
    """Return a named instance, with whole widths if it had any."""
    instance: RentalInstance = named(name)
    return replace(instance, widths="whole")


def rentals(asked: Iterable[str], time_limit: float) -> Iterator[WholeRental]:
    """Yield the instances whose programs can be stated, with the best plans known."""
    for name in asked:
        instance, caps = whole(name), Caps(time_s=time_limit)
        program = stated_matrix(instance, find_formulation("pure"))
        found = [solve(program, solver=one, caps=caps) for one in ("highs", "scip")]
        values = [one.value for one in found if one.value is not None]
        claims = [
            one.value
            for one in found
            if one.status is SolutionStatus.OPTIMAL and one.value is not None
        ]
        if claims and max(claims) > min(values) * (1 + 10 * AT):
            raise ContradictionError(f"{name}: {max(claims)} is claimed, {min(values)} is better")
        priced = solve_budget(streams_of(instance), float(instance.budget_gpus))
        if values and priced is not None:
            yield WholeRental(instance, min(values), priced.mean_jct, bool(claims))


def rental_roots(found: Iterable[WholeRental], time_limit: float) -> Iterator[Root]:
    """Yield the relaxations of instances, over the best plan of one width for each class."""
    for one in found:
        name, best = one.instance.name, one.pure
        hull = relaxed(stated_matrix(one.instance, find_formulation("shares")))
        by_price = _priced(one.instance, whole=True)
        conic: dict[str, Callable[[], float | None]] = {
            "Clarabel": partial(_convex, one.instance, "perspective", "CLARABEL", time_limit),
            "Clarabel, closed": partial(_convex, one.instance, "closed", "CLARABEL", time_limit),
            "SCS": partial(_convex, one.instance, "perspective", "SCS", time_limit),
        }
        real = {"price": _priced(one.instance, whole=False)}
        real |= {engine: timed(ask) for engine, ask in conic.items()}
        for relaxation, program, others in (
            (FULL, None, {"price": timed(partial(_free, one.instance))}),
            (REAL, None, real),
            (HULL, hull, {"price": by_price}),
        ):
            yield solved(Root(name, best, relaxation, program, None, {}), time_limit, others)


def _free(instance: RentalInstance) -> float:
    found = {bound.name: bound.value for bound in combinatorial_bounds(instance)}
    return float(found[FULL])


def _priced(instance: RentalInstance, *, whole: bool) -> Timed:
    def ask() -> float | None:
        priced = solve_budget(streams_of(instance, whole=whole), float(instance.budget_gpus))
        return None if priced is None else priced.mean_jct

    return timed(ask)


def _convex(instance: RentalInstance, form: Form, solver: str, time_limit: float) -> float | None:
    limits, budget = Limits(time_s=time_limit), float(instance.budget_gpus)
    try:
        found = solve_convex(classes_of(instance), budget, form, limits, solver)
    except (RefusedError, TimeoutError):
        return None
    cut_short = found is not None and not found.exact and limits.over()
    return None if found is None or cut_short else found.mean_jct


def rental_strength(found: list[WholeRental], known: list[Root]) -> Table:
    """Return a line for each relaxation: its strength, size and time."""
    engines = (*ENGINES, *OTHERS)
    proved = sum(one.proved for one in found)
    return strength_table(
        "Relaxations of whole widths: mean completion time / best known",
        strength_rows(known, RELAXATIONS, engines),
        engines,
        f"{len(found)} instances, all with whole widths. The best plan has one width for each "
        f"epoch of each type. HiGHS or SCIP claim {proved} to be optimal. Processor seconds, "
        "followed by the number of unsolved instances. Clarabel may stop before the requested "
        "1e-11, but its values agree with the other solvers.",
        digits=5,
    )


def rental_values(found: list[WholeRental], known: list[Root]) -> Table:
    """Return a line for each instance, with the values of all relaxations."""
    values: Mapping[tuple[str, str], float | None] = {
        (root.instance, root.name): root.value for root in known
    }
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        name = one.instance.name
        bound = float(combinatorial_bounds(one.instance)[0].value)
        relaxed_to = (values.get((name, relaxation)) for relaxation in RELAXATIONS)
        rows.append((name, len(one.instance.types), one.pure, *relaxed_to, bound))
    return table_of(
        "Mean completion times of plans of whole widths, and their relaxations, in hours",
        (
            *columns_of({"instance": None, "types": 0}),
            *numbers("best known", *RELAXATIONS, "certified", digits=6),
        ),
        rows,
        "Certified: the bound by the best price of a GPU, in fractions.",
    )


def rental_runs(asked: Iterable[str], time_limit: float) -> Iterator[Run]:
    """Yield the runs that round."""
    for name in asked:
        for method in (PURE, SPLIT):
            yield Run(instance=whole(name), method=method, time_limit=time_limit)


def rental_rounded(found: Sequence[WholeRental], time_limit: float, answers: Answers) -> Rounded:
    """Return the roundings of the hull, over the best plan of the same sort."""
    pairs = list(_pairs(found, time_limit, answers))
    caption = "Roundings of the hull of whole widths: value / best plan of the same sort"
    return Rounded(rounded_table(caption, pairs, digits=(5, 5)), pairs)


def _pairs(
    found: Sequence[WholeRental], time_limit: float, answers: Answers
) -> Iterator[RoundedPair]:
    carried = find_guarantee("two-widths")
    for method in (PURE, SPLIT):
        rows = [
            (one, answers(Run(instance=one.instance, method=method, time_limit=time_limit)))
            for one in found
        ]
        held = [(one, one.pure if method == PURE else one.split, row) for one, row in rows]
        ratios = [row["objective"] / best for _, best, row in held if row["valid"]]
        shares = [one.split / best for one, best, _ in held]
        factors = [float(carried.factor(one.instance)) for one in found]
        factor = sum(factors) / len(factors) if method == SPLIT else None
        yield RoundedPair(HULL, method, below(shares), mean_above(ratios, 1.0), factor)
