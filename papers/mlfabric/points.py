"""Under which conditions each decision of MLfabric is tried, what is drawn; what copies save."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from statistics import fmean
from typing import Any, NamedTuple

from ...analysis.intervals import paired_ratio
from ...analysis.tables import Cell, Column, Table, numbers
from ...instances import TransferPlan, TransfersInstance
from ...instances.generate import generate, read_words
from ...run import solve
from ..study import Settings


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
    _point(
        room,
        workers=16,
        sizes="spread",
        oversubscription="2",
        aggregators=1,
        divergence=room,
    )
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


def drawn(point: Condition, seed: int) -> TransfersInstance:
    """Return the instance that a seed gives under a condition."""
    return _drawn(point.options, seed)


@cache
def _drawn(options: tuple[tuple[str, Any], ...], seed: int) -> TransfersInstance:
    name = "-".join(["mlfabric", *(str(value) for _, value in options), f"s{seed}"])
    found: TransfersInstance = generate("transfers", seed=seed, name=name, **_read(options))
    return found


def _read(options: tuple[tuple[str, Any], ...]) -> dict[str, Any]:

    return read_words([f"{key}={value}" for key, value in options], "options", "workers=4")


COPYING, CHOOSING = "mlfabric-aggregate", "mlfabric"
"""Methods that copy everything, and only what is needed."""


def replication(settings: Settings) -> Table:
    """Return what is copied, and what it costs in time, by divergence."""
    return Table(
        caption="What the replica is sent",
        columns=(
            Column(head="divergence", digits=None),
            *numbers("all copied", "MLfabric", digits=1, over="bytes of copies, % of all updates"),
            *numbers(
                "all copied", "MLfabric", digits=3, over="mean moment over that without a replica"
            ),
        ),
        rows=tuple(_row(point, settings.seeds) for point in settings.some(REPLICATION)),
        notes=(
            "16 updates of norm 1 in 4 racks with an aggregator each; a group is one copy. "
            f"{settings.seeds} draws, 95 % intervals (Student's t on logarithms).",
        ),
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
    """Return the bytes of copies over those of all updates; a group is as large as its largest."""
    sizes = {one.name: Fraction(one.size_gb) for one in instance.updates}
    copies = [max(sizes[name] for name in send.updates) for send in plan.sends if send.to == "both"]
    return float(sum(copies) / sum(sizes.values()))
