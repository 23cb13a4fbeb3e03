"""Distance of each method to a proved bound over time, on one machine in one run.

In addition to the default, its searches and `cp-sat` there are a plain interval model by CP-SAT,
PyJobShop on the contention-free relaxation, and list schedulers. Values of a relaxation are no
schedules, so they have a separate table.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from statistics import fmean
from typing import Any

from ...analysis.figures.canvas import Figure, Point, blank, draw, finished, label
from ...analysis.figures.style import BARE, SIZE, STEPS, looks_for
from ...analysis.rows import Row
from ...analysis.tables import Cell, Table
from ...campaigns.reproductions import Answers, Known, Results, Settings
from ...campaigns.runs import Run, called
from ...instances import MakespanInstance
from ..fresh import FIRST_SEED, GROUPS, DrawnGroup, drawn
from ..sides import blind
from ..study import certified, ours, table_of

Curve = list[tuple[float, float]]
"""Seconds, and the part of the bound by which the best so far exceeds it."""


class GapsOverTime:
    """Results of methods on the instances of a group, against the best certified bounds."""

    def __init__(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Compute the bounds. A value across one is an error."""
        self.rows = rows
        by_seed = zip(*rows.values(), strict=True)
        self.bounds = [certified([r for r in some if r["bound"] is not None]) for some in by_seed]

    def refused(self, name: str) -> bool:
        """Return True if a method accepts no instance."""
        return all(row["status"] == "refused" for row in self.rows[name])

    def curve(self, name: str) -> Curve:
        """Return the mean gap at each moment at which it changes, from when all have one."""
        paths = [_path(row, bound) for row, bound in self._pairs(name)]
        if not all(paths):
            return []
        first = max(path[0][0] for path in paths)
        moments = sorted({first, *(s for path in paths for s, _ in path if s > first)})
        return [(moment, fmean(_at(path, moment) for path in paths)) for moment in moments]

    def at(self, name: str, moment: float) -> float | None:
        """Return the mean gap at a moment, None before all instances have a schedule."""
        curve = self.curve(name)
        return _at(curve, moment) if curve and curve[0][0] <= moment else None

    def proofs(self, name: str) -> int:
        """Return how many runs ended with an optimum and knew it."""
        return sum(row["status"] == "optimal" for row in self.rows[name])

    def _pairs(self, name: str) -> Iterator[tuple[Row, float]]:
        yield from zip(self.rows[name], self.bounds, strict=True)


def _path(row: Row, bound: float) -> Curve:
    if not row["valid"]:
        return []
    steps = [(s, value / bound - 1) for s, value, _ in row["trajectory"] if value is not None]
    best: Curve = []
    for moment, gap in steps:
        best.append((moment, min(gap, best[-1][1]) if best else gap))
    return best


def _at(path: Curve, moment: float) -> float:
    return [gap for seconds, gap in path if seconds <= moment][-1]


FLOOR, SOONEST = 0.05, 0.02
"""Per cent, and seconds, at which less is drawn: both axes are logarithmic."""

UNDRAWN = ("greedy",)
"""No more than eight lines can be told apart. The table has all."""


WIDTH, HEIGHT = 230.0, 230.0
"""Pixels of a panel."""


def curves(found: Mapping[str, GapsOverTime], limit: float) -> Figure:
    """Draw the panels side by side. A method has the same look in all of them."""
    names = {name: None for one in found.values() for name in one.rows if name not in UNDRAWN}
    about = "per cent above the certified bound over seconds, by method"
    size = (WIDTH * len(found), HEIGHT)
    figure, [row] = blank(about, size, columns=len(found), sharey=True)
    for axes, (group, one) in zip(row, found.items(), strict=True):
        up = f"% above the bound ({FLOOR:g}: or less)" if axes is row[0] else ""
        label(axes, across="seconds", up=up, log="xy")
        axes.set_title(group, fontsize=SIZE, fontweight="bold", pad=18)
        for name, look in looks_for(names).items():
            draw(axes, _points(one, name, limit), name, look | STEPS | BARE)
    for axes in row:
        axes.set_xlim(left=SOONEST)
    row[0].set_ylim(bottom=FLOOR)
    return finished(figure)


def _points(one: GapsOverTime, name: str, limit: float) -> list[Point]:
    """Return the curve as far as it is drawn, held until the limit."""
    points = [(max(SOONEST, s), max(FLOOR, 100 * gap)) for s, gap in one.curve(name)]
    if points and points[-1][0] < limit:
        points.append((limit, points[-1][1]))
    return points


RIVALS = "ringyard.papers.anytime.rivals"

DEFAULT, SHOP = "default", "PyJobShop"

METHODS = {
    DEFAULT: ours(),
    "block-dive": "block-dive",
    "nested": "nested",
    "local-search": "local-search",
    "cp-sat": "cp-sat",
    "interval model": f"{RIVALS}:interval_model",
    SHOP: f"{RIVALS}:pyjobshop",
    "gang-lpt": "gang-lpt",
    "greedy": f"{RIVALS}:greedy",
}

NEEDS = {"interval model": "ortools", SHOP: "pyjobshop"}
"""Packages without which a method is left out, by the name of its module and of its extra."""

EXTRAS = {"ortools": "cpsat", "pyjobshop": "pyjobshop"}

TIMES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


def groups() -> tuple[DrawnGroup, ...]:
    """Return the groups that are drawn: few jobs, then more, then settings of `fresh`."""
    known = {one.name: one for one in GROUPS}
    return (
        DrawnGroup("small-20x7", "small", (("jobs", 20), ("servers", 7))),
        DrawnGroup("tight-40x12", "tight", (("jobs", 40), ("servers", 12))),
        known["mobihoc-20"],
        known["knot-full"],
    )


def there(name: str) -> bool:
    """Return True if the package that a method needs is installed."""
    return name not in NEEDS or find_spec(NEEDS[name]) is not None


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield a run of every method, and those on the relaxation, for every instance."""
    for group in settings.some(groups()):
        for some in (*_runs(group, settings).values(), *_relaxed(group, settings).values()):
            yield from some


def report(settings: Settings, answers: Answers) -> Results:
    """Make a table and a chart of gaps over time, and a table of the relaxation."""
    some = settings.some(groups())
    found = {group.name: _gaps(_runs(group, settings), answers) for group in some}
    return Results(
        tables={"gaps": _table(found, settings), "relaxed": _relaxations(some, settings, answers)},
        charts={"gaps": partial(curves, found, settings.time_limit)},
        statements=(*_statements(found), *tools()),
    )


def _runs(group: DrawnGroup, settings: Settings) -> dict[str, list[Run]]:
    """Return the runs of each method that is there, one for each instance."""
    some = drawn(group, settings.seeds)
    return {
        name: [_run(one, method, settings) for one in some]
        for name, method in METHODS.items()
        if there(name)
    }


def _relaxed(group: DrawnGroup, settings: Settings) -> dict[str, list[Run]]:
    """Return runs on the instances with all GPUs in one server, without contention."""
    some = [blind(one) for one in drawn(group, settings.seeds)]
    names = [name for name in (DEFAULT, SHOP) if there(name)]
    return {name: [_run(one, METHODS[name], settings) for one in some] for name in names}


def _run(instance: MakespanInstance, method: str, settings: Settings) -> Run:
    how: dict[str, Any] = called(method, instance.kind)
    return Run(instance=instance, threads=2, time_limit=settings.time_limit, **how)


def _gaps(runs: Mapping[str, Sequence[Run]], answers: Answers) -> GapsOverTime:
    return GapsOverTime({name: list(map(answers, some)) for name, some in runs.items()})


def _table(found: Mapping[str, GapsOverTime], settings: Settings) -> Table:
    """Return a line for each method on each group."""
    times = [moment for moment in TIMES if moment <= settings.time_limit]
    heads = {"instances": None, "method": None} | {f"{moment:g} s": None for moment in times}
    lines = [
        (group, name, *_cells(one, name, times))
        for group, one in found.items()
        for name in one.rows
    ]
    return table_of(
        "Percent above the best certified bound, by seconds",
        heads | {"proved": None},
        lines,
        f"Means over seeds from {FIRST_SEED} on. A dash: some seeds have no schedule yet.",
        shared=1,
    )


def _cells(one: GapsOverTime, name: str, times: Sequence[float]) -> Iterator[Cell]:
    if one.refused(name):
        yield from ("" for _ in times)
        yield "refused"
        return
    for moment in times:
        gap = one.at(name, moment)
        yield "-" if gap is None else f"{100 * gap:.2f}"
    yield f"{one.proofs(name)} of {len(one.bounds)}"


def _relaxations(some: Sequence[DrawnGroup], settings: Settings, answers: Answers) -> Table:
    """Return the values of the relaxation with the certified bound and Ringyard's best schedule."""
    lines: list[tuple[Cell, ...]] = []
    for group in some:
        one = _gaps(_runs(group, settings), answers)
        best = [float(row["objective"]) for row in one.rows[DEFAULT]]
        for name, own in _relaxed(group, settings).items():
            rows = list(map(answers, own))
            values = [float(row["objective"]) for row in rows if row["valid"]]
            value = fmean(values) if len(values) == len(rows) else "-"
            proved = sum(row["status"] == "optimal" for row in rows)
            known = f"{proved} of {len(rows)}"
            lines.append((group.name, name, value, known, fmean(one.bounds), fmean(best)))
    heads = {"instances": None, "method": None, "relaxed, slots": 1, "proved": None}
    heads |= {"certified bound": 1, "schedule of the default": 1}
    return table_of(
        "The contention-free relaxation, whose values are no schedules: means in slots",
        heads,
        lines,
        shared=1,
    )


def _statements(found: Mapping[str, GapsOverTime]) -> Iterator[str]:
    """Yield for each group which methods end nearest to the bound, and when the default does."""
    for group, one in found.items():
        ends = {name: curve[-1][1] for name in one.rows if (curve := one.curve(name))}
        least = min(ends.values())
        nearest = [name for name, gap in ends.items() if gap == least]
        yield f"{group}: nearest in the end, {100 * least:.2f} %: {', '.join(nearest)}."
        others = [gap for name, gap in ends.items() if METHODS[name].startswith(RIVALS)]
        if others:
            near = (s for s, gap in one.curve(DEFAULT) if gap <= min(others))
            moment = next(near, None)
            when = "never comes so near" if moment is None else f"is there after {moment:.2g} s"
            tools = f"the nearest of the other tools ends at {100 * min(others):.2f} %"
            yield f"{group}: {tools}; the default {when}."


def tools() -> Iterator[str]:
    """Name the tools and their versions, and the omitted ones."""
    for name, package in NEEDS.items():
        if there(name):
            yield f"{name}: by {package} {version(package)}."
        else:
            extra = f"pip install 'ringyard[{EXTRAS[package]}]'"
            yield f"{name} is left out, because {package} is not installed ({extra})."
