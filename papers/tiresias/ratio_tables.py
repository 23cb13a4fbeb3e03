"""The tables about the four ratios of Tiresias' testbed, and the picture of where they are met."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import exp, log
from typing import NamedTuple

from ...analysis.figures.canvas import Figure, finished
from ...analysis.figures.categories import by_name, category_figure
from ...analysis.intervals import Interval
from ...analysis.tables import Cell, Column, Table, columns_of, numbers, texts
from ..together import smallest_clashes

PART = 0.1
"""A number is met where the ratio here is within this part of it."""

PointRatios = Mapping[str, float]
"""Ratios at a point, by what they are ratios of."""


class RecheckedPoint(NamedTuple):
    """A point that was looked at again."""

    about: str
    ratios: Mapping[str, Interval]


def met(paper: PointRatios, one: PointRatios) -> frozenset[str]:
    """Return what is within a tenth of the paper's number."""
    return frozenset(name for name, value in paper.items() if abs(one[name] / value - 1) <= PART)


def ratios_table(
    paper: PointRatios,
    every: Sequence[PointRatios],
    again: Mapping[str, RecheckedPoint],
    seeds: int,
) -> Table:
    """Return of each number how often it is met, and what other seeds say at the nearest point."""
    rows: list[tuple[Cell, ...]] = []
    for name, value in paper.items():
        here = [one[name] for one in every]
        near = sum(name in met(paper, one) for one in every)
        seen = again[name]
        rows.append((name, value, min(here), max(here), near, seen.ratios[name], seen.about))
    return Table(
        caption="YARN-CS over Tiresias-L on the testbed's jobs: the paper's ratios in the search",
        columns=(
            *texts("ratio"),
            *(Column(head=head, digits=2) for head in ("paper", "least", "most")),
            *numbers("points within 10 %"),
            Column(head="nearest point again", digits=2),
            *texts("nearest point"),
        ),
        rows=tuple(rows),
        notes=(
            f"{len(every)} points, by geometric means over {seeds} seeds. Again: the few nearest "
            "on their worst seed were looked at with others, and the nearest by these is shown, "
            "with 95 % intervals (Student's t on logarithms).",
        ),
    )


def sets_table(paper: PointRatios, every: Sequence[PointRatios]) -> Table:
    """Return at how many points numbers are met together, and how near a point comes to them."""
    sets = [met(paper, one) for one in every]
    rows: list[tuple[Cell, ...]] = []
    for size in range(2, len(paper) + 1):
        for some in combinations(paper, size):
            count = sum(own.issuperset(some) for own in sets)
            far = min(max(abs(log(one[m] / paper[m])) for m in some) for one in every)
            rows.append((" and ".join(some), float(count), 100 * (exp(far) - 1)))
    return Table(
        caption="How many points meet several of the paper's ratios together",
        columns=columns_of({"ratios": None, "points within 10 %": 0, "nearest, % off at most": 0}),
        rows=tuple(rows),
        notes=("Off: by which factor the worst of them differs from the paper's, less 1.",),
    )


def again_table(paper: PointRatios, again: Mapping[str, RecheckedPoint], seeds: int) -> Table:
    """Return all four ratios at the points that were looked at again."""
    rows: list[tuple[Cell, ...]] = [("the paper", *paper.values())]
    rows += [(name, *(one.ratios[m] for m in paper)) for name, one in again.items()]
    return Table(
        caption="Points that were looked at again, with other seeds",
        columns=(*texts("nearest to"), *numbers(*paper, digits=2)),
        rows=tuple(rows),
        notes=(f"{seeds} seeds, with 95 % intervals (Student's t on logarithms).",),
    )


def draw(paper: PointRatios, by_doubling: Mapping[str, Sequence[PointRatios]]) -> Figure:
    """Draw which part of the points meets each number, by how durations grow with GPUs."""
    curves = {
        name: [
            100 * sum(name in met(paper, one) for one in some) / len(some)
            for some in by_doubling.values()
        ]
        for name in paper
    }
    about = "Points within 10 % of each of the paper's ratios"
    across = "times as long on twice the GPUs"
    figure, [axes] = category_figure(about, (across, by_doubling, "points, %"))
    by_name(axes, curves, "line")
    return finished(figure)


def said(paper: PointRatios, every: Sequence[PointRatios]) -> Iterator[str]:
    """Say how often all are met, and what never is."""
    sets = [met(paper, one) for one in every]
    full = sum(len(own) == len(paper) for own in sets)
    yield f"all four ratios within 10 % of the paper's: at {full} of {len(sets)} points"
    if not full:
        clashes = smallest_clashes(sets, list(paper))
        shown = "; or ".join(" with ".join(sorted(one)) for one in clashes)
        yield f"never within 10 % together: {shown}"
