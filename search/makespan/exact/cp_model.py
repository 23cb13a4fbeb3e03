"""The slotted CP-SAT model: can all jobs end within a number of slots?

`formulations/makespan/rings.py` states the model. Here are symmetries, cuts and the call of CP-SAT.
`cp_sat.py` has the engine confirm solutions and cuts off the false ones.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ....formulations.constraints import (
    All,
    Clause,
    Constraint,
    ConstraintModel,
    Cumulative,
    ExactlyOne,
    Linear,
    Maximum,
    Task,
    sides,
)
from ....formulations.makespan.data import data_of
from ....formulations.makespan.rings import RingModel, Shape, state
from ....instances import MakespanInstance, Schedule, ServerUplink
from .symmetry import equal_before


class RingStay(NamedTuple):
    """Place, start and least slots of a ring."""

    start: int
    servers: frozenset[str]
    shape: Shape
    slots: int


class RingCut(NamedTuple):
    """Rings in these places take at least these slots, if no other ring runs before `until`.

    The same holds if all are shifted in time. Without `until` it holds whatever other jobs do.
    """

    stays: dict[str, RingStay]
    until: int | None


class CpQuestion(NamedTuple):
    """Can all jobs end by slot `horizon`? With an optional cap on seconds or effort."""

    instance: MakespanInstance
    horizon: int
    contention: bool = False
    """True if the model counts rings on uplinks; else every ring runs at its full rate."""
    cuts: tuple[RingCut, ...] = ()
    seconds: float = float("inf")
    effort: float = float("inf")
    """In CP-SAT's count of operations, equal from run to run."""
    threads: int = 1
    hint: Schedule | None = None
    """A schedule near which to look first."""


class Reply(NamedTuple):
    """`found` is None if the question stays open. A yes has start, GPUs and stay by job."""

    found: bool | None
    starts: tuple[int, ...] = ()
    pieces: tuple[tuple[tuple[int, int], ...], ...] = ()
    """Servers, by number, and GPUs on them."""
    shapes: tuple[Shape | None, ...] = ()
    slots: tuple[int, ...] = ()
    branches: int = 0


class CpSatModel(NamedTuple):
    """A CP-SAT model, and its variables in the order of the stated ones."""

    cp: Any
    variables: list[Any]
    weighted_sum: Any
    """OR-Tools' function of variables and their coefficients."""


def stated_of(question: CpQuestion) -> RingModel:
    """State a question. Its horizon leaves each job at least its least slots."""
    data = data_of(question.instance, question.horizon)
    stated = state(data, contention=question.contention)
    _add_symmetry(stated)
    for cut in question.cuts:
        _add_cut(stated, cut)
    return stated


def to_cp_sat(model: ConstraintModel) -> CpSatModel:
    """Return a constraint model as OR-Tools'."""
    from ortools.sat.python.cp_model import CpModel, LinearExpr

    cp = CpModel()
    variables = [
        cp.new_bool_var(name) if (low, high) == (0, 1) else cp.new_int_var(low, high, name)
        for name, low, high in model.variables
    ]
    same = CpSatModel(cp, variables, LinearExpr.weighted_sum)
    for constraint in model.constraints:
        _add(same, constraint)
    return same


def _add(same: CpSatModel, constraint: Constraint) -> None:
    cp, x, weighted_sum = same

    def literals(some: tuple[int, ...]) -> list[Any]:
        return [x[one] if one >= 0 else ~x[~one] for one in some]

    def total(terms: tuple[tuple[int, int], ...]) -> Any:
        variables, factors = zip(*terms, strict=True)
        return weighted_sum([x[one] for one in variables], factors)

    match constraint:
        case Linear(terms, when=when):
            row = cp.add_linear_constraint(total(terms), *sides(constraint))
            row.only_enforce_if(literals(when))
        case Clause(some):
            cp.add_bool_or(literals(some))
        case All(some, when):
            cp.add_bool_and(literals(some)).only_enforce_if(literals(when))
        case ExactlyOne(some):
            cp.add_exactly_one(literals(some))
        case Maximum(terms, variables):
            cp.add_max_equality(total(terms), [x[one] for one in variables])
        case Cumulative(tasks, capacity):
            spans = [_interval(same, task) for task in tasks]
            units = [one.units if one.variable is None else x[one.variable] for one in tasks]
            cp.add_cumulative(spans, units, capacity)


def _interval(same: CpSatModel, task: Task) -> Any:
    parts = [same.variables[part] for part in task[:3]]
    if task.present is None:
        return same.cp.new_interval_var(*parts, "")
    return same.cp.new_optional_interval_var(*parts, same.variables[task.present], "")


def _hints(stated: RingModel, start: Schedule) -> dict[int, int]:
    """Return places and times of jobs in a schedule, even of one that ends too late."""
    data, found = stated.data, dict[int, int]()
    for item in start.assignments:
        latest = data.horizon - data.tasks[item.job].least
        found[stated.spans[item.job].start] = min(int(item.start_slot), latest)
        held = dict(item.gpus)
        for server, literal in stated.inside[item.job].items():
            found[literal] = list(held) == [server]
        if item.job in stated.rings:
            ring = stated.rings[item.job]
            found[ring.used] = len(held) > 1
            for server, count in ring.pieces.items():
                found[count] = held.get(server, 0) if len(held) > 1 else 0
    return found


def _add_symmetry(stated: RingModel) -> None:
    """Order equal jobs by start. Keep one of a schedule and its mirror image."""
    model, data, spans = stated.model, stated.data, stated.spans
    jobs = list(data.tasks)
    first: dict[str, str] = {}
    for job, before in zip(jobs, equal_before(data.instance), strict=True):
        first[job] = job if before < 0 else first[jobs[before]]
        if before >= 0:
            model.linear({spans[jobs[before]].start: 1, spans[job].start: -1}, high=0)
    bound = any(task.release or task.held for task in data.tasks.values())
    if isinstance(data.instance.contention, ServerUplink) and not bound:
        longest = max(jobs, key=lambda job: data.tasks[job].gpus * data.tasks[job].least)
        alike = [spans[job] for job in jobs if first[job] == first[longest]]
        ends = {variable: 1 for span in alike for variable in (span.start, span.end)}
        model.linear(ends, high=len(alike) * data.horizon)


def _add_cut(stated: RingModel, cut: RingCut) -> None:
    """Let rings that are placed as in the cut take the engine's time."""
    same = []
    for job, stay in cut.stays.items():
        ring = stated.rings[job]
        same.append(ring.shapes[stay.shape])
        same += [x if server in stay.servers else ~x for server, x in ring.on.items()]
    conditions = [same]
    if cut.until is not None:
        first, conditions = min(stay.start for stay in cut.stays.values()), []
        for shift in range(-first, stated.data.horizon - first):
            starts = {job: stay.start + shift for job, stay in cut.stays.items()}
            if all(slot in stated.rings[job].runs for job, slot in starts.items()):
                window = range(first + shift, cut.until + shift)
                alone = [*_begin(stated, starts), *_absent(stated, cut, window)]
                conditions.append([*same, *alone])
    for condition in conditions:
        for job, stay in cut.stays.items():
            slots = stated.spans[job].slots
            stated.model.linear({slots: 1}, low=stay.slots, when=condition)


def _begin(stated: RingModel, starts: dict[str, int]) -> Iterator[int]:
    """Yield literals whose conjunction is that rings start in these slots."""
    for job, slot in starts.items():
        runs = stated.rings[job].runs
        yield runs[slot]
        if slot - 1 in runs:
            yield ~runs[slot - 1]


def _absent(stated: RingModel, cut: RingCut, window: range) -> Iterator[int]:
    """Yield literals whose conjunction is that no other ring runs in these slots."""
    for job, ring in stated.rings.items():
        if job not in cut.stays:
            yield from (~literal for slot, literal in ring.runs.items() if slot in window)


def answer(question: CpQuestion) -> Reply:
    """Let CP-SAT search for a yes, or prove that there is none."""
    data = data_of(question.instance, question.horizon)
    if any(task.release + task.least > data.horizon for task in data.tasks.values()):
        return Reply(False)
    return _solve(stated_of(question), question)


def search_twice(solver: Any, model: Any, question: CpQuestion, no: Any) -> tuple[Any, int]:
    """Return CP-SAT's status and its branches. A no must be confirmed by a second run.

    With its presolve, CP-SAT 9.15 has called feasible models infeasible and worse points optimal
    (google/or-tools#5274, #5293). Therefore a no is re-solved without presolve and with another
    seed.
    """
    solver.parameters.num_workers = question.threads
    solver.parameters.max_time_in_seconds = question.seconds
    solver.parameters.max_deterministic_time = question.effort
    status = solver.solve(model)
    branches = solver.num_branches
    if status == no:
        solver.parameters.cp_model_presolve = False
        solver.parameters.random_seed = 1
        solver.parameters.max_time_in_seconds = max(0.0, question.seconds - solver.wall_time)
        status = solver.solve(model)
        branches += solver.num_branches
    return status, branches


def _solve(stated: RingModel, question: CpQuestion) -> Reply:
    from ortools.sat.python import cp_model

    solver, same = cp_model.CpSolver(), to_cp_sat(stated.model)
    if question.hint is not None:
        for variable, proposed in _hints(stated, question.hint).items():
            same.cp.add_hint(same.variables[variable], proposed)
    status, branches = search_twice(solver, same.cp, question, cp_model.INFEASIBLE)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        known = {cp_model.INFEASIBLE: False, cp_model.UNKNOWN: None}
        return Reply(known[status], branches=branches)
    values = [solver.value(variable) for variable in same.variables]
    places, shapes = [], []
    for job, task in stated.data.tasks.items():
        inside, ring = stated.inside[job], stated.rings.get(job)
        counts = [
            task.gpus * values[inside[server]] if server in inside else 0
            for server in stated.data.sizes
        ]
        shape = None
        if ring is not None and values[ring.used]:
            counts = [values[count] for count in ring.pieces.values()]
            shape = next(shape for shape, literal in ring.shapes.items() if values[literal])
        places.append(tuple((s, count) for s, count in enumerate(counts) if count))
        shapes.append(shape)
    spans = stated.spans.values()
    return Reply(
        True,
        starts=tuple(values[span.start] for span in spans),
        pieces=tuple(places),
        shapes=tuple(shapes),
        slots=tuple(values[span.slots] for span in spans),
        branches=branches,
    )
