"""Measures a program of the corpus: what it is like, what solvers claim, what is certified."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from importlib.metadata import version
from math import ceil, inf, nextafter
from time import perf_counter
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from ringyard.analysis.check.certificates.checking import check_certificate
from ringyard.analysis.check.certificates.reading import read_certificate
from ringyard.engines.programs import class_of, sizes_of
from ringyard.formulations.adapters.conic_programs import FINE, knows, solve_conic
from ringyard.formulations.conic import ConicProgram
from ringyard.formulations.corpus.build import (
    build_any,
    digest_of,
    formulation_of,
    model_of,
    states_schedules,
)
from ringyard.formulations.corpus.exact import priced, priced_in_cones
from ringyard.formulations.corpus.index import (
    CLOSE,
    Class,
    CorpusEntry,
    ProgramRecipe,
    SolverClaim,
)
from ringyard.formulations.exact import dual_bound
from ringyard.formulations.matrix import point_of, relaxed
from ringyard.formulations.program import TOLERANCE, Caps, Floats, Matrix, Program
from ringyard.formulations.solver_interface.solve import find_solver, solve
from ringyard.instances import Bound, BoundKind, InputError, RefusedError, SolutionStatus
from ringyard.instances.catalogue import best_schedule, entries, load
from ringyard.instances.certificate import certificate_text, searched_steps
from ringyard.search.rental.bounds import combinatorial_bounds

MOST_EXACT = 1_500_000
"""Programs with more nonzeros get no certified bound, and no point of the catalogue."""

LARGE, LARGE_NL = 50_000, 200_000
"""Nonzeros, or bytes of NL text, from which on solvers may not notice their limit in time."""

SIGNS = {"makespan": 1, "online": -1}
"""What the objective of a family is in its exact programs: the same, or turned."""


class Known(NamedTuple):
    """A point that holds: its exact value and miss, and who found it."""

    value: Fraction
    miss: Fraction
    source: str
    point: Floats


class PricedPoint(Protocol):
    """A point with its exact value, and by how much it misses the program."""

    @property
    def value(self) -> Fraction:
        """The objective of the program."""

    @property
    def miss(self) -> Fraction:
        """The worst miss, as a part of the largest number of its row."""


Point = TypeVar("Point", bound=PricedPoint)


def best_known(points: Iterable[Point]) -> Point | None:
    """Return the point to put on record: of those that are close to the least value, the exactest.

    A point that misses rows within the solvers' tolerance may owe as much of its value to the
    misses. So it is no better than one that holds and is worse by no more than the tolerance.
    """
    held = list(points)
    if not held:
        return None
    least = min(one.value for one in held)
    room = Fraction(CLOSE) * max(Fraction(1), abs(least))
    return min((p for p in held if p.value - least <= room), key=lambda p: (p.miss, p.value))


def measure(recipe: ProgramRecipe, limit_s: float) -> tuple[CorpusEntry, Floats | None]:
    """Return what is known of a program after all provers had so many seconds; and its point."""
    program = build_any(recipe)
    if isinstance(program, ConicProgram):
        return measure_cones(recipe, program)
    kind = class_of(program)
    points, claims = list(_on_record(recipe, program)), []
    for name in provers(kind):
        claim, point = _asked(name, program, limit_s)
        claims.append(claim)
        points += [] if point is None else _holding(program, name, point)
    best = best_known(points)
    bound, certificate = _certified(recipe, program, limit_s, best is not None)
    entry = CorpusEntry(
        name=recipe.name,
        family=load(recipe.instance).kind,
        kind=kind,
        **sizes_of(program),
        digest=digest_of(program),
        value=None if best is None else float(best.value),
        miss=0.0 if best is None else float(best.miss),
        source="" if best is None else best.source,
        bound=None if bound is None else _below(bound),
        certificate=certificate,
        limit_s=limit_s,
        claims=tuple(claims),
    )
    return entry, None if best is None else best.point


def measure_cones(recipe: ProgramRecipe, program: ConicProgram) -> tuple[CorpusEntry, Floats]:
    """Return what is known of a program in cones; its solvers take moments, and have no limit.

    The best point is the one that misses least: what is below the optimum misses a cone.
    """
    claims, points = [], list[Known]()
    for engine in (name for name in FINE if knows(name, program)):
        began = perf_counter()
        try:
            point, sure, _ = solve_conic(program, engine)
        except RefusedError:
            continue
        values = {int(j): Fraction(float(point[j])) for j in np.flatnonzero(point)}
        found = priced_in_cones(program, values)
        claim = SolverClaim(
            solver=engine,
            version=version(engine),
            termination="done",
            status="optimal" if sure else "feasible",
            seconds=round(perf_counter() - began, 1),
            value=float(found.value),
        )
        claims.append(claim)
        if found.holds(Fraction(TOLERANCE)):
            points.append(Known(found.value, found.worst.amount, engine, point))
    best = min(points, key=lambda one: one.miss)
    instance = load(recipe.instance)
    bound = combinatorial_bounds(instance)[0].value if recipe.program == "cones" else None
    entry = CorpusEntry(
        name=recipe.name,
        family=instance.kind,
        kind="conic",
        **sizes_of(program),
        digest=digest_of(program),
        value=float(best.value),
        miss=float(best.miss),
        source=best.source,
        bound=None if bound is None else _below(bound),
        certificate="" if bound is None else "dual",
        claims=tuple(claims),
    )
    return entry, best.point


def provers(kind: Class) -> tuple[str, ...]:
    """Return the solvers that are asked."""
    if kind == "NL":
        return ("scip",)
    return ("highs", "scip", "cp-sat") if kind == "ip" else ("highs", "scip")


def _asked(name: str, program: Program, limit_s: float) -> tuple[SolverClaim, Floats | None]:
    solver, began = find_solver(name), perf_counter()
    found = solve(program, name, _caps(program, limit_s))
    claim = SolverClaim(
        solver=name,
        version=solver.version or "",
        termination=found.termination.value,
        status=found.status.value,
        seconds=round(perf_counter() - began, 1),
        value=found.value,
        bound=found.bound,
    )
    return claim, found.point


def _caps(program: Program, limit_s: float) -> Caps:
    """Return the limit; a large program has a process of its own, which is ended if need be."""
    large = len(program.nl) > LARGE_NL if not isinstance(program, Matrix) else program.a.nnz > LARGE
    return Caps(time_s=limit_s, own_process=large)


def _holding(program: Program, source: str, point: Floats) -> list[Known]:
    """Return what a point is worth, if it holds to the solvers' tolerance."""
    values = {int(j): Fraction(float(point[j])) for j in np.flatnonzero(point)}
    try:
        found = priced(program, values)
    except ZeroDivisionError:
        return []
    if not found.holds(Fraction(TOLERANCE)):
        return []
    return [Known(found.value, found.worst.amount, source, point)]


def _on_record(recipe: ProgramRecipe, program: Program) -> Iterator[Known]:
    """Yield the point of the catalogue's best schedule, where the program states it."""
    formulation, plan = formulation_of(recipe), best_schedule(recipe.instance)
    large = isinstance(program, Matrix) and program.a.nnz > MOST_EXACT
    if formulation is None or plan is None or not formulation.exact or large:
        return
    model = model_of(recipe)
    try:
        formulation.write(model, plan)
    except (InputError, RefusedError, LookupError, ValueError):
        return  # It ends after the horizon.
    yield from _holding(program, "catalogue", point_of(model, program))


def _certified(
    recipe: ProgramRecipe, program: Program, limit_s: float, feasible: bool
) -> tuple[Fraction | None, Any]:
    """Return the best certified bound and its certificate."""
    by_judge, horizon = _by_judge(recipe), recipe.number
    if by_judge is not None and not feasible and horizon is not None and by_judge > horizon:
        return None, "judge"
    by_duals = _by_duals(program, limit_s)
    found = [(by_duals, "dual"), (by_judge, "judge")]
    return max(((b, c) for b, c in found if b is not None), default=(None, ""))


def _by_judge(recipe: ProgramRecipe) -> Fraction | None:
    """Return the certified bound of the catalogue, if the program has the instance's objective.

    A relaxed program has not.
    """
    entry = entries().get(recipe.instance)
    if not states_schedules(recipe):
        return None
    if entry is None or entry.kind not in SIGNS or not entry.lower:
        return None
    bounds = [
        one.value
        for one in entry.lower
        if one.certificate not in ("solver", "searched")
        or (one.certificate == "searched" and _followed(recipe.instance, one.value))
    ]
    sign = SIGNS[entry.kind]
    return max((sign * bound for bound in bounds), default=None)


def _followed(name: str, value: Fraction) -> bool:
    """Return True if the checker of certificates follows a search for the least makespan."""
    instance, rule = load(name), "every schedule"
    if instance.kind != "makespan":
        return False
    kind, steps = BoundKind.SEARCHED, searched_steps(rule, value)
    bound = Bound(value=value, kind=kind, name=rule, argument="", proof=steps)
    text = certificate_text(instance, bound, maximize=False)
    return check_certificate(instance, read_certificate(text, name)).accepted


def _by_duals(program: Program, limit_s: float) -> Fraction | None:
    """Return the bound by duals in fractions; rounded up where the objective is whole."""
    if not isinstance(program, Matrix) or program.a.nnz > MOST_EXACT:
        return None
    solution = solve(relaxed(program), caps=_caps(program, limit_s))
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
