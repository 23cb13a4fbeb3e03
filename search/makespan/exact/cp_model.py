"""The slotted CP-SAT model: can all jobs end within a number of slots?

Every job is an interval. It lies inside one server, where its time is known, or it is a ring across
servers (`add_ring`). `docs/theory/cp-sat.md` has the model in symbols. Rounding always favours the
schedule, so that no answer is lost. `cp_sat.py` has the engine confirm solutions and cuts off the
false ones.
"""

from collections.abc import Iterator
from math import ceil
from typing import Any, NamedTuple

from ....formulations.makespan.data import ProgramData, data_of
from ....instances import MakespanInstance, Schedule, ServerUplink
from .symmetry import equal_before

Shape = tuple[int, int]
"""Servers of a ring, and most GPUs on one of them, as far as its overhead depends on them."""


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


UNIT = 10**6
"""The work of a ring. Its work in a slot is rounded up to a whole number."""


class IntervalVariables(NamedTuple):
    """The variables of a job's interval."""

    start: Any
    slots: Any
    end: Any


class RingVariables(NamedTuple):
    """The variables of a job as a ring: `used` is whether it is spread over servers."""

    used: Any
    runs: dict[int, Any]
    on: dict[str, Any]
    pieces: dict[str, Any]
    shapes: dict[Shape, Any]
    levels: dict[int, list[Any]]
    """By slot: literals for one ring on its busiest server, for two, and so on."""


def ring_shapes(data: ProgramData, job: str) -> list[Shape]:
    """Return the shapes in which a job that is spread gets on at all."""
    gpus, sizes = data.tasks[job].gpus, data.open_sizes[job]
    if not data.spreads(job):
        return []
    shapes = [(2, 1)]
    if _counted(data) == "paper":
        shapes = [(count, 1) for count in range(2, min(gpus, len(sizes)) + 1)]
    elif _counted(data) == "max_workers_per_server":
        shapes = [(2, most) for most in range(1, min(gpus - 1, max(sizes)) + 1)]
    return [shape for shape in shapes if data.rate(job, *shape, 1)]


def _counted(data: ProgramData) -> str:
    """Return the form of the overhead, which is always 0 without overhead."""
    return data.instance.overhead if data.instance.overhead_s else "step"


def add_ring(
    cp: Any, data: ProgramData, job: str, span: IntervalVariables, crowd: int
) -> RingVariables:
    """Return variables by which a job may be spread over servers, and when and how fast it runs.

    Up to `crowd` rings on its busiest server are distinguished.
    """
    used = cp.new_bool_var(f"spread[{job}]")
    on, pieces = {}, {}
    for server in data.sizes:
        most = min(data.room(job, server), data.tasks[job].gpus - 1)
        on[server] = cp.new_bool_var(f"on[{job},{server}]")
        pieces[server] = cp.new_int_var(0, most, f"pieces[{job},{server}]")
        cp.add(pieces[server] >= on[server])
        cp.add(pieces[server] <= most * on[server])
    cp.add(sum(pieces.values()) == data.tasks[job].gpus * used)
    ring = RingVariables(used, _runs(cp, data, job, used, span), on, pieces, {}, {})
    for shape in ring_shapes(data, job):
        ring.shapes[shape] = cp.new_bool_var(f"shape[{job},{shape}]")
    cp.add(sum(ring.shapes.values()) == used)
    if _counted(data) == "paper":
        cp.add(sum(on.values()) == sum(n * literal for (n, _), literal in ring.shapes.items()))
    elif _counted(data) == "max_workers_per_server":
        most = sum(most * literal for (_, most), literal in ring.shapes.items())
        cp.add_max_equality(most, list(pieces.values()))
    _add_progress(cp, data, job, ring, span, crowd)
    return ring


def _runs(
    cp: Any, data: ProgramData, job: str, used: Any, span: IntervalVariables
) -> dict[int, Any]:
    """Return for every slot a literal: does the job run in it as a ring?"""
    runs = {}
    for slot in range(data.tasks[job].release, data.horizon):
        runs[slot] = cp.new_bool_var(f"runs[{job},{slot}]")
        begun = cp.new_bool_var(f"begun[{job},{slot}]")
        over = cp.new_bool_var(f"over[{job},{slot}]")
        cp.add(span.start <= slot).only_enforce_if(begun)
        cp.add(span.start > slot).only_enforce_if(~begun)
        cp.add(span.end <= slot).only_enforce_if(over)
        cp.add(span.end > slot).only_enforce_if(~over)
        cp.add_bool_and(used, begun, ~over).only_enforce_if(runs[slot])
        cp.add_bool_or(runs[slot], ~used, ~begun, over)
    return runs


def _add_progress(
    cp: Any, data: ProgramData, job: str, ring: RingVariables, span: IntervalVariables, crowd: int
) -> None:
    """Choose a level in every slot of the ring. The paces must add up to all iterations."""
    for slot, runs in ring.runs.items():
        ring.levels[slot] = [cp.new_bool_var(f"level[{job},{slot},{n + 1}]") for n in range(crowd)]
        cp.add(sum(ring.levels[slot]) == runs)
    iterations = data.tasks[job].iterations
    for shape, literal in ring.shapes.items():
        paces = [data.rate(job, *shape, n + 1) / iterations for n in range(crowd)]
        work = [min(UNIT, ceil(pace * UNIT)) for pace in paces]
        done = sum(work[n] * level for at in ring.levels.values() for n, level in enumerate(at))
        cp.add(done >= UNIT).only_enforce_if(literal)
        cp.add(span.slots >= ceil(1 / paces[0])).only_enforce_if(literal)


def add_contention(cp: Any, data: ProgramData, rings: dict[str, RingVariables]) -> None:
    """Hold the level of a ring at the number of rings on each of its servers, or above (6)."""
    for server in data.sizes:
        for slot in range(data.horizon):
            here = {}
            for job, ring in rings.items():
                if slot in ring.runs:
                    here[job] = cp.new_bool_var(f"here[{job},{server},{slot}]")
                    cp.add_bool_and(ring.runs[slot], ring.on[server]).only_enforce_if(here[job])
                    cp.add_bool_or(here[job], ~ring.runs[slot], ~ring.on[server])
            for job, literal in here.items():
                levels = rings[job].levels[slot]
                level = sum((n + 1) * chosen for n, chosen in enumerate(levels))
                cp.add(level >= sum(here.values())).only_enforce_if(literal)


class CpSatModel(NamedTuple):
    """A CP-SAT model and its variables, by job."""

    cp: Any
    data: ProgramData
    spans: dict[str, IntervalVariables]
    inside: dict[str, dict[str, Any]]
    """By server: whether the job lies inside it."""
    rings: dict[str, RingVariables]


def build(question: CpQuestion) -> CpSatModel:
    """State a question. Its horizon leaves each job at least its least slots."""
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
    """Propose places and times of jobs in a schedule. One that ends too late is a hint as well."""
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
    choices = list(inside.values())
    if ring_shapes(data, job):
        program.rings[job] = add_ring(cp, data, job, span, crowd)
        choices.append(program.rings[job].used)
    cp.add_exactly_one(choices)


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
    """Order equal jobs by start. Keep one of a schedule and its mirror image."""
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
    """Let rings that are placed as in the cut take the engine's time."""
    same = []
    for job, stay in cut.stays.items():
        ring = program.rings[job]
        same.append(ring.shapes[stay.shape])
        same += [x if server in stay.servers else ~x for server, x in ring.on.items()]
    conditions = [same]
    if cut.until is not None:
        first, conditions = min(stay.start for stay in cut.stays.values()), []
        for shift in range(-first, program.data.horizon - first):
            starts = {job: stay.start + shift for job, stay in cut.stays.items()}
            if all(slot in program.rings[job].runs for job, slot in starts.items()):
                window = range(first + shift, cut.until + shift)
                alone = [*_begin(program, starts), *_absent(program, cut, window)]
                conditions.append([*same, *alone])
    for condition in conditions:
        for job, stay in cut.stays.items():
            program.cp.add(program.spans[job].slots >= stay.slots).only_enforce_if(condition)


def _begin(program: CpSatModel, starts: dict[str, int]) -> Iterator[Any]:
    """Yield literals whose conjunction is that rings start in these slots."""
    for job, slot in starts.items():
        runs = program.rings[job].runs
        yield runs[slot]
        if slot - 1 in runs:
            yield ~runs[slot - 1]


def _absent(program: CpSatModel, cut: RingCut, window: range) -> Iterator[Any]:
    """Yield literals whose conjunction is that no other ring runs in these slots."""
    for job, ring in program.rings.items():
        if job not in cut.stays:
            yield from (~literal for slot, literal in ring.runs.items() if slot in window)


def answer(question: CpQuestion) -> Reply:
    """Let CP-SAT search for a yes, or prove that there is none."""
    data = data_of(question.instance, question.horizon)
    if any(task.release + task.least > data.horizon for task in data.tasks.values()):
        return Reply(False)
    return _solve(build(question), question)


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
