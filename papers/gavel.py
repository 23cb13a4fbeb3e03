"""`ringyard reproduce gavel`: Gavel's policies on three kinds of GPUs, beside certified bounds.

Jobs have the sizes, durations and speeds of Gavel's simulations (`ringyard generate gavel`). The
cluster has a third of its servers, and jobs come a third as often.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

from ..analysis.intervals import mean_above, paired_ratio
from ..analysis.tables import Cell, Table, columns_of, texts
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..campaigns.runs import BOUND
from ..instances import TraceInstance
from ..instances.generate import generate
from .study import Compared, compared, flat, seeded, sound, table_of

CLUSTER: Mapping[str, Any] = {"servers": 9, "load": None}
"""12 GPUs of each kind. Gavel's simulations have 36."""


class Workload(NamedTuple):
    """A workload, its options, and the jobs that arrive in an hour at 36 GPUs of each kind."""

    name: str
    options: Mapping[str, Any]


def _coming(widths: str, jobs_per_h: str, jobs: int) -> Workload:
    gap = Decimal(3 * 3600) / Decimal(jobs_per_h)
    sizes = "1 GPU each" if widths == "single" else "1 to 8 GPUs"
    options = {"widths": widths, "gap_s": round(gap), "jobs": jobs}
    return Workload(f"{jobs_per_h} jobs/h, {sizes}", options)


WORKLOADS = (
    Workload("all at once, 1 to 8 GPUs", {"gap_s": Decimal(0), "jobs": 100}),
    Workload("all at once, 1 GPU each", {"gap_s": Decimal(0), "jobs": 100, "widths": "single"}),
    _coming("single", "2", 200),
    _coming("single", "4", 200),
    _coming("gavel", "1", 200),
    _coming("gavel", "2", 200),
)

FIFO, LAS, FAIRNESS, DURATION, THROUGHPUT = "FIFO", "LAS", "fairness", "duration", "throughput"

AWARE: Mapping[str, str] = {
    FIFO: "gavel:shares=fifo",
    LAS: "gavel:shares=las",
    FAIRNESS: "gavel:shares=fairness",
    DURATION: "gavel:shares=duration",
    THROUGHPUT: "gavel:shares=throughput",
}
"""Policies that know the speeds of jobs on each kind."""

ALIKE: Mapping[str, str] = {
    f"{name}, kinds alike": f"{AWARE[name]}:kinds=alike" for name in (FIFO, LAS, FAIRNESS, DURATION)
}
"""The same policies, to which all kinds are alike."""

METHODS = {**AWARE, **ALIKE, "srsf": "srsf"}
"""All policies. Ringyard's `srsf` knows how much work jobs have left."""


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield the runs of all policies, and of the bound, for each workload and seed."""
    for workload in settings.some(WORKLOADS):
        policies, bounds = _runs(workload, settings)
        yield from flat([policies, {BOUND: bounds}])


def report(settings: Settings, answers: Answers) -> Results:
    """Make the table of policies and bounds, and that of what it is worth to know the kinds."""
    found = {
        workload.name: _compared(workload, settings, sound(answers))
        for workload in settings.some(WORKLOADS)
    }
    return Results(tables={"policies": _policies(found), "known": _known(found)})


@cache
def drawn(workload: str, seed: int) -> TraceInstance:
    """Return the instance of a workload and a seed."""
    options = next(dict(one.options) for one in WORKLOADS if one.name == workload)
    made: TraceInstance = generate(
        "gavel", seed=seed, name=f"{workload}-{seed}", **{**CLUSTER, **options}
    )
    return made


def _runs(workload: Workload, settings: Settings) -> tuple[dict[str, list[Run]], list[Run]]:
    seeds = range(settings.seeds)
    bounds = [
        Run(instance=drawn(workload.name, seed), method=BOUND, time_limit=settings.time_limit)
        for seed in seeds
    ]
    return seeded(METHODS, lambda seed: drawn(workload.name, seed), seeds), bounds


def _compared(workload: Workload, settings: Settings, answers: Answers) -> Compared:
    policies, bounds = _runs(workload, settings)
    return compared(policies, answers, bounds)


def _policies(found: Mapping[str, Compared]) -> Table:
    """Return a line for each workload and policy: how far it is from the best possible."""
    heads = texts("workload", "policy") + columns_of(
        {"mean JCT, h": 1, "over its bound": 2, "makespan, h": 1}
    )
    lines: list[tuple[Cell, ...]] = []
    for name, one in found.items():
        for policy in METHODS:
            jct, last = (
                mean_above([seconds / 3600 for seconds in one.values(policy, column)], 0.0)
                for column in ("objective", "makespan_s")
            )
            lines.append((name, policy, jct, one.ratio_to_bound(policy), last))
    return table_of("Gavel's policies and bounds", heads, lines, shared=1)


def _known(found: Mapping[str, Compared]) -> Table:
    """Return how many times as large a metric is where kinds are alike to the policy."""
    heads = texts("workload", "policy") + columns_of({"mean JCT": 2, "makespan": 2})
    lines = [
        (name, policy, *(_worth(one, policy, column) for column in ("objective", "makespan_s")))
        for name, one in found.items()
        for policy in (FIFO, LAS, FAIRNESS, DURATION)
    ]
    caption = "Kinds alike over kinds known"
    return table_of(caption, heads, lines, shared=1)


def _worth(one: Compared, policy: str, column: str) -> Cell:
    return paired_ratio(one.values(f"{policy}, kinds alike", column), one.values(policy, column))
