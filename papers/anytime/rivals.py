"""General tools as methods: their solutions become schedules, which the judge evaluates.

The jobs of a solution are started in its order by the engine, which knows contention: on its
servers, or, without any, on the servers that a list scheduler finds. A solution that is a schedule
as it is, and a better one, is left so. The clock stands still while a tool is loaded.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from math import ceil, inf
from typing import Any

import numpy as np

from ...extensions import policy
from ...instances import Limits, MakespanInstance, RefusedError, Schedule
from ...instances.outcome import start_clock, stop_clock
from ...policies.makespan.gang_lpt import EAGER, WAITING, pack, priorities
from ...search.makespan.bounds.counting import tasks_of
from ...search.makespan.rounding import dispatch_assigned
from ...simulation import Model, PlacedStarts, build_model, evaluate, make_plan, to_schedule
from ...simulation.makespan.evaluate import begun

Tell = Callable[[Schedule], None]


def interval_model(instance: MakespanInstance, limits: Limits, tell: Tell) -> Schedule | None:
    """Intervals with a cumulative for each server, by CP-SAT, without contention."""
    return _best("intervals", instance, limits, tell)


def pyjobshop(instance: MakespanInstance, limits: Limits, tell: Tell) -> Schedule | None:
    """PyJobShop with one pool of all GPUs, without servers and contention."""
    return _best("pool", instance, limits, tell)


@policy("makespan")
def greedy(waiting: Any, idle: Any, alone: Any) -> Iterator[tuple[Any, dict[str, int]]]:
    """Longest job first, each where it fits best at present: a list scheduler for any cluster."""
    for job in sorted(waiting, key=lambda job: -alone[job.name]):
        pieces = idle.fit(job)
        if pieces:
            yield job, pieces


def _best(model: str, instance: MakespanInstance, limits: Limits, tell: Tell) -> Schedule | None:
    """Report every solution that makes a better schedule, and return the last one."""
    engine, best, least = build_model(instance), None, inf
    for found in _solutions(model, engine, instance, limits):
        plan, makespan = schedule_of(engine, instance, found)
        if makespan < least:
            least, best = makespan, to_schedule(instance, plan, model)
            tell(best)
    return best


def schedule_of(
    engine: Model, instance: MakespanInstance, found: dict[str, Any]
) -> tuple[PlacedStarts, float]:
    """Make a schedule of the starts, and the GPUs by server, of a solution."""
    held = [[(int(s), gpus) for s, gpus in own.items() if gpus] for own in found["pieces"]]
    if len(instance.cluster.servers) == 1:
        held = [[(0, job.gpus)] for job in instance.jobs]
    order = np.argsort(found["starts"], kind="stable")
    if not all(held):
        plans = (pack(engine, order, rule, begun(instance)) for rule in (WAITING, EAGER))
        return min(plans, key=lambda one: one[1])
    plan = make_plan([float(start) for start in found["starts"]], held)
    result = evaluate(engine, plan)
    gpus = np.zeros((len(held), len(instance.cluster.servers)), np.int64)
    for j, own in enumerate(held):
        for s, count in own:
            gpus[j, s] = count
    again = dispatch_assigned(engine, order, gpus)
    same = result.excess <= 0 and result.makespan <= again[1]
    return (plan, float(result.makespan)) if same else again


def _hint(engine: Model, instance: MakespanInstance) -> dict[str, Any]:
    """Return a list schedule as plain values, and when it ends."""
    plans = (pack(engine, order, WAITING, begun(instance)) for order in priorities(instance))
    plan, makespan = min(plans, key=lambda one: one[1])
    pairs = list(zip(plan.servers.tolist(), plan.pieces.tolist(), strict=True))
    spans = zip(plan.first[:-1].tolist(), plan.first[1:].tolist(), strict=True)
    starts = [int(start) for start in plan.start]
    return {"horizon": ceil(makespan), "starts": starts, "pieces": [pairs[a:b] for a, b in spans]}


def _solutions(
    model: str, engine: Model, instance: MakespanInstance, limits: Limits
) -> Iterator[dict[str, Any]]:
    """Yield the solutions of a separate process, until it ends or the time is up."""
    if instance.progress == "continuous" or any(job.release_slot for job in instance.jobs):
        raise RefusedError(f"{instance.name}: {model} needs slots, and all jobs from slot 0 on")
    jobs = [(task.gpus, int(task.slots)) for task in tasks_of(instance)]
    asked: dict[str, Any] = {
        "model": model,
        "sizes": [one.gpus for one in instance.cluster.servers],
        "jobs": jobs,
    }
    asked["hint"] = _hint(engine, instance)
    stop_clock(f"loading {model}")
    try:
        child = _started()
        ready = child.stdout.readline() if child.stdout else ""
    finally:
        start_clock()
    with child:
        try:
            if not ready or child.stdin is None or child.stdout is None:
                raise RefusedError(f"{model} could not load OR-Tools: is ringyard[cpsat] there?")
            left_s = limits.left_s()
            asked |= {"threads": limits.threads, "left_s": inf if left_s is None else left_s}
            child.stdin.write(json.dumps(asked) + "\n")
            child.stdin.flush()
            for line in child.stdout:
                yield json.loads(line)
                if limits.over():
                    break
        finally:
            child.kill()


def _started() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "ringyard.papers.anytime.child"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # Ctrl-C is for the parent
    )
