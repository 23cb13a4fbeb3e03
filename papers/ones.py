"""`ringyard reproduce ones`: ONES, Tiresias and Optimus on 64 GPUs, and the orders that hold.

Only the paper's abstract was read. Its jobs, its learned rival and that rival's training are
unknown. Ringyard's jobs are of the mix `elastic`. Points of the search differ in the open
parameters: load, restart costs, speed-ups, and the interval of Optimus.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, partial
from itertools import product
from math import log
from typing import NamedTuple

from ..analysis.figures.canvas import Figure, finished
from ..analysis.figures.categories import by_name, category_figure, over
from ..analysis.figures.style import GUIDE
from ..analysis.intervals import Interval
from ..analysis.tables import Cell, Table, cell_text
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..instances import TraceInstance
from ..instances.generate import generate
from .study import (
    HOLDS,
    OPEN,
    REVERSED,
    Compared,
    RunsByName,
    answered,
    compared,
    flat,
    seeded,
    sound,
    table_of,
)

INTERVALS = (600, 300, 60)
"""Seconds between rounds of Optimus. The first is its default."""


class OnesPoint(NamedTuple):
    """Conditions that the paper leaves open."""

    load: str
    restarts: str
    """In seconds: of ONES, and of the other policies."""
    serial: str
    """Most of a job's work that more GPUs do not speed up."""


RESTARTS = {
    "0 s": ("0", "0"),
    "3 s": ("3", "3"),
    "10 s": ("10", "10"),
    "30 s": ("30", "30"),
    "ONES 1 s, others 30 s": ("1", "30"),
}

AS_IT_IS = OnesPoint("0.9", "10 s", "0.15")

POINTS = tuple(
    OnesPoint(*one) for one in product(("0.5", "0.9", "1.5"), RESTARTS, ("0.15", "0.05", "0.4"))
)

CONFIRMED, CONFIRMED_INTERVAL = OnesPoint("0.9", "3 s", "0.05"), 300
"""The point, and rounds of Optimus, that are rechecked."""

SERVERS, JOBS, SMALL = 16, 120, 12
"""Servers of 4 GPUs each, jobs, and jobs of a small version."""

ONES, TIRESIAS, OPTIMUS = "ONES", "Tiresias", "Optimus"

PAPER_LESS = {TIRESIAS: 45.6, OPTIMUS: 41.7}
"""By how many per cent the mean completion time of ONES is less, as recalled."""

METHODS = {
    ONES: "ones",
    TIRESIAS: "tiresias-l",
    "SRSF, lengths known": "srsf",
    "elastic SRTF, lengths known": "elastic-srtf",
}
"""Methods in addition to Optimus. The last two bound a scheduler that learns lengths."""

SEEDS, ORDERS = 3, ((ONES, TIRESIAS), (ONES, OPTIMUS), (OPTIMUS, TIRESIAS))
"""Seeds of a point, and the order of policies in the paper."""


FRESH = 100
"""First of the seeds with which it is: none of the search."""


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run once."""
    yield from flat(_groups(settings))


def report(settings: Settings, answers: Answers) -> Results:
    """Compare at the usual point, search, and recheck one point."""
    answers = sound(answers)
    first, *others = _groups(settings)
    usual = compared(first, answers)
    again, *searched = (answered(group, answers) for group in others)
    found = dict(zip(settings.some(POINTS), searched, strict=True))
    return Results(
        tables={
            "policies": _policies_table(usual),
            "orders": _orders_table(usual, "as it is", settings),
            "region": _region_table(found),
            "confirmed": _orders_table(again, ABOUT_CONFIRMED, settings),
        },
        charts={"region": partial(_draw, found)},
        statements=(*_statements(usual), *_searched(found)),
    )


def _groups(settings: Settings) -> Iterator[RunsByName]:
    """Yield the runs at the usual point, at the rechecked point, and at all points."""
    seeds = range(settings.seeds)
    yield _at(AS_IT_IS, seeds, settings, {**METHODS, OPTIMUS: _optimus(INTERVALS[0])})
    pair = {name: METHODS[name] for name in (ONES, TIRESIAS)}
    again = {**pair, OPTIMUS: _optimus(CONFIRMED_INTERVAL)}
    yield _at(CONFIRMED, range(FRESH, FRESH + settings.seeds), settings, again)
    versions = {_every(seconds): _optimus(seconds) for seconds in INTERVALS}
    for point in settings.some(POINTS):
        yield _at(point, seeds[:SEEDS], settings, {**pair, **versions})


def _optimus(seconds: int) -> str:
    return f"optimus:interval_s={seconds}"


def _every(seconds: int) -> str:
    return f"{OPTIMUS}, {seconds} s"


def _about(point: OnesPoint, seconds: int) -> str:
    return (
        f"load {point.load}, restarts {point.restarts}, serial part up to {point.serial}, "
        f"{OPTIMUS} every {seconds} s"
    )


ABOUT_CONFIRMED = _about(CONFIRMED, CONFIRMED_INTERVAL)
"""That point, in words."""


def _at(
    point: OnesPoint, seeds: range, settings: Settings, methods: Mapping[str, str]
) -> RunsByName:
    """Return the runs of methods. All have the same jobs, and ONES may have cheaper restarts."""
    jobs = JOBS if settings.points is None else SMALL
    own, others = (
        partial(_drawn, point.load, point.serial, restart, jobs=jobs)
        for restart in RESTARTS[point.restarts]
    )
    found: dict[str, Sequence[Run]] = {}
    for name, method in methods.items():
        found |= seeded({name: method}, own if name == ONES else others, seeds)
    return found


@cache
def _drawn(load: str, serial: str, restart: str, seed: int, jobs: int) -> TraceInstance:
    made: TraceInstance = generate(
        "elastic",
        seed=seed,
        name=f"ones-{jobs}-s{seed} load {load}, restarts {restart} s, serial {serial}",
        jobs=jobs,
        servers=SERVERS,
        load=Decimal(load),
        restart_s=Decimal(restart),
        most_serial=Decimal(serial),
    )
    return made


def less_percent(ratio: Interval) -> Interval:
    """Return by how many per cent less a ratio says, with its interval."""
    mean, low, high = (100 * (1 - one) for one in (ratio.mean, ratio.high, ratio.low))
    return replace(ratio, mean=mean, low=low, high=high)


def direction(less: Interval) -> str:
    """Return the verdict on an interval of per cents less."""
    return HOLDS if less.low > 0 else REVERSED if less.high < 0 else OPEN


def paper_less(one: str, other: str) -> float:
    """Return the per cent by which one mean is less in the paper. Two of its numbers give a third.

    >>> round(paper_less("Optimus", "Tiresias"), 1)
    6.7
    """
    over = {
        name: 1 / (1 - PAPER_LESS[name] / 100) if name != ONES else 1.0 for name in (one, other)
    }
    return 100 * (1 - over[one] / over[other])


def _policies_table(one: Compared) -> Table:
    """Return the results of each policy at the usual point, in seconds."""
    shown = ("median_jct_s", "p95_jct_s", "mean_queueing_s", "mean_waiting_s", "preemptions")
    lines: list[tuple[Cell, ...]] = []
    for name in one.rows:
        mean, waiting = one.mean(name), one.mean(name, "mean_waiting_s").mean
        in_use = 100 * one.mean(name, "utilisation").mean
        cells = (one.mean(name, column).mean for column in shown)
        lines.append((name, mean, mean.mean - waiting, *cells, in_use, one.ratio_to_bound(name)))
    heads = "mean", "execution", "median", "95th", "first start", "waiting", "stops", "in use, %"
    return table_of(
        "Completion times on 64 GPUs, by policy",
        {"policy": None, **dict.fromkeys(heads, 0), "mean / bound": 2},
        lines,
        f"In seconds, means over {len(one.bounds)} seeds. Execution: mean completion time "
        "minus mean waiting, including restarts. Waiting: time of a job without GPUs. First "
        "start: mean time until the first start. In use: fraction of all GPU-time until the "
        "last end. Bound: certified.",
    )


def _orders_table(one: Compared, about: str, settings: Settings) -> Table:
    """Return the paper's numbers next to Ringyard's."""
    heads = {"order": None, "paper, % less": 1, "here, % less": 1, "direction": None}
    return table_of(
        f"Mean completion times on 64 GPUs, paper and here: {about}",
        heads,
        (
            (
                " before ".join(pair),
                paper_less(*pair),
                less := less_percent(one.ratio(*pair)),
                direction(less),
            )
            for pair in ORDERS
        ),
        f"By how many per cent the first mean JCT is lower: geometric means over {settings.seeds} "
        "seeds of the ratio on the same jobs, with 95 % intervals (Student's t on "
        "logarithms). The paper's values are recalled, and the third follows from the first "
        "two.",
    )


def _region_table(found: Mapping[OnesPoint, Compared]) -> Table:
    """Return by how much ONES is ahead at every point of the search."""
    others = (TIRESIAS, *map(_every, INTERVALS))
    return table_of(
        "Reduction of the mean completion time by ONES, in per cent",
        {"load": None, "restarts": None, "serial part": None, **dict.fromkeys(others, 1)},
        (
            (*point, *(less_percent(one.ratio(ONES, other)).mean for other in others))
            for point, one in found.items()
        ),
        f"Geometric means over at most {SEEDS} seeds. Restarts: of all policies, or of ONES "
        "and of the other policies. Serial part: the largest fraction of a job's work that "
        "more GPUs do not speed up. Behind Optimus: how often it reassigns GPUs.",
        shared=2,
    )


def _draw(found: Mapping[OnesPoint, Compared]) -> Figure:
    """Draw the gain of ONES by load and cost of restarts, where more GPUs bring most."""
    loads = list(dict.fromkeys(point.load for point in found))
    rivals = {TIRESIAS: TIRESIAS, OPTIMUS: _every(CONFIRMED_INTERVAL)}
    about = "Reduction of the rivals' mean completion time by ONES, in per cent"
    panels = [("load", loads, f"% less than {other}") for other in rivals.values()]
    figure, row = category_figure(about, *panels)
    for axes, (rival, other) in zip(row, rivals.items(), strict=True):
        curves = {
            f"restarts {restarts}": [
                less_percent(found[at].ratio(ONES, other)).mean
                if (at := OnesPoint(load, restarts, CONFIRMED.serial)) in found
                else None
                for load in loads
            ]
            for restarts, (own, others) in RESTARTS.items()
            if own == others
        }
        over(axes, "paper, recalled", [PAPER_LESS[rival]] * len(loads), "dashed", GUIDE)
        by_name(axes, curves, "line")
    return finished(figure)


def _statements(usual: Compared) -> Iterator[str]:
    """Yield which orders hold at the usual point, and the order of all means."""
    for pair in ORDERS:
        less = less_percent(usual.ratio(*pair))
        verdict = f"{direction(less)}, mean JCT {cell_text(less, 1)} % lower"
        yield f"usual settings: {' beats '.join(pair)}: {verdict}"
    yield f"usual settings, lowest mean JCT first: {usual.order(usual.rows)}"


def _searched(found: Mapping[OnesPoint, Compared]) -> Iterator[str]:
    """Yield at how many points orders hold, and where both numbers are nearest to the paper's."""
    for seconds in INTERVALS:
        sides = [
            [one.ratio(*_named(pair, seconds)).mean < 1 for pair in ORDERS]
            for one in found.values()
        ]
        ahead, every = sum(all(side[:2]) for side in sides), sum(map(all, sides))
        yield (
            f"{OPTIMUS} every {seconds} s: ONES beats both at {ahead} of {len(sides)} settings, "
            f"and {OPTIMUS} beats {TIRESIAS}, too, at {every}"
        )
    point, seconds = min(product(found, INTERVALS), key=lambda at: _away(found[at[0]], at[1]))
    less = (less_percent(found[point].ratio(*_named(pair, seconds))).mean for pair in ORDERS[:2])
    shown = " and ".join(f"{one:.1f} %" for one in less)
    yield f"nearest to the paper's numbers: {_about(point, seconds)}, mean JCT {shown} lower"


def _named(pair: Iterable[str], seconds: int) -> list[str]:
    return [_every(seconds) if name == OPTIMUS else name for name in pair]


def _away(one: Compared, seconds: int) -> float:
    """Return how far both ratios are from the paper's, in logarithms."""
    return sum(
        abs(log(one.ratio(*_named(pair, seconds)).mean) - log(1 - paper_less(*pair) / 100))
        for pair in ORDERS[:2]
    )
