"""MLfabric's three decisions: under which conditions each of them gains, and how much.

The workloads and clusters of the paper are not available; its "up to 3 times" stands beside what
comes out here, and nothing more.
"""

from collections.abc import Iterator, Mapping, Sequence

from ...analysis.tables import Cell, Column, Table, columns_of, numbers, texts
from ...campaigns.results import Results
from ...campaigns.runs import Run
from ..compared import Compared, compared
from ..study import Answers, Known, Settings, sound
from .points import AGGREGATION, ORDERING, TOGETHER, Condition, drawn, replication
from .training import convergence, failover

PAPER = 3
"""How many times faster, at most, training is by the abstract."""

PARTS: tuple[tuple[Sequence[Condition], tuple[str, ...]], ...] = (
    (ORDERING, ("fair", "fifo", "shortest-first")),
    (AGGREGATION, ("fair", "mlfabric-order", "mlfabric-aggregate")),
    (TOGETHER, ("fair", "mlfabric-order", "mlfabric-aggregate", "mlfabric")),
)
"""Conditions, and the methods that are compared there."""


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report asks for."""
    for points, methods in PARTS:
        for point in settings.some(points):
            for method in methods:
                yield from _runs(point, method, settings)


def report(settings: Settings, answers: Answers) -> Results:
    """Make tables and sentences of the rows; copies are counted, and training is done, here."""
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
        statements=(*_said(parts), kept),
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
    return Table(
        caption="What an order gains on one link",
        columns=(
            *columns_of({"sizes": None, "pending": None, "2n / (n + 1)": 3}),
            *numbers("fair sharing", "no order", digits=3, over="over shortest first"),
            Column(head="shortest first over the bound", digits=3),
        ),
        rows=tuple(
            (
                *point.head,
                2 * int(point.head[1]) / (int(point.head[1]) + 1),
                one.ratio("fair", "shortest-first"),
                one.ratio("fifo", "shortest-first"),
                one.ratio_to_bound("shortest-first"),
            )
            for point, one in found.items()
        ),
        shared=1,
        notes=(_note(found, "Mean moments"),),
    )


def _aggregation(found: Mapping[Condition, Compared]) -> Table:
    return Table(
        caption="What groups gain behind narrow uplinks",
        columns=(
            *texts("workers of a rack", "oversubscription"),
            *numbers("fair sharing", "order alone", digits=2, over="over order and groups"),
            Column(head="over the bound", digits=2),
        ),
        rows=tuple(
            (
                *point.head,
                one.ratio("fair", "mlfabric-aggregate"),
                one.ratio("mlfabric-order", "mlfabric-aggregate"),
                one.ratio_to_bound("mlfabric-aggregate"),
            )
            for point, one in found.items()
        ),
        shared=1,
        notes=(_note(found, "Last moments of 4 racks, equal sizes"),),
    )


def _together(found: Mapping[Condition, Compared]) -> Table:
    return Table(
        caption="All decisions together",
        columns=(
            *texts("sizes", "oversubscription", "slow workers"),
            *numbers(
                "fair sharing", "order alone", "order and groups", digits=2, over="over MLfabric"
            ),
            Column(head="MLfabric over the bound", digits=2),
        ),
        rows=tuple((*point.head, *_cells(one)) for point, one in found.items()),
        shared=2,
        notes=(_note(found, "Mean moments of 24 updates in 4 racks"),),
    )


def _cells(one: Compared) -> Iterator[Cell]:
    for method in ("fair", "mlfabric-order", "mlfabric-aggregate"):
        yield one.ratio(method, "mlfabric")
    yield one.ratio_to_bound("mlfabric")


def _note(found: Mapping[Condition, Compared], what: str) -> str:
    draws = len(next(iter(found.values())).bounds)
    return (
        f"{what}; geometric means over {draws} draws with 95 % intervals (Student's t "
        "on logarithms). Bound: certified, from below."
    )


def _said(parts: Sequence[Mapping[Condition, Compared]]) -> Iterator[str]:
    """Say where most is gained, beside what the paper says."""
    heads = (
        ("shortest first", "shortest-first", ("sizes", "pending")),
        ("order and groups", "mlfabric-aggregate", ("in a rack", "oversubscription")),
        ("MLfabric", "mlfabric", ("sizes", "oversubscription", "slow workers")),
    )
    for (what, method, named), part in zip(heads, parts, strict=True):
        found = {point: one.ratio("fair", method).mean for point, one in part.items()}
        least, most = (
            f"{found[point]:.2f} times ({_told(named, point)})"
            for point in (min(found, key=found.__getitem__), max(found, key=found.__getitem__))
        )
        yield f"fair sharing over {what}: from {least} to {most}"
    yield f"the paper's abstract says up to {PAPER} times, for whole trainings that are unavailable"


def _told(heads: tuple[str, ...], point: Condition) -> str:
    return ", ".join(f"{head}: {value}" for head, value in zip(heads, point.head, strict=True))
