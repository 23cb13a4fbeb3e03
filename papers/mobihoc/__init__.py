"""Figures 4-7 of the SJF-BCO paper (arXiv 2207.07817), regenerated over seeds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from ...analysis.drawing.colours import SOFT_INK
from ...analysis.figures.canvas import Axes, Figure, finished
from ...analysis.figures.categories import Kind, Value, by_name, category_figure, over
from ...analysis.figures.style import GUIDE
from ...analysis.intervals import ABOVE, mean_above, next_draw
from ...analysis.tables import Cell, Table, cell_text, columns_of, numbers, texts
from ...campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..study import (
    BEST,
    OBJECTIVE,
    Compared,
    about_best,
    beside_best,
    certificate_runs,
    in_order,
    sound,
    table_of,
)
from .figures import FIGURES, MEASURES, READING, FigurePoint, PaperFigure, Place
from .figures import PAPER as PAPER


def draw(figure: PaperFigure, found: Mapping[Place, Compared]) -> Figure:
    """Draw a figure of the paper: by policy in bars, by a number as lines."""
    if figure.heads == ("servers", "policy"):
        return _by_servers(figure, found)
    (one,) = found.values()
    names = tuple(point.labels[-1] for point in figure.points)
    kind: Kind = "bars" if figure.heads == ("policy",) else "line"
    shown = list(MEASURES.items())[: 2 if figure.timed else 1]
    panels = [(figure.heads[-1], names, f"{measure}, slots") for measure, _ in shown]
    drawn, row = category_figure(_about(figure), *panels)
    for index, (axes, (_, column)) in enumerate(zip(row, shown, strict=True)):
        over(axes, "regenerated", [one.mean(name, column) for name in names], kind)
        over(axes, "paper's plot", [figure.paper(point)[index] for point in figure.points], "marks")
        _draw_limits(axes, [one] * len(names), column)
    return finished(drawn)


def _about(figure: PaperFigure) -> str:
    return f"{figure.title}: regenerated, in the paper, our best, and the certified bound"


def _by_servers(figure: PaperFigure, found: Mapping[Place, Compared]) -> Figure:
    """Draw a line for each policy, here and, in a separate panel, in the paper."""
    here: dict[str, list[Value]] = {}
    there: dict[str, list[Value]] = {}
    for point in figure.points:
        (*place, name) = point.labels
        here.setdefault(name, []).append(found[tuple(place)].mean(name))
        there.setdefault(name, []).append(figure.paper(point)[0])
    servers, ups = [place[0] for place in found], ("makespan, regenerated", "paper's plot")
    drawn, (left, right) = category_figure(
        _about(figure), *(("servers", servers, up) for up in ups)
    )
    by_name(left, here, "line")
    _draw_limits(left, list(found.values()), OBJECTIVE)
    by_name(right, there, "line")
    return finished(drawn)


def _draw_limits(axes: Axes, found: Sequence[Compared], column: str) -> None:
    """Draw the values of our best schedules and, of makespans, the bounds."""
    over(axes, BEST, [one.mean(BEST, column).mean for one in found], "plain", GUIDE)
    if column == OBJECTIVE:
        bounds = [fmean(one.bounds) for one in found]
        over(axes, "bound", bounds, "dashed", GUIDE | {"color": SOFT_INK})


def chosen(settings: Settings) -> list[PaperFigure]:
    """Return the figures to be made, with the points that take part."""
    return [
        replace(figure, points=tuple(settings.some(figure.points)))
        for figure in FIGURES
        if settings.figure in (None, figure.number)
    ]


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report needs, the quick ones first."""
    points = [point for figure in chosen(settings) for point in figure.points]
    pairs = [(point, seed) for point in points for seed in range(settings.seeds)]
    yield from (point.run(seed) for point, seed in pairs)
    for point, seed in pairs:
        yield from certificate_runs(point.instance(seed), seed, settings)


def report(settings: Settings, answers: Answers) -> Results:
    """Make tables, charts and sentences of the rows."""
    figures, answers = chosen(settings), sound(answers)
    found = {figure: _compared(figure, settings, answers) for figure in figures}
    return Results(
        tables={figure.name: _table(figure, found[figure], settings) for figure in figures},
        charts={figure.name: partial(draw, figure, found[figure]) for figure in figures},
        statements=(
            *(text for figure in figures for text in _compare(figure, found[figure])),
            *_conflict(figures),
        ),
    )


def _compared(figure: PaperFigure, settings: Settings, answers: Answers) -> dict[Place, Compared]:
    return {
        place: beside_best(
            {point.labels[-1]: point.method for point in points},
            points[0].instance,
            settings,
            answers,
        )
        for place, points in figure.places.items()
    }


def _table(figure: PaperFigure, found: Mapping[Place, Compared], settings: Settings) -> Table:
    """Put the paper's numbers next to Ringyard's. Two columns are only Ringyard's."""
    columns = [
        *texts(*figure.heads),
        *columns_of({"paper": 0, "makespan": 1}),
        *(numbers("paper, completion") if figure.timed else []),
        *columns_of({"mean completion": 1, "our best": 0, "bound": 0, "over bound, %": 1}),
    ]
    return table_of(
        f"{figure.title} (Figure {figure.number} of SJF-BCO, arXiv 2207.07817)",
        tuple(columns),
        (_row(figure, one, found[one.labels[:-1]]) for one in figure.points),
        f"In slots, means over {settings.seeds} seeds with 95 % intervals ({ABOVE} 0). Paper: "
        f"read off its plots, to {READING} slots. {about_best(settings)} "
        "Bound: certified, so no schedule ends earlier.",
        shared=len(figure.heads) - 1,
    )


def _row(figure: PaperFigure, point: FigurePoint, one: Compared) -> tuple[Cell, ...]:
    name, (makespan, completion) = point.labels[-1], figure.paper(point)
    return (
        *point.labels,
        makespan,
        one.mean(name),
        *([completion] if figure.timed else []),
        one.mean(name, "mean_end"),
        one.mean(BEST).mean,
        fmean(one.bounds),
        mean_above(one.above_bound(name), 0.0),
    )


def _compare(figure: PaperFigure, found: Mapping[Place, Compared]) -> Iterator[str]:
    """Yield the places where the paper's numbers and their order are reproduced."""
    near = sum(_near(figure, point, found[point.labels[:-1]]) for point in figure.points)
    yield (
        f"Figure {figure.number}: {near} of the paper's {len(figure.points)} makespans lie within "
        f"{READING} slots of the 95 % prediction intervals of one draw"
    )
    for where, points in figure.places.items():
        place = "".join(f" {figure.heads[0]} {label}" for label in where)
        read = {point.labels[-1]: figure.paper(point)[0] for point in points}
        theirs, here = _order(read), found[where].order(read)
        verdict = "the same order" if here == theirs else f"here {here}"
        yield f"Figure {figure.number}{place}, least makespan first: paper {theirs}, {verdict}"
    if figure.timed:
        best = next(iter(found.values())).mean(BEST, "mean_end")
        text = cell_text(best, 0)
        yield f"Figure {figure.number}: mean completion of our best, made for the makespan, {text}"


def _order(read: Mapping[str, int]) -> str:
    return in_order(read, lambda less, more: read[more] - read[less] > 2 * READING)


def _near(figure: PaperFigure, point: FigurePoint, one: Compared) -> bool:
    # The paper may show one draw, which scatters more than our mean over several.
    draw = next_draw(one.mean(point.labels[-1]))
    return draw.low - READING <= figure.paper(point)[0] <= draw.high + READING


def _conflict(figures: list[PaperFigure]) -> Iterator[str]:
    """Yield that two figures of the paper show different numbers for one setting."""
    if {5, 7} <= {figure.number for figure in figures}:
        one, other = PAPER[5]["1",][0], PAPER[7]["1",][0]
        yield (
            f"At kappa = 1 and lambda = 1 the paper shows {one} in Figure 5 and {other} in "
            "Figure 7. On one draw they are one run, so the numbers come from different draws"
        )
