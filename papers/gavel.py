"""`ringyard reproduce gavel`: Gavel's policies on three kinds of GPUs, beside certified bounds.

Jobs have the sizes, durations and speeds of Gavel's simulations (`ringyard generate gavel`). The
cluster has a third of its servers, and jobs come a third as often. Longer traces come close to the
load that the cluster can carry.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

from ..analysis.intervals import ABOVE, mean_above, paired_ratio
from ..analysis.tables import Cell, Table, columns_of, texts
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..campaigns.runs import BOUND
from ..instances import TraceInstance
from ..instances.generate import generate
from ..search.trace.bounds import makespan_bounds
from .study import Compared, compared, flat, seeded, sound, table_of

CLUSTER: Mapping[str, Any] = {"servers": 9, "load": None}
"""12 GPUs of each kind. Gavel's simulations have 36."""


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


class Workload(NamedTuple):
    """A workload, its options, and the policies that serve it."""

    name: str
    options: Mapping[str, Any]
    methods: Mapping[str, str] = METHODS


FREE: Mapping[str, Any] = {"restart_s": Decimal(0)}
"""Gavel's simulator does not charge for restarts. Elsewhere they cost 60 s."""

SINGLE, WIDE = "1 GPU each", "1 to 8 GPUs"


def _coming(widths: str, jobs_per_h: str, jobs: int) -> Workload:
    """Return jobs at a rate of arrival that stands for 36 GPUs of each kind."""
    return Workload(f"{jobs_per_h} jobs/h, {widths}", _arriving(widths, jobs_per_h, jobs))


def _arriving(widths: str, jobs_per_h: str, jobs: int) -> dict[str, Any]:
    gap = Decimal(3 * 3600) / Decimal(jobs_per_h)
    return {"widths": "single" if widths == SINGLE else "gavel", "gap_s": round(gap), "jobs": jobs}


def _loaded(jobs_per_h: str, jobs: int) -> Workload:
    policies = {name: METHODS[name] for name in (LAS, f"{LAS}, kinds alike")}
    name, options = f"{jobs_per_h} jobs/h, {jobs} jobs", _arriving(SINGLE, jobs_per_h, jobs)
    return Workload(name, {**options, **FREE}, policies)


AT_ONCE: Mapping[str, Any] = {"gap_s": Decimal(0), "jobs": 150}

COMPARED = (
    Workload("all at once, 1 to 8 GPUs", AT_ONCE),
    Workload("all at once, 1 to 8 GPUs, free restarts", {**AT_ONCE, **FREE}),
    Workload("all at once, 1 GPU each", {**AT_ONCE, "jobs": 300, "widths": "single"}),
    _coming(SINGLE, "4", 200),
    _coming(WIDE, "1", 200),
    _coming(WIDE, "2", 200),
)
"""Workloads of all policies, beside bounds."""

LOADED = (_loaded("4", 400), _loaded("5", 400), _loaded("5.5", 1000))
"""Longer traces near the load that the cluster can carry, for LAS only."""

WORKLOADS = COMPARED + LOADED


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield the runs of all policies, and of the bound, for each workload and seed."""
    for workload in settings.some(WORKLOADS):
        policies, bounds = _runs(workload, settings)
        yield from flat([policies, {BOUND: bounds}])


def report(settings: Settings, answers: Answers) -> Results:
    """Make three tables: policies and bounds, kinds known or alike, and loads."""
    found = {one.name: _compared(one, settings, sound(answers)) for one in settings.some(WORKLOADS)}
    whole = {one.name: found[one.name] for one in COMPARED if one.name in found}
    loads = {one.name: found[one.name] for one in LOADED if one.name in found}
    return Results(
        tables={
            "policies": _policies(whole, settings),
            "known": _known(whole, settings),
            "loads": _loads(loads, settings),
        }
    )


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
    return seeded(workload.methods, lambda seed: drawn(workload.name, seed), seeds), bounds


def _compared(workload: Workload, settings: Settings, answers: Answers) -> Compared:
    policies, bounds = _runs(workload, settings)
    return compared(policies, answers, bounds)


def _policies(found: Mapping[str, Compared], settings: Settings) -> Table:
    """Return a line for each workload and policy: how far it is from the best possible."""
    heads = texts("workload", "policy")
    heads += columns_of({"mean, h": 1, "over bound": 2}, over="JCT")
    heads += columns_of({"h": 1, "over bound": 2}, over="makespan")
    lines: list[tuple[Cell, ...]] = []
    for name, one in found.items():
        ends = [
            float(makespan_bounds(drawn(name, seed))[0].value) for seed in range(len(one.bounds))
        ]
        for policy in METHODS:
            jct, last = (
                mean_above([seconds / 3600 for seconds in one.values(policy, column)], 0.0)
                for column in ("objective", "makespan_s")
            )
            far = paired_ratio(one.values(policy, "makespan_s"), ends)
            lines.append((name, policy, jct, one.ratio_to_bound(policy), last, far))
    notes = (
        f"Means over {settings.seeds} seeds with 95 % intervals ({ABOVE} 0). Over bound: geometric "
        f"means of the ratio to a certified bound over {settings.seeds} seeds, with 95 % intervals "
        "(Student's t on logarithms). Nothing is below 1."
    )
    return table_of("Gavel's policies and bounds", heads, lines, notes, shared=1)


def _known(found: Mapping[str, Compared], settings: Settings) -> Table:
    """Return how many times as large a metric is where kinds are alike to the policy."""
    heads = texts("workload", "policy") + columns_of({"mean JCT": 2, "makespan": 2})
    lines = [
        (name, policy, *(_worth(one, policy, column) for column in ("objective", "makespan_s")))
        for name, one in found.items()
        for policy in (FIFO, LAS, FAIRNESS, DURATION)
    ]
    caption = "Kinds alike over kinds known"
    note = (
        f"Geometric means over {settings.seeds} seeds of the ratio on the same jobs, with 95 % "
        "intervals (Student's t on logarithms)."
    )
    return table_of(caption, heads, lines, note, shared=1)


def _loads(found: Mapping[str, Compared], settings: Settings) -> Table:
    """Return what it is worth to LAS to know the kinds, near the load that the cluster carries."""
    heads = [
        *texts("workload"),
        *columns_of({"kinds known, h": 1, "kinds alike, h": 1}, over="mean JCT"),
        *columns_of({"kinds known": 2, "kinds known at 5 jobs/h": 2}, over="kinds alike over"),
    ]
    alike, lines = f"{LAS}, kinds alike", []
    for name, one in found.items():
        means: list[Cell] = [
            mean_above([seconds / 3600 for seconds in one.values(policy)], 0.0)
            for policy in (LAS, alike)
        ]
        more = found.get(LOADED[1].name) if name == LOADED[0].name else None
        late: Cell = None if more is None else paired_ratio(one.values(alike), more.values(LAS))
        lines.append((name, *means, _worth(one, LAS, "objective"), late))
    note = (
        f"Ratios: geometric means over {settings.seeds} seeds of the ratio on the same jobs, with "
        "95 % intervals (Student's t on logarithms); at 4 and 5 jobs/h only arrivals differ. Mean "
        f"JCT: means over {settings.seeds} seeds with 95 % intervals ({ABOVE} 0)."
    )
    return table_of("LAS near the load that the cluster can carry", heads, lines, note, shared=1)


def _worth(one: Compared, policy: str, column: str) -> Cell:
    return paired_ratio(one.values(f"{policy}, kinds alike", column), one.values(policy, column))
