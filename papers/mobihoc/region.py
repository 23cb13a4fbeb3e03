"""Under which conditions the orders of Figures 4-7 of SJF-BCO's paper hold: a search.

A *point* is a set of conditions (contention, overhead, law of execution times) with a reading of
SJF-BCO and one of its baselines. Points are looked at with few seeds, each seed also alone: the
paper may have had one draw. One of the points is looked at again with others, as many as elsewhere.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

from ...analysis.rows import Row
from ...campaigns.results import Results
from ...campaigns.runs import Run
from ..compared import compared
from ..study import Answers, Known, Settings, sound
from .conditions import (
    BASE_READINGS,
    CONDITIONS,
    CONFIRMED,
    SJF_READINGS,
    FigureMethod,
    Place,
    RegionPoint,
)
from .orders import RecheckedPoint, figure_orders, held_at
from .region_tables import (
    Held,
    conditions_table,
    confirmed_table,
    draw,
    figures_table,
    nearest,
    numbers_table,
    orders_table,
    region_table,
    said,
)

SEEDS = 3
"""Seeds of a point."""

FRESH = 10
"""The first seed of those that one point is looked at again with; it was not chosen by them."""


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run once."""
    seen = set()
    tasks = [(point, few(settings)) for point in points(settings)]
    for point, seeds in (*tasks, (CONFIRMED, fresh(settings))):
        conditions = point.conditions
        for method, seed in product(point.methods.values(), seeds):
            key = conditions.name, method, seed
            if key not in seen:
                seen.add(key)
                yield conditions.run(method, seed)


def report(settings: Settings, answers: Answers) -> Results:
    """Say which orders hold where, look at one point again, and compare numbers."""
    answers, orders = sound(answers), figure_orders()
    found: dict[RegionPoint, RecheckedPoint] = {
        point: looked(point, few(settings), answers) for point in points(settings)
    }
    kept: Held = {point: held_at(rows, orders) for point, rows in found.items()}
    again = looked(CONFIRMED, fresh(settings), answers)
    near, miss = nearest(found)
    return Results(
        tables={
            "conditions": conditions_table(settings.some(CONDITIONS)),
            "region": region_table(kept),
            "figures": figures_table(kept, orders),
            "orders": orders_table(kept, orders),
            "confirmed": confirmed_table(again, orders, settings),
            "numbers": numbers_table(again, found[near], near),
        },
        charts={"held": partial(draw, kept)},
        statements=tuple(said(kept, orders, near, miss)),
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
    """Return the seeds of the point that is looked at again."""
    return range(FRESH, FRESH + settings.seeds)


def looked(point: RegionPoint, seeds: range, answers: Answers) -> RecheckedPoint:
    """Return the rows of a point; an objective below a certified bound is an error."""
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
