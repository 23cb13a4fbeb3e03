"""Rows as a campaign makes them, with entities behind some, for the tests of the page."""

import random
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from ringyard.analysis.check import check
from ringyard.analysis.report import Report, gather
from ringyard.analysis.rows import VERSION, Row, whole_row
from ringyard.analysis.sources import Sources
from ringyard.instances import (
    Assignment,
    Cluster,
    MakespanInstance,
    RingJob,
    Schedule,
    Server,
    digest,
)

METHODS = ("branch-and-bound", "sjf-bco", "list-scheduling", "local-search", "linearised:scip")


def ring(name: str, gpus: int, iterations: int) -> RingJob:
    """Make a job that only exchanges; on two GPUs an iteration takes 1 s and its slowdown."""
    return RingJob(name=name, gpus=gpus, iterations=iterations, gradient_gb=Decimal(1))


def make_instance() -> MakespanInstance:
    """Make an instance with two servers, slots of one second, two rings and a quiet job."""
    return MakespanInstance(
        name="yard",
        cluster=Cluster(
            servers=(Server(name="s0", gpus=4), Server(name="s1", gpus=2)),
            intra_bandwidth_gb_s=Decimal(10),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=Decimal("0.5"),
        ),
        jobs=(
            ring("alpha", 2, 10),
            ring("beta", 2, 4),
            RingJob(name="gamma", gpus=1, iterations=5, backward_s=Decimal(1)),
        ),
    )


TOGETHER = Schedule(
    instance="yard",
    method="hand",
    assignments=(
        Assignment(job="alpha", start_slot=Decimal(0), gpus=(("s0", 1), ("s1", 1))),
        Assignment(job="beta", start_slot=Decimal(0), gpus=(("s0", 1), ("s1", 1))),
        Assignment(job="gamma", start_slot=Decimal(2), gpus=(("s0", 1),)),
    ),
)
"""Both rings cross the uplinks until beta ends, so each has slowdown 2 until then."""


def row(**columns: Any) -> Row:
    """Make the row of a good run, with some columns changed."""
    usual = {
        "v": VERSION, "instance": "yard", "digest": "d" * 64, "family": "makespan", "sense": "min",
        "method": "sjf-bco", "options": "", "seed": 0, "repetition": 0, "threads": 1, "workers": 1,
        "time_limit": 60.0, "status": "feasible", "termination": "done",
        "solution_status": "feasible", "note": "",
        "objective": 24, "bound": 12, "bound_kind": "combinatorial", "gap": 0.5, "seconds": 0.25,
        "valid": True, "violations": 0, "host": "node1", "python": "3.13.1", "version": "0.1.0",
        "code": "c0de", "writer": "w", "started": "2026-01-02T03:04:05.000Z",
        "finished": "2026-01-02T03:04:06.000Z",
    }  # fmt: skip
    changed = usual | columns
    changed.setdefault("key", f"{changed['instance']} {changed['method']} {changed['seed']}")
    return whole_row(changed)


def many_rows(count: int, seed: int = 0) -> Iterator[Row]:
    """Make rows of a large campaign: five methods, ten seeds, failures among them."""
    rng = random.Random(seed)
    for i in range(count):
        instance, rest = divmod(i, 50)
        method, run = METHODS[rest // 10], rest % 10
        bound = 100 + instance % 977
        objective = bound + rng.randrange(60) if rng.random() < 0.95 else None
        seconds = round(rng.expovariate(0.2), 6)
        known: dict[str, Any] = {
            "instance": f"random-{instance:04d}",
            "digest": f"{instance:064x}",
            "method": method,
            "seed": run,
            "objective": objective,
            "bound": bound,
            "seconds": seconds,
            "cpu_seconds": round(seconds * 1.1, 6),
            "memory_mb": round(300 + 900 * rng.random(), 1),
            "nodes": rng.randrange(10**6) if method == "branch-and-bound" else None,
            "gap": None if objective is None else (objective - bound) / objective,
        }
        if objective is None:
            lost = {
                "status": "timed out",
                "termination": "time_limit",
                "solution_status": "nothing",
                "valid": False,
            }
            known |= lost | {"note": "no schedule within 60 s", "bound": None, "bound_kind": None}
        elif objective == bound:
            known["status"] = "optimal"
        else:
            known["termination"] = "time_limit"
        yield row(**known)


def never(*_: Any) -> Any:
    """Stand for what a page of rows alone does not ask for."""
    raise AssertionError("nothing should be read")


def small_campaign() -> tuple[list[Row], Sources]:
    """Make rows of a campaign with a schedule, failures, and one bound that is contradicted."""
    instance = make_instance()
    known = digest(instance)
    ends = check(instance, TOGETHER)
    rows = [
        row(digest=known, objective=float(ends.makespan or 0), schedule="schedules/a.json.gz"),
        row(digest=known, method="branch-and-bound", status="timed out", termination="time_limit",
            solution_status="nothing", valid=False, objective=None, bound=None, bound_kind=None,
            gap=None,
            note="it did not end within a minute after its time limit", seconds=None),
        row(digest=known, method="bound", status="unknown", valid=False, objective=None, gap=None),
        *many_rows(100),
    ]  # fmt: skip
    return rows, Sources(
        instance=lambda _: instance, schedule=lambda _: TOGETHER, unmet=lambda *_: None
    )


def report_of(rows: list[Row], sources: Sources | None = None, **words: Any) -> Report:
    """Gather a report; without sources nothing may be asked of them."""
    silent = Sources(
        instance=lambda _: make_instance(), schedule=never, unmet=lambda *_: "not looked at"
    )
    return gather(rows, sources or silent, **{"name": "trial", **words})
