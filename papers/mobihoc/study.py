"""Figures 4-7 of the SJF-BCO paper (arXiv 2207.07817), regenerated over seeds."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, groupby, pairwise
from statistics import fmean

from ...analysis.intervals import paired_ratio, student
from ...analysis.rows import Row
from ...analysis.tables import Cell, Column, Table, cell_text
from ...campaigns.runs import Run
from ..study import Answers, Known, Report, Settings, certificate_runs, certified, ours, sound
from .charts import draw
from .figures import FIGURES, Figure, Point, Seen
from .paper_numbers import FIGURES as PAPER
from .paper_numbers import READING


def chosen(settings: Settings) -> list[Figure]:
    """Return the figures to be made, with the points that take part."""
    return [
        replace(figure, points=tuple(settings.some(figure.points)))
        for figure in FIGURES
        if settings.figure in (None, figure.number)
    ]


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report asks for, the quick ones first."""
    points = [point for figure in chosen(settings) for point in figure.points]
    pairs = [(point, seed) for point in points for seed in range(settings.seeds)]
    yield from (point.run(seed) for point, seed in pairs)
    for point, seed in pairs:
        yield from certificate_runs(point.instance(seed), seed, settings)


def report(settings: Settings, answers: Answers) -> Report:
    """Make tables, charts and sentences of the rows."""
    figures, answers = chosen(settings), sound(answers)
    seen = {
        figure: [_seen(figure, point, settings, answers) for point in figure.points]
        for figure in figures
    }
    return Report(
        tables={figure.name: _table(figure, seen[figure], settings) for figure in figures},
        charts={figure.name: draw(figure, seen[figure]) for figure in figures},
        statements=(
            *(text for figure in figures for text in _compare(figure, seen[figure])),
            *_conflict(figures),
        ),
    )


def _seen(figure: Figure, point: Point, settings: Settings, answers: Answers) -> Seen:
    seeds = range(settings.seeds)
    rows = [answers(point.run(seed)) for seed in seeds]
    pairs = [certificate_runs(point.instance(seed), seed, settings) for seed in seeds]
    best, bound = ([answers(pair[i]) for pair in pairs] for i in (0, 1))
    return Seen(
        point=point,
        paper=PAPER[figure.number][point.labels],
        makespans=_column(rows, "objective"),
        completions=_column(rows, "mean_end"),
        best=_column(best, "objective"),
        best_completions=_column(best, "mean_end"),
        bounds=tuple(certified(list(three)) for three in zip(rows, best, bound, strict=True)),
    )


def _column(rows: list[Row], key: str) -> tuple[float, ...]:
    return tuple(float(row[key]) for row in rows)


def _table(figure: Figure, seen: list[Seen], settings: Settings) -> Table:
    """Put the paper's numbers beside ours; two columns are ours alone."""
    timed = all(point.paper[1] is not None for point in seen)
    columns = [
        *(Column(head=head, digits=None) for head in figure.heads),
        Column(head="paper"),
        Column(head="makespan"),
        *([Column(head="paper, completion")] if timed else []),
        Column(head="mean completion"),
        Column(head="our best"),
        Column(head="bound"),
        Column(head="over bound, %", digits=1),
    ]
    return Table(
        caption=f"{figure.title} (Figure {figure.number} of SJF-BCO, arXiv 2207.07817)",
        columns=tuple(columns),
        rows=tuple(_row(one, timed) for one in seen),
        shared=len(figure.heads) - 1,
        notes=(
            f"In slots, means over {settings.seeds} seeds with 95 % intervals (Student's t). "
            f"Paper: read off its plots, to {READING} slots. "
            f"Our best: {ours()}, at most {settings.time_limit:g} s an instance, so it depends "
            "on the machine. Bound: certified; no schedule ends earlier.",
        ),
    )


def _row(one: Seen, timed: bool) -> tuple[Cell, ...]:
    return (
        *one.point.labels,
        one.paper[0],
        student(one.makespans),
        *([one.paper[1]] if timed else []),
        student(one.completions),
        student(one.best).mean,
        student(one.bounds).mean,
        student(_over(one)),
    )


def _over(one: Seen) -> list[float]:
    """Return by how many per cent each makespan exceeds the bound of its instance."""
    return [100 * (a / b - 1) for a, b in zip(one.makespans, one.bounds, strict=True)]


def _compare(figure: Figure, seen: list[Seen]) -> Iterator[str]:
    """Say where the paper's numbers and the order that they show come out again."""
    near = [one for one in seen if _near(one)]
    yield (
        f"Figure {figure.number}: {len(near)} of the paper's {len(seen)} makespans lie within "
        f"{READING} slots of our 95 % intervals"
    )
    for where, group in groupby(seen, key=lambda one: one.point.labels[:-1]):
        points = list(group)
        place = "".join(f" {figure.heads[0]} {label}" for label in where)
        theirs = _order({one.point.labels[-1]: (one.paper[0],) for one in points}, _read_apart)
        here = _order({one.point.labels[-1]: one.makespans for one in points}, _told_apart)
        verdict = "the same order" if here == theirs else f"here {here}"
        yield f"Figure {figure.number}{place}, least makespan first: paper {theirs}; {verdict}"
    if all(one.paper[1] is not None for one in seen):
        text = cell_text(student(seen[0].best_completions), 0)
        yield f"Figure {figure.number}: mean completion of our best, made for the makespan, {text}"


def _near(one: Seen) -> bool:
    interval = student(one.makespans)
    return interval.low - READING <= one.paper[0] <= interval.high + READING


def _order(
    points: dict[str, tuple[float, ...]],
    apart: Callable[[tuple[float, ...], tuple[float, ...]], bool],
) -> str:
    """Name the points by ascending mean; a tilde between those that are not told apart."""
    names = sorted(points, key=lambda name: fmean(points[name]))
    signs = ["<" if apart(points[a], points[b]) else "~" for a, b in pairwise(names)]
    return " ".join(chain(*zip(names, [*signs, ""], strict=True))).rstrip()


def _read_apart(less: tuple[float, ...], more: tuple[float, ...]) -> bool:
    return more[0] - less[0] > 2 * READING


def _told_apart(less: tuple[float, ...], more: tuple[float, ...]) -> bool:
    return paired_ratio(less, more).high < 1


def _conflict(figures: list[Figure]) -> Iterator[str]:
    """Point out that two figures of the paper show different numbers for one setting."""
    if {5, 7} <= {figure.number for figure in figures}:
        one, other = PAPER[5]["1",][0], PAPER[7]["1",][0]
        yield (
            f"At kappa = 1 and lambda = 1 the paper shows {one} in Figure 5 and {other} in "
            "Figure 7; here they are one run, so at most one of the two can agree with it"
        )
