"""A goal for the waits on a cluster, and the search for the smallest cluster that reaches it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any

from ...instances.errors import InputError, Problem, plural
from ...instances.errors import sentence as full_sentence
from ...instances.lengths import length_of
from ..drawing.paint import POINT
from ..figures.canvas import Figure, blank, draw, finished, guide, label
from ..figures.style import BARE, LOOKS, POINTS, SIZE
from ..rows import Row
from ..tables.model import Column, Table, texts
from ..trace import ranked
from ..trace.parts import three_digits, time_texts, unit_of
from .cases import ALL, more_servers, place_text

GOAL_AXES = ("placement", "load", "contention", "outages", "jobs")
"""Axes for each of whose values the fewest servers are searched."""
STATISTICS = {"mean": "mean", "median": "median", "p50": "median", "p95": "p95", "p99": "p99"}
MEASURES = {"wait": "queueing_s", "jct": "jct_s", "slowdown": "slowdown"}
GOAL = re.compile(r"(\w+)\s+([a-z]+)\s*(?:<=)?\s*(\d.*)", re.ASCII)
MOST = 10**9
"""Numbers of goals are below this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """An upper limit on a column of the rows."""

    text: str
    name: str
    """The limited metric, such as `p95 wait`."""
    column: str
    limit: float
    """In seconds, or without a unit for slowdowns."""

    def value(self, row: Row) -> float | None:
        """Return the value of a row, or None if it has no valid schedule."""
        return float(row[self.column]) if row["valid"] else None

    @property
    def plain(self) -> bool:
        """True if the metric has no unit."""
        return self.column.endswith("slowdown")

    def texts(self, values: Sequence[float]) -> list[str]:
        """Return values as texts, in one unit."""
        return list(map(three_digits, values)) if self.plain else time_texts(values)

    def shown(self, value: float) -> str:
        """Return a value as text."""
        return self.texts([value])[0]

    def least_text(self, value: float) -> str:
        """Return a value as text, rounded up."""
        for more in (1, 1.001, 1.002, 1.004, 1.008):
            text = self.shown(value * more)
            if goal_of(f"{self.name} {text}".replace(",", "")).limit >= value:
                return text
        return self.shown(value * 1.016)

    def floor(self, times: Sequence[tuple[float, float]]) -> float:
        """Return the least value if each job has these least completion time and slowdown."""
        ordered = sorted(slowdown if self.plain else jct for jct, slowdown in times)
        statistic = self.name.partition(" ")[0]
        if statistic == "mean":
            return fsum(ordered) / len(ordered)
        return ranked(ordered, int(statistic.removeprefix("p").replace("median", "50")))


def goal_of(text: str) -> Goal:
    """Return the goal that an option states.

    Raises:
        InputError: If it is in another form.
    """
    found = GOAL.fullmatch(text.strip())
    statistic = STATISTICS.get(found[1]) if found else None
    measure = MEASURES.get(found[2]) if found else None
    length = length_of(found[3]) if found else None
    if found and statistic and measure and length and length.number < MOST:
        plain = found[2] == "slowdown"
        column = f"{statistic}_{measure}"
        column = "objective" if column == "mean_jct_s" else column
        if bool(length.unit) != plain and not (plain and statistic not in ("mean", "p95")):
            limit = float(length.seconds)
            name = f"{found[1]} {found[2]}"
            return Goal(text=text.strip(), name=name, column=column, limit=limit)
    expected = (
        "mean, p50, p95 or p99 of wait or jct and a time in s, min, h or d, or mean or p95 of "
        "slowdown and a number, below 1e9"
    )
    advice = "write for example --goal 'p95 wait 1h'"
    raise InputError("ringyard whatif", [Problem("--goal", text, expected, advice)])


def next_change(met: Mapping[int, bool], least: int, most: int, step: int) -> int | None:
    """Return the number of added servers to try next, or None if the search is over.

    The search begins with no added server. If the goal is missed, it adds more and more servers
    until the goal is reached. If it is reached, it removes more and more until it is missed. Then
    it bisects. It ends when one server makes the difference, or at a limit.
    """
    if not met:
        return 0
    good = [change for change, reached in met.items() if reached]
    if not good:
        largest = max(met)
        return None if largest >= most else min(most, 2 * largest or step)
    best = min(good)
    below = [change for change in met if change < best]
    if below:
        return None if best - max(below) == 1 else (best + max(below)) // 2
    return None if best <= least else max(least, 2 * best or -step)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A cluster that was tried: added servers (negative: removed), GPUs, and its value."""

    change: int
    gpus: int
    value: float | None
    mean_wait_s: float | None
    reached: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalAnswer:
    """The sizes that were tried for one policy and value of `GOAL_AXES`."""

    at: Mapping[str, str]
    tried: tuple[Size, ...]
    """In the order of their size."""

    @property
    def least(self) -> Size | None:
        """The smallest cluster that reaches the goal, if any."""
        return next((size for size in self.tried if size.reached), None)

    @property
    def below(self) -> Size | None:
        """The largest cluster below it, or the largest of all."""
        least = self.least
        smaller = [one for one in self.tried if least is None or one.change < least.change]
        return smaller[-1] if smaller else None

    def plain(self) -> dict[str, Any]:
        """Return it for programs."""
        least = self.least
        return {
            **self.at,
            "change": least.change if least else None,
            "gpus": least.gpus if least else None,
            "value": least.value if least else None,
            "tried": [asdict(size) for size in self.tried],
        }


def goal_sentence(goal: Goal, one: GoalAnswer, gpus: int, axes: Sequence[str]) -> str:
    """Return the answer, with the two sizes between which the goal is reached."""
    other = ("cluster",) if one.at.get("cluster", "own") != "own" else ()
    where = ", ".join(place_text(axis, one.at[axis]) for axis in ("policy", *other, *axes))
    least, below = one.least, one.below
    if least is None and (below is None or below.value is None):
        return full_sentence(f"{where}: there is no schedule, so there is no answer")
    if least is None and below is not None and below.value is not None:
        text = f"{where}: the goal is missed even with {_size(below, gpus)}"
        return full_sentence(f"{text}: {goal.name} {goal.shown(below.value)}")
    assert least is not None
    values = [one.value for one in (least, below) if one is not None and one.value is not None]
    texts = goal.texts(values)
    text = f"{where}: the goal is reached with {_size(least, gpus)}: {goal.name} {texts[0]}"
    if below is None:
        return full_sentence(f"{text}. The jobs leave no smaller cluster to try")
    value = "there is no schedule" if below.value is None else f"it is {texts[1]}"
    return full_sentence(f"{text}. With {_size(below, gpus)}, {value}")


def _size(size: Size, gpus: int) -> str:
    if not size.change:
        return f"the cluster as it is ({plural(size.gpus, 'GPU')})"
    return f"{more_servers(size.change, gpus)} ({plural(size.gpus, 'GPU')} in all)"


def goal_table(goal: Goal, answers: Sequence[GoalAnswer], title: str, *, every: bool) -> Table:
    """Return the last two sizes of each answer, or every size that was tried."""
    plain = goal.plain
    shown = [
        (one, size)
        for one in answers
        for size in one.tried
        if every or size in (one.least, one.below)
    ]
    seconds, unit = unit_of(
        time for _, size in shown for time in (size.mean_wait_s, None if plain else size.value)
    )
    varied = ["policy", *axes_of(answers, GOAL_AXES)]

    def scaled(value: float | None, size: float) -> float | None:
        return None if value is None else value / size

    return Table(
        caption=f"Goal: {goal.name} at most {goal.shown(goal.limit)} ({title})",
        columns=(
            *texts(*varied),
            Column(head="added servers"),
            Column(head="GPUs"),
            Column(head="mean wait" if plain else f"mean wait, {unit}", digits=2),
            Column(head=goal.name if plain else f"{goal.name}, {unit}", digits=2),
            *texts("goal"),
        ),
        rows=tuple(
            (
                *(one.at[axis] for axis in varied),
                size.change,
                size.gpus,
                scaled(size.mean_wait_s, seconds),
                scaled(size.value, 1 if plain else seconds),
                "reached" if size.reached else "missed",
            )
            for one, size in shown
        ),
        shared=len(varied),
    )


UNSAID = ("own", "1", "usual", "none", ALL)
"""Values of axes that a sentence leaves out if there is no other."""


def axes_of(answers: Sequence[GoalAnswer], axes: Sequence[str]) -> list[str]:
    """Return the axes on which the answers differ, or that have another value than usual."""
    found = {axis: {one.at.get(axis, ALL) for one in answers} for axis in axes}
    return [axis for axis, values in found.items() if len(values) > 1 or values.isdisjoint(UNSAID)]


SIDE, TALL = 480.0, 300.0
"""Width and height of the figure, in pixels."""
MOST_TICKS = 12
"""Up to this many sizes have a tick of their own."""
RED = "#c81848"
"""The colour of the goal, which no policy has."""


def goal_panel(goal: Goal, answers: Sequence[GoalAnswer], axes: Sequence[str]) -> Figure:
    """Draw the value of every size that was tried, to scale, and the goal."""
    sizes = sorted({size.gpus for one in answers for size in one.tried})
    values = [size.value for one in answers for size in one.tried]
    scale, unit = (1.0, "") if goal.plain else unit_of([*values, goal.limit])
    up = goal.name if goal.plain else f"{goal.name}, {unit}"
    about = f"{goal.name} by size of the cluster".capitalize()
    figure, [[panel]] = blank(about, (SIDE, TALL))
    label(panel, across="GPUs", up=up)
    if len(sizes) <= MOST_TICKS:
        panel.set_xticks(sizes)
    looks = [look for look in LOOKS if look["color"] != RED]
    for one, look in zip(answers, looks, strict=False):
        name = ", ".join(one.at[axis] for axis in ("policy", *axes))
        known = [(size.gpus, size.value / scale) for size in one.tried if size.value is not None]
        draw(panel, known, name, look)
    if (more := len(answers) - len(looks)) > 0:
        draw(panel, [], f"{more} more not shown", POINTS | BARE)
    low, high = sizes[0], sizes[-1]
    edge = 0.05 * (high - low) or 1
    panel.set_xlim(low - edge, high + edge)
    limit = goal.limit / scale
    panel.set_ylim(0, 1.1 * max([limit, *(v / scale for v in values if v is not None)]) or 1)
    text = f"goal: {goal.name} at most {goal.shown(goal.limit)}"
    guide(panel, [(low - edge, limit), (high + edge, limit)], text, color=RED)
    panel.annotate(
        "goal",
        (high + edge, limit),
        xytext=(0, 3),
        textcoords="offset points",
        ha="right",
        color=RED,
        fontsize=SIZE * POINT,
    )
    return finished(figure)
