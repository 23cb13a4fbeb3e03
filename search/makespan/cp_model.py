"""The slotted CP-SAT model: can all jobs end within a number of slots?

Every job is an interval. It lies inside one server, where its time is known, or it is a ring across
servers (`cp_rings.py`). `docs/makespan/cp-sat.md` has the model in symbols. What is rounded is
rounded in favour of the schedule, so that no answer is lost; `cp_sat.py` has the engine confirm
what is found and cuts off the rest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any

from ...formulations.makespan.parts.data import ProgramData, data_of
from ...instances import Schedule, ServerUplink
from .cp_question import CpQuestion, Reply, RingCut
from .cp_rings import IntervalVariables, RingVariables, add_contention, add_ring, ring_shapes
from .symmetry import equal_before


@dataclass(frozen=True, slots=True)
class CpSatModel:
    """A CP-SAT model and its variables, by job."""

    cp: Any
    data: ProgramData
    spans: dict[str, IntervalVariables]
    inside: dict[str, dict[str, Any]]
    """By server: whether the job lies inside it."""
    rings: dict[str, RingVariables]


def build(question: CpQuestion) -> CpSatModel:
    """State a question; its horizon leaves each job the slots that it needs at least."""
    from ortools.sat.python.cp_model import CpModel

    data = data_of(question.instance, question.horizon)
    program = CpSatModel(CpModel(), data, {}, {}, {})
    for job in data.tasks:
        _add_job(program, job, data.most_rings if question.contention else 1)
    _add_capacity(program)
    if question.contention:
        add_contention(program.cp, data, program.rings)
    _add_symmetry(program)
    for cut in question.cuts:
        _add_cut(program, cut)
    if question.hint is not None:
        _add_hint(program, question.hint)
    return program


def _add_hint(program: CpSatModel, start: Schedule) -> None:
    """Propose where and when jobs are in a schedule; one that ends too late is a hint as well."""
    cp, data = program.cp, program.data
    for item in start.assignments:
        latest = data.horizon - data.tasks[item.job].least
        cp.add_hint(program.spans[item.job].start, min(int(item.start_slot), latest))
        held = dict(item.gpus)
        for server, literal in program.inside[item.job].items():
            cp.add_hint(literal, list(held) == [server])
        if item.job in program.rings:
            ring = program.rings[item.job]
            cp.add_hint(ring.used, len(held) > 1)
            for server, count in ring.pieces.items():
                cp.add_hint(count, held.get(server, 0) if len(held) > 1 else 0)


def _add_job(program: CpSatModel, job: str, crowd: int) -> None:
    """Let a job run once, without a break, inside one server or as a ring."""
    cp, data, task = program.cp, program.data, program.data.tasks[job]
    latest = data.horizon - task.least
    span = program.spans[job] = IntervalVariables(
        cp.new_int_var(task.release, latest, f"start[{job}]"),
        cp.new_int_var(task.least, data.horizon, f"slots[{job}]"),
        cp.new_int_var(task.least, data.horizon, f"end[{job}]"),
    )
    inside = program.inside[job] = {
        server: cp.new_bool_var(f"inside[{job},{server}]")
        for server in data.sizes
        if task.gpus <= data.room(job, server)
    }
    for literal in inside.values():
        alone = ceil(task.iterations / data.rate(job, 1, task.gpus, 1))
        cp.add(span.slots == alone).only_enforce_if(literal)
    ways = list(inside.values())
    if ring_shapes(data, job):
        program.rings[job] = add_ring(cp, data, job, span, crowd)
        ways.append(program.rings[job].used)
    cp.add_exactly_one(ways)


def _add_capacity(program: CpSatModel) -> None:
    """Overbook no server (2), nor all of them together, in any slot or over all."""
    cp, data = program.cp, program.data
    for server, size in data.sizes.items():
        held, counts = [], []
        for job, span in program.spans.items():
            parts = (span.start, span.slots, span.end)
            if server in program.inside[job]:
                literal = program.inside[job][server]
                held.append(cp.new_optional_interval_var(*parts, literal, f"in[{job},{server}]"))
                counts.append(data.tasks[job].gpus)
            if job in program.rings:
                ring = program.rings[job]
                name = f"across[{job},{server}]"
                held.append(cp.new_optional_interval_var(*parts, ring.on[server], name))
                counts.append(ring.pieces[server])
        cp.add_cumulative(held, counts, size)
    total, gpus = sum(data.sizes.values()), [task.gpus for task in data.tasks.values()]
    spans = program.spans.items()
    whole = [cp.new_interval_var(x.start, x.slots, x.end, f"runs[{job}]") for job, x in spans]
    cp.add_cumulative(whole, gpus, total)
    for release in {task.release for task in data.tasks.values()}:
        late = [job for job, task in data.tasks.items() if task.release >= release]
        area = sum(data.tasks[job].gpus * program.spans[job].slots for job in late)
        cp.add(area <= total * (data.horizon - release))


def _add_symmetry(program: CpSatModel) -> None:
    """Order equal jobs by start; of a schedule and its mirror image keep one."""
    cp, data, spans = program.cp, program.data, program.spans
    jobs = list(data.tasks)
    first: dict[str, str] = {}
    for job, before in zip(jobs, equal_before(data.instance), strict=True):
        first[job] = job if before < 0 else first[jobs[before]]
        if before >= 0:
            cp.add(spans[jobs[before]].start <= spans[job].start)
    released = any(task.release for task in data.tasks.values())
    if isinstance(data.instance.contention, ServerUplink) and not released:
        longest = max(jobs, key=lambda job: data.tasks[job].gpus * data.tasks[job].least)
        alike = [spans[job] for job in jobs if first[job] == first[longest]]
        cp.add(sum(span.start + span.end for span in alike) <= len(alike) * data.horizon)


def _add_cut(program: CpSatModel, cut: RingCut) -> None:
    """Let rings that are where the engine has seen them take the time that it has seen."""
    same = []
    for job, stay in cut.stays.items():
        ring = program.rings[job]
        same.append(ring.shapes[stay.shape])
        same += [x if server in stay.servers else ~x for server, x in ring.on.items()]
    if cut.until is None:
        _take(program, cut, same)
        return
    first = min(stay.start for stay in cut.stays.values())
    for shift in range(-first, program.data.horizon - first):
        starts = {job: stay.start + shift for job, stay in cut.stays.items()}
        if all(slot in program.rings[job].runs for job, slot in starts.items()):
            window = range(first + shift, cut.until + shift)
            _take(program, cut, [*same, *_begin(program, starts), *_absent(program, cut, window)])


def _take(program: CpSatModel, cut: RingCut, same: list[Any]) -> None:
    for job, stay in cut.stays.items():
        program.cp.add(program.spans[job].slots >= stay.slots).only_enforce_if(same)


def _begin(program: CpSatModel, starts: dict[str, int]) -> Iterator[Any]:
    """Yield literals that say together that rings start in these slots."""
    for job, slot in starts.items():
        runs = program.rings[job].runs
        yield runs[slot]
        if slot - 1 in runs:
            yield ~runs[slot - 1]


def _absent(program: CpSatModel, cut: RingCut, window: range) -> Iterator[Any]:
    """Yield literals that say together that no other ring runs in these slots."""
    for job, ring in program.rings.items():
        if job not in cut.stays:
            yield from (~literal for slot, literal in ring.runs.items() if slot in window)


def answer(question: CpQuestion) -> Reply:
    """Have CP-SAT search for a yes, or prove that there is none."""
    data = data_of(question.instance, question.horizon)
    if any(task.release + task.least > data.horizon for task in data.tasks.values()):
        return Reply(False)
    return _solve(build(question), question)


def search_twice(solver: Any, model: Any, question: CpQuestion, no: Any) -> tuple[Any, int]:
    """Return what CP-SAT says, and its branches; a no counts if it is said in two ways.

    With its presolve, CP-SAT 9.15 has called feasible models infeasible and worse points optimal
    (google/or-tools#5274, #5293). So a no is asked again without it and from another seed.
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


def _solve(program: CpSatModel, question: CpQuestion) -> Reply:
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    status, branches = search_twice(solver, program.cp, question, cp_model.INFEASIBLE)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        known = {cp_model.INFEASIBLE: False, cp_model.UNKNOWN: None}
        return Reply(known[status], branches=branches)
    places, shapes = [], []
    for job, task in program.data.tasks.items():
        inside, ring = program.inside[job], program.rings.get(job)
        counts = [task.gpus * solver.value(inside.get(s, 0)) for s in program.data.sizes]
        shape = None
        if ring is not None and solver.value(ring.used):
            counts = [solver.value(count) for count in ring.pieces.values()]
            shape = next(shape for shape, x in ring.shapes.items() if solver.value(x))
        places.append(tuple((s, count) for s, count in enumerate(counts) if count))
        shapes.append(shape)
    spans = program.spans.values()
    return Reply(
        True,
        starts=tuple(solver.value(span.start) for span in spans),
        pieces=tuple(places),
        shapes=tuple(shapes),
        slots=tuple(solver.value(span.slots) for span in spans),
        branches=branches,
    )
