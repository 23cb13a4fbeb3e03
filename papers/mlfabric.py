"""MLfabric's three decisions: under which conditions each of them gains, and how much.

The workloads and clusters of the paper are not available. Its "up to 3 times" is shown with the
results here, without another comparison.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from statistics import fmean
from typing import Any, NamedTuple

from ..analysis.intervals import paired_ratio
from ..analysis.tables import Cell, Column, Table, columns_of, numbers, texts
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..instances import TransferPlan, TransfersInstance
from ..instances.generate import generate, read_words
from ..run import solve
from .study import Compared, compared, sound, table_of
from .training import convergence, failover


class Condition(NamedTuple):
    """A condition: how its row begins, and the options of the generator."""

    head: tuple[str, ...]
    options: tuple[tuple[str, Any], ...]


def _point(*head: str, **options: Any) -> Condition:
    return Condition(head, tuple(options.items()))


ONE_LINK: Mapping[str, Any] = {"racks": 1, "server_gb_s": "1.25"}
"""The server's link is as narrow as a worker's, and all go through it."""

ORDERING = [
    _point(sizes, str(count), workers=count, sizes=sizes, **ONE_LINK)
    for count in (2, 8, 32)
    for sizes in ("equal", "spread")
]

AGGREGATION = [
    _point(
        str(in_rack),
        times,
        workers=4 * in_rack,
        racks=4,
        sizes="equal",
        worker_gb_s="1",
        server_gb_s="8",
        oversubscription=times,
        aggregators=1,
        aggregator_gb_s="8",
        goal="last",
    )
    for in_rack in (2, 4, 8)
    for times in ("1", "4", "8")
]

REPLICATION = [
    _point(room, workers=16, sizes="spread", oversubscription="2", aggregators=1, divergence=room)
    for room in ("1", "4", "8", "16")
]

TOGETHER = [
    _point(
        sizes,
        times,
        slow,
        workers=24,
        sizes=sizes,
        oversubscription=times,
        slow=slow,
        aggregators=1,
        divergence="6",
        ready_s="0.5",
    )
    for sizes in ("equal", "spread")
    for times in ("1", "4")
    for slow in ("0", "0.2")
]


@cache
def drawn(point: Condition, seed: int) -> TransfersInstance:
    """Return the instance that a seed gives under a condition."""
    name = "-".join(["mlfabric", *(str(value) for _, value in point.options), f"s{seed}"])
    words = [f"{key}={value}" for key, value in point.options]
    options = read_words(words, "options", "workers=4")
    found: TransfersInstance = generate("transfers", seed=seed, name=name, **options)
    return found


COPYING, CHOOSING = "mlfabric-aggregate", "mlfabric"
"""Methods that copy everything, and only the needed part."""


def replication(settings: Settings) -> Table:
    """Return the copies, and their cost in time, by divergence."""
    return table_of(
        "Updates sent to the replica",
        {
            "divergence": None,
            "bytes of copies, % of all updates": {"all copied": 1, "MLfabric": 1},
            "mean moment / mean moment without a replica": {"all copied": 3, "MLfabric": 3},
        },
        (_row(point, settings.seeds) for point in settings.some(REPLICATION)),
        "16 updates of norm 1 in 4 racks with an aggregator each. A group is one copy. "
        f"{settings.seeds} draws, 95 % intervals (Student's t on logarithms).",
    )


def _row(point: Condition, seeds: int) -> tuple[Cell, ...]:
    instances = [drawn(point, seed) for seed in range(seeds)]
    free = [_moment(replace(one, divergence=None, replica=None), COPYING) for one in instances]
    moments, copied = [], []
    for method in (COPYING, CHOOSING):
        answers = [solve(one, method) for one in instances]
        moments.append(paired_ratio([float(a.objective or 0) for a in answers], free))
        pairs = zip(instances, answers, strict=True)
        copied.append(100 * fmean(copied_part(one, a.schedule) for one, a in pairs))
    return (*point.head, *copied, *moments)


def _moment(instance: TransfersInstance, method: str) -> float:
    return float(solve(instance, method).objective or 0)


def copied_part(instance: TransfersInstance, plan: TransferPlan) -> float:
    """Return the bytes of copies over the bytes of all updates.

    A group is as large as its largest.
    """
    sizes = {one.name: Fraction(one.size_gb) for one in instance.updates}
    copies = [max(sizes[name] for name in send.updates) for send in plan.sends if send.to == "both"]
    return float(sum(copies) / sum(sizes.values()))


PAPER = 3
"""Largest speed-up of training in the abstract."""

PARTS: tuple[tuple[Sequence[Condition], tuple[str, ...]], ...] = (
    (ORDERING, ("fair", "fifo", "shortest-first")),
    (AGGREGATION, ("fair", "mlfabric-order", "mlfabric-aggregate")),
    (TOGETHER, ("fair", "mlfabric-order", "mlfabric-aggregate", "mlfabric")),
)
"""Conditions, and the methods that are compared there."""


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report needs."""
    for points, methods in PARTS:
        for point in settings.some(points):
            for method in methods:
                yield from _runs(point, method, settings)


def report(settings: Settings, answers: Answers) -> Results:
    """Make tables and sentences of the rows. Copies are measured, and training runs, here."""
    parts = [_part(*part, settings, sound(answers)) for part in PARTS]
    ordering, aggregation, together = parts
    converged, kept = convergence(settings)
    return Results(
        tables={
            "ordering": _ordering(ordering),
            "aggregation": _aggregation(aggregation),
            "replication": replication(settings),
            "together": _together(together),
            "convergence": converged,
            "failover": failover(settings),
        },
        statements=(*_statements(parts), kept),
    )


def _runs(point: Condition, method: str, settings: Settings) -> Iterator[Run]:
    for seed in range(settings.seeds):
        yield Run(instance=drawn(point, seed), method=method)


def _part(
    points: Sequence[Condition], methods: tuple[str, ...], settings: Settings, answers: Answers
) -> dict[Condition, Compared]:
    return {
        point: compared({name: list(_runs(point, name, settings)) for name in methods}, answers)
        for point in settings.some(points)
    }


def _ordering(found: Mapping[Condition, Compared]) -> Table:
    return table_of(
        "Gain of an order on one link",
        (
            *columns_of({"sizes": None, "pending": None, "2n / (n + 1)": 3}),
            *numbers("fair sharing", "no order", digits=3, over="over shortest first"),
            Column(head="shortest first / bound", digits=3),
        ),
        (
            (
                *point.head,
                2 * int(point.head[1]) / (int(point.head[1]) + 1),
                one.ratio("fair", "shortest-first"),
                one.ratio("fifo", "shortest-first"),
                one.ratio_to_bound("shortest-first"),
            )
            for point, one in found.items()
        ),
        _note(found, "Mean moments"),
        shared=1,
    )


def _aggregation(found: Mapping[Condition, Compared]) -> Table:
    return table_of(
        "Gain of groups behind narrow uplinks",
        (
            *texts("workers of a rack", "oversubscription"),
            *numbers("fair sharing", "order alone", digits=2, over="over order and groups"),
            Column(head="over the bound", digits=2),
        ),
        (
            (
                *point.head,
                one.ratio("fair", "mlfabric-aggregate"),
                one.ratio("mlfabric-order", "mlfabric-aggregate"),
                one.ratio_to_bound("mlfabric-aggregate"),
            )
            for point, one in found.items()
        ),
        _note(found, "Last moments of 4 racks, equal sizes"),
        shared=1,
    )


def _together(found: Mapping[Condition, Compared]) -> Table:
    return table_of(
        "All decisions together",
        (
            *texts("sizes", "oversubscription", "slow workers"),
            *numbers(
                "fair sharing", "order alone", "order and groups", digits=2, over="over MLfabric"
            ),
            Column(head="MLfabric over the bound", digits=2),
        ),
        ((*point.head, *_cells(one)) for point, one in found.items()),
        _note(found, "Mean moments of 24 updates in 4 racks"),
        shared=2,
    )


def _cells(one: Compared) -> Iterator[Cell]:
    for method in ("fair", "mlfabric-order", "mlfabric-aggregate"):
        yield one.ratio(method, "mlfabric")
    yield one.ratio_to_bound("mlfabric")


def _note(found: Mapping[Condition, Compared], what: str) -> str:
    draws = len(next(iter(found.values())).bounds)
    return (
        f"{what}. Geometric means over {draws} draws with 95 % intervals (Student's t on "
        "logarithms). Bound: certified, from below."
    )


def _statements(parts: Sequence[Mapping[Condition, Compared]]) -> Iterator[str]:
    """Yield where least and most is gained, and the number of the paper."""
    heads = (
        ("shortest first", "shortest-first", ("sizes", "pending")),
        ("order and groups", "mlfabric-aggregate", ("in a rack", "oversubscription")),
        ("MLfabric", "mlfabric", ("sizes", "oversubscription", "slow workers")),
    )
    for (what, method, named), part in zip(heads, parts, strict=True):
        found = {point: one.ratio("fair", method).mean for point, one in part.items()}
        least, most = (
            f"{found[point]:.2f} times ({_point_text(named, point)})"
            for point in (min(found, key=found.__getitem__), max(found, key=found.__getitem__))
        )
        yield f"fair sharing / {what}: from {least} to {most}"
    yield f"the paper's abstract says up to {PAPER} times, for whole trainings that are unavailable"


def _point_text(heads: tuple[str, ...], point: Condition) -> str:
    return ", ".join(f"{head}: {value}" for head, value in zip(heads, point.head, strict=True))
