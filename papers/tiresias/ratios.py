"""Search for the four ratios of Tiresias' testbed over the paper's open parameters.

A *point* is a law of durations with a dependence on the number of GPUs, a load, the costs of
restarts and many servers, a version of Tiresias and one of YARN-CS. Points are looked at with few
seeds. The nearest to each number on its worst seed, and to all four, is rechecked with other seeds.
The same is done for each of the paper's times and counts, with one policy alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, partial
from itertools import combinations, product, starmap
from math import exp, log
from statistics import geometric_mean
from typing import Any, NamedTuple

from ...analysis.figures.canvas import Figure, finished
from ...analysis.figures.categories import by_name, category_figure
from ...analysis.intervals import ABOVE, Interval, mean_above
from ...analysis.tables import Cell, Column, Table, numbers, texts
from ...campaigns.reproductions import Answers, Known, Results, Run, Settings
from ...instances import TraceInstance
from ...instances.generate import generate
from ..study import RunsByName, compared, flat, seeded, smallest_clashes, sound, table_of
from .experiments import BASE, MEAN, MEDIAN, MIXES, PAPER_TESTBED_RATIOS, SMALL, TESTBED
from .experiments import PAPER_TESTBED as SECONDS
from .region import FRESH, SHARED

PART = 0.1
"""A number is met where the ratio here is within this part of it."""

PointRatios = Mapping[str, float]
"""Ratios at a point, by their terms."""


class RecheckedPoint(NamedTuple):
    """A point that was rechecked."""

    about: str
    ratios: Mapping[str, Interval]


def met(paper: PointRatios, one: PointRatios) -> frozenset[str]:
    """Return the ratios that are within 10 % of the paper's."""
    return frozenset(name for name, value in paper.items() if abs(one[name] / value - 1) <= PART)


def ratios_table(
    paper: PointRatios,
    every: Sequence[PointRatios],
    again: Mapping[str, RecheckedPoint],
    seeds: int,
) -> Table:
    """Return how often each number is met, and the nearest point with other seeds."""
    rows: list[tuple[Cell, ...]] = []
    for name, value in paper.items():
        here = [one[name] for one in every]
        near = sum(name in met(paper, one) for one in every)
        seen = again[name]
        rows.append((name, value, min(here), max(here), near, seen.ratios[name], seen.about))
    return table_of(
        "YARN-CS / Tiresias-L on the testbed's jobs: the paper's ratios in the search",
        (
            *texts("ratio"),
            *(Column(head=head, digits=2) for head in ("paper", "least", "most")),
            *numbers("settings within 10 %"),
            Column(head="nearest setting, rerun", digits=2),
            *texts("nearest setting"),
        ),
        rows,
        f"{len(every)} parameter settings, by geometric means over {seeds} seeds. "
        "Rerun: the nearest on its worst seed was rerun with other seeds, with 95 % intervals "
        "(Student's t on logarithms).",
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
    return table_of(
        "How many parameter settings meet several of the paper's ratios together",
        {"ratios": None, "settings within 10 %": 0, "nearest, % off at most": 0},
        rows,
        "Off: factor by which the worst ratio differs from the paper's, minus 1.",
    )


def again_table(paper: PointRatios, again: Mapping[str, RecheckedPoint], seeds: int) -> Table:
    """Return all four ratios at the points that were rechecked."""
    rows: list[tuple[Cell, ...]] = [("the paper", *paper.values())]
    rows += [(name, *(one.ratios[m] for m in paper)) for name, one in again.items()]
    return table_of(
        "Parameter settings rechecked with other seeds",
        {"nearest to": None, **dict.fromkeys(paper, 2)},
        rows,
        f"{seeds} seeds, with 95 % intervals (Student's t on logarithms).",
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
    about = "Parameter settings within 10 % of each of the paper's ratios"
    across = "times as long on twice the GPUs"
    figure, [axes] = category_figure(about, (across, by_doubling, "settings, %"))
    by_name(axes, curves, "line")
    return finished(figure)


def statements(paper: PointRatios, every: Sequence[PointRatios]) -> Iterator[str]:
    """Yield how often all are met, and which never are together."""
    sets = [met(paper, one) for one in every]
    full = sum(len(own) == len(paper) for own in sets)
    yield f"all four ratios within 10 % of the paper's: at {full} of {len(sets)} settings"
    if not full:
        clashes = smallest_clashes(sets, list(paper))
        shown = "; or ".join(" with ".join(sorted(one)) for one in clashes)
        yield f"never within 10 % together: {shown}"


SEEDS = 2
"""Seeds of a point."""

RIVAL = "YARN-CS"
COLUMNS = {"mean": MEAN, "median": MEDIAN, "makespan": "makespan_s", "waiting": "mean_waiting_s"}
PAPER: dict[str, float] = {
    **dict(zip(COLUMNS, PAPER_TESTBED_RATIOS[RIVAL], strict=False)),
    **{
        name: SECONDS[RIVAL][COLUMNS[name]] / SECONDS[BASE][COLUMNS[name]]
        for name in ("makespan", "waiting")
    },
}
"""The paper's numbers, by their terms."""

WANTED = {**{one: (one,) for one in PAPER}, "all four": tuple(PAPER)}
"""The ratios that points are to be near to, by a name."""

LAWS: dict[str, Mapping[str, Any]] = {
    "Pareto 0.5": {"tail": Decimal("0.5")},
    "Pareto 0.8": {},
    "Pareto 1.6": {"tail": Decimal("1.6")},
    "Philly": {"durations": "philly"},
}
DOUBLINGS = ("0.7", "1", "1.4", "1.7")
"""Times as long on twice the GPUs."""
GAPS = ("30", "50")
TIRESIAS = {
    f"idle {idle}, threshold {threshold}, {placement}": (
        f"tiresias-l:idle={idle}:thresholds=[{threshold}]:placement={placement}"
    )
    for idle, threshold, placement in product(
        ("kept", "offered"), (3200, 14_400, 28_800), ("profile", "pack")
    )
}
GITTINS = {
    name.replace("idle", "Tiresias-G, idle", 1): method.replace("tiresias-l", "tiresias-g", 1)
    for name, method in TIRESIAS.items()
    if name.endswith("profile")
}
YARNS = {
    "YARN consolidated": "yarn-cs",
    "YARN first-fit": "fifo:placement=first-fit",
    "YARN packed": "yarn-cs:placement=pack",
}


POLICIES = {BASE: TIRESIAS, "Tiresias-G": GITTINS, RIVAL: YARNS}
"""The versions of the policies, for the paper's times and counts."""

HEADS = {"makespan_s": "makespan", "mean_waiting_s": "waiting", "preemptions": "stops"}
"""Names of times and counts, by columns of a row."""


class Jobs(NamedTuple):
    """The jobs, and their costs of restarts and many servers."""

    law: str
    doubling: str
    gap: str
    shared: str

    @property
    def about(self) -> str:
        """The same in words."""
        law, doubling, gap, shared = self
        return f"{law}, x {doubling} on twice the GPUs, every {gap} s, {shared}"


class Point(NamedTuple):
    """The jobs, and the comparisons on them."""

    jobs: Jobs
    tiresias: str
    yarn: str

    @property
    def about(self) -> str:
        """The same in words."""
        return f"{self.jobs.about}; {self.tiresias}; {self.yarn}"


class Alone(NamedTuple):
    """The jobs, and a version of one policy on them, for a number of the paper."""

    policy: str
    column: str
    jobs: Jobs
    version: str

    @property
    def paper(self) -> float:
        """The number of the paper."""
        return SECONDS[self.policy][self.column]


def runs(settings: Settings, known: Known | None = None) -> Iterator[Run]:
    """Yield every run once. Points are rechecked after all other runs."""
    searched = list(flat(_searching(settings).values()))
    yield from searched
    if known is None or any(known(run) is None for run in searched):
        return

    def answer(run: Run) -> Any:
        return known(run)

    points = _chosen(_draws(settings, answer)).values()
    alone = [_again_alone(one, settings) for one in _nearest(settings, answer)]
    yield from flat([*(_again(point, settings) for point in points), *alone])


def report(settings: Settings, answers: Answers) -> Results:
    """Report the points that meet the numbers, and recheck the nearest ones."""
    answers = sound(answers)
    draws = _draws(settings, answers)
    found = {point: _mean(some) for point, some in draws.items()}
    again = {name: _look_again(point, settings, answers) for name, point in _chosen(draws).items()}
    by_doubling = {
        doubling: [one for point, one in found.items() if point.jobs.doubling == doubling]
        for doubling in settings.some(DOUBLINGS)
    }
    every = list(found.values())
    return Results(
        tables={
            "ratios": ratios_table(PAPER, every, again, SEEDS),
            "sets": sets_table(PAPER, every),
            "again": again_table(PAPER, again, settings.seeds),
            "seconds": _seconds_table(_nearest(settings, answers), settings, answers),
        },
        charts={"met": partial(draw, PAPER, by_doubling)},
        statements=tuple(statements(PAPER, every)),
    )


def _searching(settings: Settings) -> dict[Jobs, RunsByName]:
    """Return the runs of all versions of both schedulers, by the jobs and by their names."""
    kinds = product(*map(settings.some, (LAWS, DOUBLINGS, GAPS, SHARED)))
    return {
        Jobs(*one): seeded(
            {**TIRESIAS, **GITTINS, **YARNS}, _drawer(Jobs(*one), settings), range(SEEDS)
        )
        for one in kinds
    }


def _draws(settings: Settings, answers: Answers) -> dict[Point, list[PointRatios]]:
    """Return the ratios at every point, seed by seed."""
    found: dict[Point, list[PointRatios]] = {}
    for jobs, some in _searching(settings).items():
        rows = {name: list(map(answers, own)) for name, own in some.items()}
        for tiresias, yarn in product(TIRESIAS, YARNS):
            found[Point(jobs, tiresias, yarn)] = [
                {measure: row[column] / max(1, base[column]) for measure, column in COLUMNS.items()}
                for row, base in zip(rows[yarn], rows[tiresias], strict=True)
            ]
    return found


def _mean(draws: Sequence[PointRatios]) -> PointRatios:
    return {one: geometric_mean([draw[one] for draw in draws]) for one in PAPER}


def _chosen(found: Mapping[Point, Sequence[PointRatios]]) -> dict[str, Point]:
    """Return the point nearest to each number on its worst seed, and to all four together."""

    def far(point: Point, measures: tuple[str, ...]) -> float:
        return max(_off(draw, measures) for draw in found[point])

    return {
        name: min(found, key=lambda point, some=some: far(point, some))  # type: ignore[misc]
        for name, some in WANTED.items()
    }


def _off(ratios: PointRatios, measures: tuple[str, ...]) -> float:
    return max(abs(log(ratios[one] / PAPER[one])) for one in measures)


def _look_again(point: Point, settings: Settings, answers: Answers) -> RecheckedPoint:
    """Return the ratios at a point with seeds by which it was not chosen."""
    one = compared(_again(point, settings), answers)
    ratios = {measure: one.ratio(RIVAL, BASE, column) for measure, column in COLUMNS.items()}
    return RecheckedPoint(point.about, ratios)


def _again(point: Point, settings: Settings) -> RunsByName:
    methods = {RIVAL: YARNS[point.yarn], BASE: TIRESIAS[point.tiresias]}
    seeds = range(FRESH, FRESH + settings.seeds)
    return seeded(methods, _drawer(point.jobs, settings), seeds)


def _nearest(settings: Settings, answers: Answers) -> list[Alone]:
    """Return what is nearest to each time and count of the paper: on its worst seed, and on one."""
    rows = {
        jobs: {name: list(map(answers, own)) for name, own in some.items()}
        for jobs, some in _searching(settings).items()
    }

    def off(one: Alone) -> list[float]:
        draws = rows[one.jobs][one.version]
        return [abs(log(max(1, row[one.column]) / one.paper)) for row in draws]

    chosen: list[Alone] = []
    for policy, some in SECONDS.items():
        for column in some:
            every = list(starmap(partial(Alone, policy, column), product(rows, POLICIES[policy])))
            both = (min(every, key=lambda one, far=far: far(off(one))) for far in (max, min))  # type: ignore[misc]
            chosen += dict.fromkeys(both)
    return chosen


def _again_alone(one: Alone, settings: Settings) -> RunsByName:
    methods = {one.version: POLICIES[one.policy][one.version]}
    seeds = range(FRESH, FRESH + settings.seeds)
    return seeded(methods, _drawer(one.jobs, settings), seeds)


def _seconds_table(nearest: Sequence[Alone], settings: Settings, answers: Answers) -> Table:
    """Return the paper's times and counts where they are nearest, with other seeds."""
    rows: list[tuple[Cell, ...]] = []
    for one in nearest:
        found = compared(_again_alone(one, settings), answers)
        here = mean_above(found.values(one.version, one.column), 0.0)
        about = f"{one.jobs.about}; {one.version}"
        rows.append((one.policy, HEADS[one.column], one.paper, here, about))
    return table_of(
        "Times in seconds and counts of the testbed, at the settings that are nearest to them",
        {
            **dict.fromkeys(("policy", "number")),
            **{"paper": 0, "nearest setting, rerun": 0, "nearest setting": None},
        },
        rows,
        "The nearest on its worst seed was rerun, and that with the nearest draw. Means over "
        f"{settings.seeds} other seeds with 95 % intervals ({ABOVE} 0).",
    )


def _drawer(jobs: Jobs, settings: Settings) -> Callable[[int], TraceInstance]:
    return partial(_drawn, jobs, small=settings.points is not None)


@cache
def _drawn(jobs: Jobs, seed: int, small: bool) -> TraceInstance:
    family, usual = MIXES[TESTBED]
    options = {
        **usual,
        **LAWS[jobs.law],
        **SHARED[jobs.shared],
        "doubling": Decimal(jobs.doubling),
        "gap_s": Decimal(jobs.gap),
        **({"jobs": SMALL} if small else {}),
    }
    made: TraceInstance = generate(family, seed=seed, name=f"{', '.join(jobs)} s{seed}", **options)
    return made
