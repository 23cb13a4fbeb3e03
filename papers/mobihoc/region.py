"""Under which conditions the orders of Figures 4-7 of SJF-BCO's paper hold: a search.

A *point* is a set of conditions (contention, overhead, law of execution times) with a reading of
SJF-BCO and one of its baselines. Points are looked at with few seeds, each seed also alone: the
paper may have had one draw. One of the points is rechecked with other seeds, and so is the point
that is nearest to each number of the paper.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from math import exp, log, sqrt
from statistics import fmean
from typing import Any

from ...analysis.figures.canvas import Figure, finished
from ...analysis.figures.categories import by_name, category_figure
from ...analysis.figures.style import LOOKS
from ...analysis.intervals import ABOVE, mean_above
from ...analysis.rows import Row
from ...analysis.tables import Cell, Table, numbers, texts
from ...campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..study import compared, smallest_clashes, sound, table_of
from .conditions import (
    BASE_READINGS,
    CLEAR,
    CONDITIONS,
    CONFIRMED,
    GRIDDED,
    SJF_READINGS,
    Conditions,
    FigureMethod,
    FigureOrder,
    HeldAt,
    Place,
    RecheckedPoint,
    RegionPoint,
    figure_orders,
    held_at,
)
from .figures import MEASURES, PAPER

SEEDS = 3
"""Seeds of a point."""

FRESH = 10
"""The first seed for the recheck of points, which were chosen without them."""


def runs(settings: Settings, known: Known | None = None) -> Iterator[Run]:
    """Yield every run once. The points nearest to the paper's numbers follow from all others."""
    searched, seen = list[Run](), set()
    tasks = [(point, few(settings)) for point in points(settings)]
    for point, seeds in (*tasks, (CONFIRMED, fresh(settings))):
        conditions = point.conditions
        for method, seed in product(point.methods.values(), seeds):
            key = conditions.name, method, seed
            if key not in seen:
                seen.add(key)
                searched.append(conditions.run(method, seed))
    yield from searched
    if known is None or any(known(run) is None for run in searched):
        return

    def answer(run: Run) -> Any:
        return known(run)

    found = {point: looked(point, few(settings), answer) for point in points(settings)}
    again = {
        (point.conditions.name, point.methods[key], run.seed): run
        for (key, _), point in nearest_to_each(found).items()
        for run in _again(point, key, settings)
    }
    yield from (run for key, run in again.items() if key not in seen)


def report(settings: Settings, answers: Answers) -> Results:
    """Report the orders that hold by place, recheck one point, and compare numbers."""
    answers, orders = sound(answers), figure_orders()
    found: dict[RegionPoint, RecheckedPoint] = {
        point: looked(point, few(settings), answers) for point in points(settings)
    }
    kept: Held = {point: held_at(rows, orders) for point, rows in found.items()}
    again = looked(CONFIRMED, fresh(settings), answers)
    near, miss = nearest(found)
    by_number = nearest_to_each(found)
    rerun = {
        number: compared({"": _again(point, number[0], settings)}, answers).rows[""]
        for number, point in by_number.items()
    }
    return Results(
        tables={
            "conditions": conditions_table(settings.some(CONDITIONS)),
            "region": region_table(kept),
            "figures": figures_table(kept, orders),
            "orders": orders_table(kept, orders),
            "confirmed": ratios_of_orders(
                "The paper's rankings at one parameter setting, with other seeds",
                again,
                orders,
                settings,
            ),
            "numbers": numbers_table(again, by_number, rerun),
        },
        charts={"held": partial(draw, kept)},
        statements=tuple(statements(kept, orders, near, miss)),
    )


def points(settings: Settings) -> list[RegionPoint]:
    """Return all points that take part."""
    conditions = settings.some(CONDITIONS)
    readings = product(settings.some([*SJF_READINGS]), settings.some([*BASE_READINGS]))
    return [RegionPoint(one, *both) for one, both in product(conditions, readings)]


def few(settings: Settings) -> range:
    """Return the seeds of a point."""
    return range(min(SEEDS, settings.seeds))


def fresh(settings: Settings) -> range:
    """Return the seeds of the point that is rechecked."""
    return range(FRESH, FRESH + settings.seeds)


def looked(point: RegionPoint, seeds: range, answers: Answers) -> RecheckedPoint:
    """Return the rows of a point. An objective below a certified bound is an error."""
    by_servers: dict[int, dict[Place, FigureMethod]] = {}
    for key, method in point.methods.items():
        by_servers.setdefault(method.servers, {})[key] = method
    found: dict[Place, Sequence[Row]] = {}
    for some in by_servers.values():
        made = {
            str(key): [point.conditions.run(one, seed) for seed in seeds]
            for key, one in some.items()
        }
        rows = compared(made, answers).rows
        found |= {key: rows[str(key)] for key in some}
    return found


ShownNumber = tuple[Place, str]
"""A number of the paper: its place, and what it measures."""

Held = Mapping[RegionPoint, HeldAt]
"""The orders that hold, by point."""

POLICIES_OF, CURVES = (4, 6), (5, 7)
"""Figures that compare policies, and figures that vary a parameter of SJF-BCO."""

MILD, LEFT = Conditions(name="").overhead_ms, "15 %, less the overhead"
"""The overhead that fits into 15 % of any iteration, and the text for a larger one."""

FEW = 4
"""Number of named sets that never hold together."""

SETS = ((4,), (5,), (6,), (7,), (4, 6), (5, 7), (4, 5, 6), (4, 6, 7), (4, 5, 6, 7))
"""Figures that are looked for together."""


def conditions_table(some: Sequence[Conditions]) -> Table:
    """Return a line for each set of conditions."""
    heads = {"conditions": None, "transfer": None, "xi_1": None, "alpha": None}
    more = {"xi_2": None, "execution times": None, "iterations": None}
    return table_of(
        "Conditions of the search (SJF-BCO, arXiv 2207.07817)",
        {**heads, **more},
        (_conditions_row(one) for one in some),
        "Transfer: seconds that a ring transfers, alone, for each second it computes. xi_2 for "
        "each server, or once for a ring on several. Execution times in slots, uniform.",
    )


def _conditions_row(one: Conditions) -> tuple[Cell, ...]:
    transfer = one.transfer or ("at most 15 % in all" if one.overhead_ms == MILD else LEFT)
    overhead = f"{one.overhead_ms} ms {'once' if one.once else 'a server'}"
    times = f"{one.least} to 300"
    iterations = "whole ones only" if one.floor else "parts count"
    return one.name, transfer, one.share, one.degradation, overhead, times, iterations


def counted(names: frozenset[str], figures: Sequence[int]) -> int:
    """Return how many of the orders that hold are of these figures."""
    return sum(name.startswith(f"Figure {figure}:") for name in names for figure in figures)


def region_table(held: Held) -> Table:
    """Return how many orders hold, by conditions and reading."""
    by_base = [base for base in BASE_READINGS if any(p.base == base for p in held)]
    by_sjf = [sjf for sjf in SJF_READINGS if any(p.sjf == sjf for p in held)]
    rows: list[tuple[Cell, ...]] = []
    for name in dict.fromkeys(point.conditions.name for point in held):
        own = {point: one.means for point, one in held.items() if point.conditions.name == name}
        rows.append(
            (
                name,
                *(_most(own, POLICIES_OF, base=base) for base in by_base),
                *(_most(own, CURVES, sjf=sjf) for sjf in by_sjf),
                max(map(len, own.values())),
            )
        )
    return table_of(
        "Rankings of the paper that hold, by conditions and readings",
        (
            *texts("conditions"),
            *numbers(*(f"4 and 6: {base}" for base in by_base)),
            *numbers(*(f"5 and 7: {sjf}" for sjf in by_sjf)),
            *numbers("most at once"),
        ),
        rows,
        "Of 12 rankings in Figures 4 and 6, by reading of the baselines, under the best reading "
        "of SJF-BCO. Of 9 in Figures 5 and 7, by reading of SJF-BCO. At once: of 21, at one "
        "parameter setting. By geometric means over the seeds. A ratio has to be "
        f"{CLEAR:g} below 1.",
    )


def _most(
    own: Mapping[RegionPoint, frozenset[str]],
    figures: Sequence[int],
    base: str | None = None,
    sjf: str | None = None,
) -> int:
    some = (m for p, m in own.items() if base in (None, p.base) and sjf in (None, p.sjf))
    return max(counted(names, figures) for names in some)


def figures_table(held: Held, orders: Sequence[FigureOrder]) -> Table:
    """Return at how many points all orders of some figures hold together."""
    rows: list[tuple[Cell, ...]] = []
    for figures in SETS:
        names = {one.name for one in orders if one.figure in figures}
        own = distinct(held, figures)
        there = [name for name, one in own.items() if one.means >= names]
        draws = [
            f"{name}, seed {seed}"
            for name, one in own.items()
            for seed, draw in enumerate(one.draws)
            if draw >= names
        ]
        of = len(own), sum(len(one.draws) for one in own.values())
        counts = len(names), len(there), of[0], len(draws), of[1]
        rows.append((", ".join(map(str, figures)), *counts, next(iter([*there, *draws]), "-")))
    return table_of(
        "Figures whose rankings hold together",
        (
            *texts("figures"),
            *numbers("rankings", "settings", "of settings", "draws", "of draws"),
            *texts("the first"),
        ),
        rows,
        "Settings: by means over the seeds. Draws: each seed alone. "
        "Figures 5 and 7 do not depend on how the baselines are read.",
    )


def distinct(held: Held, figures: Sequence[int]) -> dict[str, HeldAt]:
    """Return the points, by name, that can differ in figures."""
    curves = set(figures) <= set(CURVES)
    return {point.curves if curves else str(point): one for point, one in held.items()}


def orders_table(held: Held, orders: Sequence[FigureOrder]) -> Table:
    """Return of each order at which part of the points, and of the draws, it holds."""
    draws = [draw for one in held.values() for draw in one.draws]
    rows: list[tuple[Cell, ...]] = []
    for one in orders:
        points = sum(one.name in at.means for at in held.values())
        alone = sum(one.name in draw for draw in draws)
        rows.append((one.name, one.paper, 100 * points / len(held), 100 * alone / len(draws)))
    return table_of(
        "How often each ranking of the paper holds",
        {"ranking": None, "paper": 2, "settings, %": 0, "draws, %": 0},
        rows,
        "Paper: the ratio of the two, read off its plots.",
    )


def ratios_of_orders(
    about: str, found: RecheckedPoint, orders: Sequence[FigureOrder], settings: Settings
) -> Table:
    """Return the ratios of one point with their intervals."""
    ratios = [(one, one.ratio(found)) for one in orders]
    return table_of(
        about,
        {"ranking": None, "paper": 2, "here": 3, "verdict": None},
        ((one.name, one.paper, ratio, one.verdict(ratio)) for one, ratio in ratios),
        f"Geometric means over {settings.seeds} seeds of the ratio on one draw, with "
        "95 % intervals (Student's t on logarithms).",
    )


def numbers_table(
    again: RecheckedPoint,
    points: Mapping[ShownNumber, RegionPoint],
    rerun: Mapping[ShownNumber, Sequence[Row]],
) -> Table:
    """Put the paper's numbers next to those of the rechecked point, and of the nearest to each."""
    rows: list[tuple[Cell, ...]] = []
    for key, measure, paper in shown_numbers():
        number = key, measure
        here, there = (
            mean_above(_values(some, measure), 0.0) for some in (again[key], rerun[number])
        )
        figure, *labels = key
        rows.append(
            (str(figure), " ".join(labels), measure, paper, here, there, str(points[number]))
        )
    heads: dict[str, int | None] = {"figure": None, "at": None, "measure": None, "paper": 0}
    return table_of(
        "The paper's numbers, and reruns of settings with other seeds",
        {**heads, "confirmed": 0, "nearest setting, rerun": 0, "nearest setting": None},
        rows,
        "Confirmed: the same setting. Nearest: of all settings, the one whose mean in the search "
        "is nearest to this number, the first of several. Both are means over "
        f"{len(next(iter(again.values())))} other seeds with 95 % intervals ({ABOVE} 0).",
    )


def shown_numbers() -> Iterator[tuple[Place, str, int]]:
    """Yield the paper's numbers of the points that are looked at."""
    for figure, points in PAPER.items():
        for labels, both in points.items():
            if (figure, labels[0]) not in ((5, "10"), (6, "20")):
                for measure, paper in zip(MEASURES, both, strict=True):
                    if paper is not None:
                        yield (figure, *labels), measure, paper


def nearest(found: Mapping[RegionPoint, RecheckedPoint]) -> tuple[RegionPoint, float]:
    """Return the point whose numbers are nearest to the paper's, and by which factor they miss."""
    missed = {point: _missed(rows) for point, rows in found.items()}
    best = min(missed, key=lambda point: missed[point])
    return best, missed[best]


def nearest_to_each(
    found: Mapping[RegionPoint, RecheckedPoint],
) -> dict[ShownNumber, RegionPoint]:
    """Return the point with the nearest mean to each number of the paper."""

    def off(point: RegionPoint, key: Place, measure: str, paper: int) -> float:
        return abs(log(fmean(_values(found[point][key], measure)) / paper))

    return {
        (key, measure): min(
            found,
            key=lambda point, one=(key, measure, paper): off(point, *one),  # type: ignore[misc]
        )
        for key, measure, paper in shown_numbers()
    }


def _again(point: RegionPoint, key: Place, settings: Settings) -> list[Run]:
    """Return the runs of a place at a point, with seeds by which the point was not chosen."""
    return [point.conditions.run(point.methods[key], seed) for seed in fresh(settings)]


def _missed(rows: RecheckedPoint) -> float:
    """Return the root mean square of the logarithms of the ratios to the paper's numbers."""
    pairs = [(fmean(_values(rows[key], m)), paper) for key, m, paper in shown_numbers()]
    return sqrt(fmean([log(here / paper) ** 2 for here, paper in pairs]))


def _values(rows: Sequence[Mapping[str, object]], measure: str) -> list[float]:
    return [float(str(row[MEASURES[measure]])) for row in rows]


def draw(held: Held) -> Figure:
    """Draw how many orders hold by transfer on the grid: of policies, and of SJF-BCO's curves."""
    grid = {point: one.means for point, one in held.items() if point.conditions.name in GRIDDED}
    by_base = {base: _by_transfer(grid, POLICIES_OF, base) for base in BASE_READINGS}
    models = dict.fromkeys(_model(point) for point in grid)
    by_model = {model: _by_transfer(grid, CURVES, model) for model in models}
    names = [one or "<= 15 %" for one in _transfers(grid)]
    figure, (left, right) = category_figure(
        "Rankings in the paper's figures that hold at the best parameter setting, by transfer, "
        "reading of the baselines and contention",
        (
            "transfer for a second of computation",
            names,
            "rankings in Figures 4 and 6 that hold (of 12)",
        ),
        (
            "transfer for a second of computation",
            names,
            "rankings in Figures 5 and 7 that hold (of 9)",
        ),
    )
    shown = {name: some for name, some in by_base.items() if some}
    by_name(left, shown, "line")
    by_name(right, by_model, "line", LOOKS[len(shown) :])
    return finished(figure)


def _model(point: RegionPoint) -> str:
    return f"xi_1 {point.conditions.share}, alpha {point.conditions.degradation}"


def _transfers(grid: Mapping[RegionPoint, frozenset[str]]) -> list[str | None]:
    return list(dict.fromkeys(point.conditions.transfer for point in grid))


def _by_transfer(
    grid: Mapping[RegionPoint, frozenset[str]], figures: Sequence[int], which: str
) -> list[float]:
    """Return, for each transfer, the most orders among the points of a reading or a model."""
    own = {point: names for point, names in grid.items() if which in (point.base, _model(point))}
    return [
        float(max(counted(names, figures) for point, names in own.items() if _has(point, transfer)))
        for transfer in (_transfers(grid) if own else [])
    ]


def _has(point: RegionPoint, transfer: str | None) -> bool:
    return point.conditions.transfer == transfer


def statements(
    held: Held, orders: Sequence[FigureOrder], near: RegionPoint, miss: float
) -> Iterator[str]:
    """Yield how many orders hold together, and which never do."""
    names = [one.name for one in orders]
    points = [one.means for one in held.values()]
    draws = [draw for one in held.values() for draw in one.draws]
    for what, sets in (("settings", points), ("single draws", draws)):
        full = sum(len(one) == len(names) for one in sets)
        yield f"all {len(names)} rankings hold at {full} of {len(sets)} {what}"
        if not full:
            yield f"{what}: at most {max(map(len, sets))} rankings hold together"
            clashes = smallest_clashes(sets, names)
            size = len(clashes[0])
            shown = "; or ".join(" with ".join(sorted(one)) for one in clashes[:FEW])
            yield (
                f"{what}: any {size - 1} rankings hold together somewhere, but {len(clashes)} "
                f"of the sets of {size} hold nowhere, such as {shown}"
            )
    yield f"the numbers are nearest at {near}: a factor of {exp(miss):.2f} off"
