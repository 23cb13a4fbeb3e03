"""MLfabric's three decisions: under which conditions each of them gains, and how much.

The workloads and clusters of the paper are not at hand; its "up to 3 times" stands beside what
comes out here, and nothing more.
"""

from collections.abc import Iterator, Sequence

from ...analysis.intervals import Interval, paired_ratio
from ...analysis.tables import Cell, Column, Table
from ...campaigns.runs import Run
from ..study import Answers, Known, Report, Settings, sound
from .copies import replication
from .points import AGGREGATION, ORDERING, TOGETHER, Point, drawn

PAPER = 3
"""How many times faster, at most, training is by the abstract."""

PARTS: tuple[tuple[Sequence[Point], tuple[str, ...]], ...] = (
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


def report(settings: Settings, answers: Answers) -> Report:
    """Make tables and sentences of the rows; copies are counted here."""
    seen = _Seen(settings, answers)
    return Report(
        tables={
            "ordering": _ordering(seen),
            "aggregation": _aggregation(seen),
            "replication": replication(settings),
            "together": _together(seen),
        },
        statements=tuple(_said(seen)),
    )


def _runs(point: Point, method: str, settings: Settings) -> Iterator[Run]:
    for seed in range(settings.seeds):
        yield Run(instance=drawn(point, seed), method=method)


class _Seen:
    """What methods made of conditions."""

    def __init__(self, settings: Settings, answers: Answers) -> None:
        self.settings = settings
        self._answers = sound(answers)

    def values(self, point: Point, method: str, column: str = "objective") -> list[float]:
        """Return a column of the rows, seed by seed."""
        return [float(self._answers(run)[column]) for run in _runs(point, method, self.settings)]

    def ratio(self, point: Point, method: str, base: str) -> Interval:
        """Return how many times as long a method takes as another."""
        return paired_ratio(self.values(point, method), self.values(point, base))

    def above(self, point: Point, method: str) -> Interval:
        """Return how many times the certified bound a method takes."""
        return paired_ratio(self.values(point, method), self.values(point, method, "bound"))

    def some(self, points: Sequence[Point]) -> list[Point]:
        return self.settings.some(points)


def _ordering(seen: _Seen) -> Table:
    return Table(
        caption="What an order gains on one link",
        columns=(
            Column(head="sizes", digits=None),
            Column(head="pending", digits=None),
            Column(head="2n / (n + 1)", digits=3),
            Column(head="fair sharing", digits=3, over="over shortest first"),
            Column(head="no order", digits=3, over="over shortest first"),
            Column(head="shortest first over the bound", digits=3),
        ),
        rows=tuple(
            (
                *point.head,
                2 * int(point.head[1]) / (int(point.head[1]) + 1),
                seen.ratio(point, "fair", "shortest-first"),
                seen.ratio(point, "fifo", "shortest-first"),
                seen.above(point, "shortest-first"),
            )
            for point in seen.some(ORDERING)
        ),
        shared=1,
        notes=(_note(seen, "Mean moments"),),
    )


def _aggregation(seen: _Seen) -> Table:
    return Table(
        caption="What groups gain behind narrow uplinks",
        columns=(
            Column(head="workers of a rack", digits=None),
            Column(head="oversubscription", digits=None),
            Column(head="fair sharing", digits=2, over="over order and groups"),
            Column(head="order alone", digits=2, over="over order and groups"),
            Column(head="over the bound", digits=2),
        ),
        rows=tuple(
            (
                *point.head,
                seen.ratio(point, "fair", "mlfabric-aggregate"),
                seen.ratio(point, "mlfabric-order", "mlfabric-aggregate"),
                seen.above(point, "mlfabric-aggregate"),
            )
            for point in seen.some(AGGREGATION)
        ),
        shared=1,
        notes=(_note(seen, "Last moments of 4 racks, equal sizes"),),
    )


def _together(seen: _Seen) -> Table:
    return Table(
        caption="All decisions together",
        columns=(
            Column(head="sizes", digits=None),
            Column(head="oversubscription", digits=None),
            Column(head="slow workers", digits=None),
            Column(head="fair sharing", digits=2, over="over MLfabric"),
            Column(head="order alone", digits=2, over="over MLfabric"),
            Column(head="order and groups", digits=2, over="over MLfabric"),
            Column(head="MLfabric over the bound", digits=2),
        ),
        rows=tuple((*point.head, *_cells(seen, point)) for point in seen.some(TOGETHER)),
        shared=2,
        notes=(_note(seen, "Mean moments of 24 updates in 4 racks"),),
    )


def _cells(seen: _Seen, point: Point) -> Iterator[Cell]:
    for method in ("fair", "mlfabric-order", "mlfabric-aggregate"):
        yield seen.ratio(point, method, "mlfabric")
    yield seen.above(point, "mlfabric")


def _note(seen: _Seen, what: str) -> str:
    return (
        f"{what}; geometric means over {seen.settings.seeds} draws with 95 % intervals "
        "(Student's t). Bound: certified, from below."
    )


def _said(seen: _Seen) -> Iterator[str]:
    """Say where most is gained, beside what the paper says."""
    parts = (
        ("shortest first", ORDERING, "shortest-first", ("sizes", "pending")),
        ("order and groups", AGGREGATION, "mlfabric-aggregate", ("in a rack", "oversubscription")),
        ("MLfabric", TOGETHER, "mlfabric", ("sizes", "oversubscription", "slow workers")),
    )
    for what, points, method, heads in parts:
        found = {point: seen.ratio(point, "fair", method).mean for point in seen.some(points)}
        least, most = (
            f"{found[point]:.2f} times ({_told(heads, point)})"
            for point in (min(found, key=found.__getitem__), max(found, key=found.__getitem__))
        )
        yield f"fair sharing over {what}: from {least} to {most}"
    yield f"the paper's abstract says up to {PAPER} times, for whole trainings that are not at hand"


def _told(heads: tuple[str, ...], point: Point) -> str:
    return ", ".join(f"{head}: {value}" for head, value in zip(heads, point.head, strict=True))
