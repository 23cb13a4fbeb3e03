"""Turns answers of engines into new lines of the corpus history.

Points are priced in fractions. Bounds are certified by duals that are summed in fractions, or by a
certified bound on the instance, which holds for each of its exact programs. What an engine says of
its own is a claim.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import ceil, inf, nextafter
from typing import NamedTuple

import numpy as np

from ..analysis.check.certificates.checking import check_certificate
from ..analysis.check.certificates.reading import read_certificate
from ..families import FAMILIES, family_of
from ..formulations.conic import ConicProgram
from ..formulations.corpus.build import formulation_of, model_of, states_schedules
from ..formulations.corpus.exact import priced, priced_in_cones
from ..formulations.corpus.history import (
    CLOSE,
    DIGEST,
    Certificate,
    HistoryLine,
    Side,
    best_point_line,
    close,
)
from ..formulations.corpus.index import CorpusEntry, ProgramRecipe, beyond, with_history
from ..formulations.exact import dual_bound
from ..formulations.matrix import point_of, relaxed
from ..formulations.program import TOLERANCE, Caps, Floats, Matrix, Program
from ..formulations.solver_interface.solve import solve
from ..instances import Bound, BoundKind, InputError, RefusedError, SolutionStatus
from ..instances.catalogue import best_schedule, entries, load
from ..instances.certificate import certificate_text, searched_steps
from .verdicts import maker, tolerance_of

MOST_EXACT = 1_500_000
"""Programs with more nonzeros get no certified bound, and no point of the catalogue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An engine's answer about a program, and the circumstances."""

    by: str
    version: str
    date: str
    status: SolutionStatus
    point: Floats | None = None
    value: float | None = None
    """Value of a point that was priced before, and is not at hand."""
    seconds: float | None = None
    limit_s: float | None = None
    threads: int = 1


class Learned(NamedTuple):
    """The lines that answers add, and what contradicts them or what was known, in words."""

    lines: list[HistoryLine]
    contradictions: list[str]
    point: Floats | None = None
    """The point of the line that has one."""


def learned(
    entry: CorpusEntry,
    lines: Iterable[HistoryLine],
    program: Program | ConicProgram | None,
    answers: Iterable[Answer],
) -> Learned:
    """Return what answers add to the lines about a program. Their order does not matter.

    Without the program, only claims are learned.
    """
    before, new, against = list(lines), list[HistoryLine](), list[str]()
    point: Floats | None = None

    def known() -> CorpusEntry:
        return with_history(entry, [*before, *new])

    told = sorted(answers, key=lambda one: (one.by, one.version, one.date, one.limit_s or 0.0))
    points = [(one, _point_line(entry, program, one)) for one in told]
    best = best_point_line([line for _, line in points if line is not None])
    if best is not None and best.value is not None:
        now = known()
        if now.bound is not None and beyond(now.bound, best.value):
            against.append(f"{best.by} has {best.value:.10g}, below the certified {now.bound}")
        elif now.value is None or beyond(now.value, best.value):
            new.append(best)
            point = next(one.point for one, line in points if line is best)
    for one, line in points:
        if one.status is SolutionStatus.INFEASIBLE:
            value = None
        elif one.status is SolutionStatus.OPTIMAL and (line or one.value is not None):
            value = line.value if line else one.value
        else:
            continue
        now = known()
        if _same(value, now.value):
            if not now.certified and _is_new(one.by, now.provers):
                new.append(_line(entry, one, "proof", value))
        elif not _same(value, now.value, tolerance_of(entry)):
            claims = f"{one.by} {one.version} claims {_words(value)}"
            against.append(f"{claims}, not {_words(now.value)}")
    return Learned(new, against, point)


CODES = 2
"""So many codes settle an optimum by their claims. Further claims are no improvement."""


def _is_new(engine: str, provers: Iterable[str]) -> bool:
    """Return True if the claim of an engine adds a code."""
    codes = {maker(name) for name in provers}
    return len(codes) < CODES and maker(engine) not in codes


def _same(one: float | None, other: float | None, tolerance: float = CLOSE) -> bool:
    return one is other if one is None or other is None else close(one, other, tolerance)


def _words(value: float | None) -> str:
    return "that there is no point" if value is None else f"the optimum {value:.10g}"


def _line(entry: CorpusEntry, answer: Answer, side: Side, value: float | None) -> HistoryLine:
    return HistoryLine(
        program=entry.name,
        digest=entry.digest[:DIGEST],
        date=answer.date,
        side=side,
        value=value,
        by=answer.by,
        version=answer.version,
        seconds=answer.seconds,
        limit_s=answer.limit_s,
        threads=answer.threads,
    )


def _point_line(
    entry: CorpusEntry, program: Program | ConicProgram | None, answer: Answer
) -> HistoryLine | None:
    """Return the line of a point that holds to the solvers' tolerance."""
    if answer.point is None or program is None:
        return None
    values = {int(j): Fraction(float(answer.point[j])) for j in np.flatnonzero(answer.point)}
    try:
        if isinstance(program, ConicProgram):
            found = priced_in_cones(program, values)
        else:
            found = priced(program, values)
    except ZeroDivisionError:
        return None
    if not found.holds(Fraction(TOLERANCE)):
        return None
    line = _line(entry, answer, "point", float(found.value))
    return replace(line, miss=float(found.worst.amount))


def on_record(recipe: ProgramRecipe, program: Program, date: str) -> Answer | None:
    """Return the point of the catalogue's best schedule, where the program states it."""
    formulation, plan = formulation_of(recipe), best_schedule(recipe.instance)
    large = isinstance(program, Matrix) and program.a.nnz > MOST_EXACT
    if formulation is None or plan is None or not formulation.exact or large:
        return None
    model = model_of(recipe)
    try:
        formulation.write(model, plan)
    except (InputError, RefusedError, LookupError, ValueError):
        return None  # It ends after the horizon.
    point = point_of(model, program)
    return Answer(
        by="catalogue", version="", date=date, status=SolutionStatus.FEASIBLE, point=point
    )


def certified_line(
    entry: CorpusEntry, program: Program | ConicProgram, limit_s: float, date: str
) -> HistoryLine | None:
    """Return the line of a certified bound that is better than the known one."""
    recipe = entry.recipe
    by_judge, horizon = bound_of_instance(recipe), recipe.number
    made = HistoryLine(program=entry.name, digest=entry.digest[:DIGEST], date=date, side="bound")
    if by_judge is not None and entry.value is None and horizon and by_judge > horizon:
        return None if entry.certified else replace(made, side="none", certificate="judge")
    in_cones = recipe.program == "cones"
    by_duals = _of_rental(recipe) if in_cones else bound_of_duals(program, limit_s)
    bounds: list[tuple[Fraction | None, Certificate]] = [(by_duals, "dual"), (by_judge, "judge")]
    found = [(_below(bound), certificate) for bound, certificate in bounds if bound is not None]
    if not found:
        return None
    value, certificate = max(found)
    if entry.bound is not None and not beyond(value, entry.bound):
        return None
    return replace(made, value=value, certificate=certificate)


def _of_rental(recipe: ProgramRecipe) -> Fraction:
    """Return the bound by duals on the instance, whose continuous widths the program states."""
    instance = load(recipe.instance)
    return Fraction(family_of(instance).bounds(instance)[0].value)


def bound_of_instance(recipe: ProgramRecipe) -> Fraction | None:
    """Return the certified bound of the catalogue, if the program has the instance's objective.

    It holds for each exact program of the instance. A relaxed program has another objective.
    """
    entry = entries().get(recipe.instance)
    if not states_schedules(recipe):
        return None
    if entry is None or not entry.lower or not (sign := FAMILIES[entry.kind].program_sign):
        return None
    bounds = [
        one.value
        for one in entry.lower
        if one.certificate not in ("solver", "searched")
        or (one.certificate == "searched" and _followed(recipe.instance, one.value))
    ]
    return max((sign * bound for bound in bounds), default=None)


@cache
def _followed(name: str, value: Fraction) -> bool:
    """Return True if the checker of certificates follows a search for the least makespan."""
    instance = load(name)
    rule = family_of(instance).tries
    if not rule:
        return False
    kind, steps = BoundKind.SEARCHED, searched_steps(rule, value)
    bound = Bound(value=value, kind=kind, name=rule, argument="", proof=steps)
    text = certificate_text(instance, bound, maximize=False)
    return check_certificate(instance, read_certificate(text, name)).accepted


def bound_of_duals(program: Program | ConicProgram, limit_s: float) -> Fraction | None:
    """Return the bound by duals in fractions, rounded up where the objective is whole."""
    if not isinstance(program, Matrix) or program.a.nnz > MOST_EXACT:
        return None
    solution = solve(relaxed(program), caps=Caps(time_s=limit_s, own_process=True))
    if solution.duals is None or solution.status is not SolutionStatus.OPTIMAL:
        return None
    bound = dual_bound(program, solution.duals)
    if bound is None or not whole_objective(program):
        return bound
    offset = Fraction(program.offset)
    return ceil(bound - offset) + offset


def whole_objective(matrix: Matrix) -> bool:
    """Return True if every value of the objective is whole, but for the offset."""
    used = np.flatnonzero(matrix.cost)
    whole = all(float(value).is_integer() for value in matrix.cost[used].tolist())
    return whole and bool(matrix.integer[used].all())


def _below(bound: Fraction) -> float:
    near = float(bound)
    return near if Fraction(near) <= bound else nextafter(near, -inf)
