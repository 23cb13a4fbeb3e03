"""Rings across servers in the CP-SAT model: where they are, when they run, how fast."""

from dataclasses import dataclass
from math import ceil
from typing import Any

from ...formulations.makespan.parts.data import ProgramData
from .cp_question import Shape

UNIT = 10**6
"""The work of a ring; what it does in a slot is rounded up to a whole number."""


@dataclass(frozen=True, slots=True)
class IntervalVariables:
    """The variables of a job's interval."""

    start: Any
    slots: Any
    end: Any


@dataclass(frozen=True, slots=True)
class RingVariables:
    """What a job is if it is spread over servers: `used` says whether it is."""

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
    """Return the form of the overhead; without overhead, one that counts nothing."""
    return data.instance.overhead if data.instance.overhead_s else "step"


def add_ring(
    cp: Any, data: ProgramData, job: str, span: IntervalVariables, crowd: int
) -> RingVariables:
    """Let a job be spread over two servers or more, and say when it runs and how fast.

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
    """Say for every slot whether the job runs in it as a ring."""
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
    """Choose a level in every slot of the ring; the paces must add up to all iterations."""
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
