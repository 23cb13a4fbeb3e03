"""The slotted constraint model of rings: can all jobs end within a number of slots?

Every job is an interval. It lies inside one server, where its time is known, or it is a ring across
servers. `docs/theory/cp-sat.md` has the model in symbols. Rounding always favours the schedule, so
that no schedule is lost: if there are no values, no schedule ends in time. Under server uplinks the
model counts rings on each server. Fair shares of links cannot be stated, so there every ring runs
at its full rate.
"""

from collections.abc import Mapping
from math import ceil
from typing import NamedTuple

from ...instances import MakespanInstance, Schedule, ServerUplink
from ...simulation.makespan.evaluate import make_plan, to_schedule, unsupported
from ..constraints import ConstraintModel, Task
from ..files.names import label
from .data import ProgramData, data_of

Shape = tuple[int, int]
"""Servers of a ring, and most GPUs on one of them, as far as its overhead depends on them."""

UNIT = 10**6
"""The work of a ring. Its work in a slot is rounded up to a whole number."""

MOST_TRIPLES = 500_000
"""Jobs times servers times slots up to which the model is built."""


class IntervalVariables(NamedTuple):
    """The variables of a job's interval."""

    start: int
    slots: int
    end: int


class RingVariables(NamedTuple):
    """The variables of a job as a ring: `used` is whether it is spread over servers."""

    used: int
    runs: dict[int, int]
    on: dict[str, int]
    pieces: dict[str, int]
    shapes: dict[Shape, int]
    levels: dict[int, list[int]]
    """By slot: literals for one ring on its busiest server, for two, and so on."""


class RingModel(NamedTuple):
    """A model and its variables, by job."""

    model: ConstraintModel
    data: ProgramData
    spans: dict[str, IntervalVariables]
    inside: dict[str, dict[str, int]]
    """By server: whether the job lies inside it."""
    rings: dict[str, RingVariables]


def refuses(instance: MakespanInstance, horizon: int | None = None) -> str | None:
    """Return why the model cannot state `instance`, or None if it can."""
    if reason := unsupported(instance):
        return reason
    if instance.progress == "continuous":
        return "constraint models need slots: continuous starts cannot be enumerated"
    if horizon is None:
        return None
    for name, task in data_of(instance, horizon).tasks.items():
        if task.release + task.least > horizon:
            return f"job {name} cannot end by slot {horizon}, even alone; give a later --horizon"
    triples = len(instance.jobs) * len(instance.cluster.servers) * horizon
    if triples > MOST_TRIPLES:
        return (
            f"constraint models support at most {MOST_TRIPLES:,} jobs x servers x slots; "
            f"this one has {triples:,}; give an earlier --horizon"
        )
    return None


def question(instance: MakespanInstance, horizon: int) -> ConstraintModel:
    """State whether all jobs can end by slot `horizon`."""
    contention = isinstance(instance.contention, ServerUplink)
    return state(data_of(instance, horizon), contention=contention).model


def read(instance: MakespanInstance, values: Mapping[str, int]) -> Schedule:
    """Return the schedule in the values of the variables, by name."""
    starts, placements = [], []
    for job in instance.jobs:
        starts.append(float(values[_name("start", job.name)]))
        placed = []
        for place, server in enumerate(instance.cluster.servers):
            inside = values.get(_name("inside", job.name, server.name), 0) * job.gpus
            gpus = inside + values.get(_name("pieces", job.name, server.name), 0)
            placed += [(place, gpus)] if gpus else []
        placements.append(placed)
    return to_schedule(instance, make_plan(starts, placements), "rings")


def state(data: ProgramData, *, contention: bool) -> RingModel:
    """State the model. Its horizon leaves each job at least its least slots."""
    stated = RingModel(ConstraintModel(), data, {}, {}, {})
    for job in data.tasks:
        _add_job(stated, job, data.most_rings if contention else 1)
    _add_capacity(stated)
    if contention:
        _add_contention(stated)
    return stated


def _add_job(stated: RingModel, job: str, crowd: int) -> None:
    """Let a job run once, without a break, inside one server or as a ring."""
    model, data, task = stated.model, stated.data, stated.data.tasks[job]
    span = stated.spans[job] = IntervalVariables(
        model.whole(_name("start", job), task.release, data.horizon - task.least),
        model.whole(_name("slots", job), task.least, data.horizon),
        model.whole(_name("end", job), task.least, data.horizon),
    )
    inside = stated.inside[job] = {
        server: model.flag(_name("inside", job, server))
        for server in data.sizes
        if task.gpus <= data.room(job, server)
    }
    for literal in inside.values():
        alone = ceil(task.iterations / data.rate(job, 1, task.gpus, 1))
        model.equal({span.slots: 1}, alone, when=[literal])
    choices = list(inside.values())
    if ring_shapes(data, job):
        stated.rings[job] = _add_ring(model, data, job, span, crowd)
        choices.append(stated.rings[job].used)
    model.exactly_one(choices)
    if task.held:
        _hold(stated, job, dict(task.held))


def _hold(stated: RingModel, job: str, held: Mapping[str, int]) -> None:
    """Let a job run from slot 0 on the GPUs that it holds."""
    model = stated.model
    model.equal({stated.spans[job].start: 1})
    for server, literal in stated.inside[job].items():
        model.equal({literal: 1}, int(list(held) == [server]))
    if job in stated.rings:
        for server, pieces in stated.rings[job].pieces.items():
            model.equal({pieces: 1}, held.get(server, 0) if len(held) > 1 else 0)


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


def _add_ring(
    model: ConstraintModel, data: ProgramData, job: str, span: IntervalVariables, crowd: int
) -> RingVariables:
    """Return variables by which a job may be spread over servers, and when and how fast it runs.

    Up to `crowd` rings on its busiest server are distinguished.
    """
    used = model.flag(_name("spread", job))
    on, pieces = {}, {}
    for server in data.sizes:
        most = min(data.room(job, server), data.tasks[job].gpus - 1)
        on[server] = model.flag(_name("on", job, server))
        pieces[server] = model.whole(_name("pieces", job, server), 0, most)
        model.linear({pieces[server]: 1, on[server]: -1}, low=0)
        model.linear({pieces[server]: 1, on[server]: -most}, high=0)
    model.equal({**dict.fromkeys(pieces.values(), 1), used: -data.tasks[job].gpus})
    ring = RingVariables(used, _runs(model, data, job, used, span), on, pieces, {}, {})
    for shape in ring_shapes(data, job):
        ring.shapes[shape] = model.flag(_name("shape", job, *shape))
    model.equal({**dict.fromkeys(ring.shapes.values(), 1), used: -1})
    if _counted(data) == "paper":
        counts = {literal: -count for (count, _), literal in ring.shapes.items()}
        model.equal({**dict.fromkeys(on.values(), 1), **counts})
    elif _counted(data) == "max_workers_per_server":
        most_on_one = {literal: most for (_, most), literal in ring.shapes.items()}
        model.maximum(most_on_one, pieces.values())
    _add_progress(model, data, job, ring, span, crowd)
    return ring


def _runs(
    model: ConstraintModel, data: ProgramData, job: str, used: int, span: IntervalVariables
) -> dict[int, int]:
    """Return for every slot a literal: does the job run in it as a ring?"""
    runs = {}
    for slot in range(data.tasks[job].release, data.horizon):
        runs[slot] = model.flag(_name("runs", job, slot))
        begun, over = model.flag(_name("begun", job, slot)), model.flag(_name("over", job, slot))
        model.linear({span.start: 1}, high=slot, when=[begun])
        model.linear({span.start: 1}, low=slot + 1, when=[~begun])
        model.linear({span.end: 1}, high=slot, when=[over])
        model.linear({span.end: 1}, low=slot + 1, when=[~over])
        model.every(used, begun, ~over, when=[runs[slot]])
        model.clause(runs[slot], ~used, ~begun, over)
    return runs


def _add_progress(
    model: ConstraintModel,
    data: ProgramData,
    job: str,
    ring: RingVariables,
    span: IntervalVariables,
    crowd: int,
) -> None:
    """Choose a level in every slot of the ring. The paces must add up to all iterations."""
    for slot, runs in ring.runs.items():
        levels = [model.flag(_name("level", job, slot, n + 1)) for n in range(crowd)]
        model.equal({**dict.fromkeys(levels, 1), runs: -1})
        ring.levels[slot] = levels
    iterations = data.tasks[job].iterations
    for shape, literal in ring.shapes.items():
        paces = [data.rate(job, *shape, n + 1) / iterations for n in range(crowd)]
        work = [min(UNIT, ceil(pace * UNIT)) for pace in paces]
        done = {level: work[n] for at in ring.levels.values() for n, level in enumerate(at)}
        model.linear(done, low=UNIT, when=[literal])
        model.linear({span.slots: 1}, low=ceil(1 / paces[0]), when=[literal])


def _add_capacity(stated: RingModel) -> None:
    """Overbook no server (2), nor all of them together, in any slot or over all."""
    model, data = stated.model, stated.data
    for server, size in data.sizes.items():
        tasks = []
        for job, span in stated.spans.items():
            if server in stated.inside[job]:
                literal = stated.inside[job][server]
                tasks.append(Task(*span, data.tasks[job].gpus, present=literal))
            if job in stated.rings:
                ring = stated.rings[job]
                tasks.append(Task(*span, 0, ring.pieces[server], ring.on[server]))
        model.cumulative(tasks, size)
    total = sum(data.sizes.values())
    spans = stated.spans.items()
    model.cumulative((Task(*span, data.tasks[job].gpus) for job, span in spans), total)
    for release in {task.release for task in data.tasks.values()}:
        late = [job for job, task in data.tasks.items() if task.release >= release]
        area = {stated.spans[job].slots: data.tasks[job].gpus for job in late}
        model.linear(area, high=total * (data.horizon - release))


def _add_contention(stated: RingModel) -> None:
    """Hold the level of a ring at the number of rings on each of its servers, or above (6)."""
    model, rings = stated.model, stated.rings
    for server in stated.data.sizes:
        for slot in range(stated.data.horizon):
            here = {}
            for job, ring in rings.items():
                if slot in ring.runs:
                    here[job] = model.flag(_name("here", job, server, slot))
                    model.every(ring.runs[slot], ring.on[server], when=[here[job]])
                    model.clause(here[job], ~ring.runs[slot], ~ring.on[server])
            for job, literal in here.items():
                levels = {level: n + 1 for n, level in enumerate(rings[job].levels[slot])}
                together = dict.fromkeys(here.values(), -1)
                model.linear({**levels, **together}, low=0, when=[literal])


def _name(kind: str, *index: str | int) -> str:
    """Return the name of a variable, as programs write names."""
    return f"{kind}[{','.join(label(one) if isinstance(one, str) else str(one) for one in index)}]"
