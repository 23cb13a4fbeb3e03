"""The pictures of the regenerated figures: ours, the paper's, our best, and the bound."""

from collections.abc import Callable
from statistics import fmean

from ...analysis.gantt.colours import INK, SOFT_INK
from ...analysis.intervals import Interval, student
from ...analysis.plots import PALETTE, Chart, Look, Panel, Series, Value
from ..study import POLICIES
from .figures import Figure, Seen

REGENERATED, PAPER = PALETTE[:2]

Reading = Callable[[Seen], Value]


def draw(figure: Figure, seen: list[Seen]) -> Chart:
    """Return the chart of a figure: by policy in bars, by a number as lines."""
    about = f"{figure.title}: regenerated, in the paper, our best, and the certified bound"
    if figure.heads == ("servers", "policy"):
        return Chart(about=about, panels=_by_servers(seen))
    look: Look = "bars" if figure.heads == ("policy",) else "line"
    panels = [_makespans(figure, seen, look)]
    if all(one.paper[1] is not None for one in seen):
        panels.append(_completions(figure, seen, look))
    return Chart(about=about, panels=tuple(panels))


def _makespans(figure: Figure, seen: list[Seen], look: Look) -> Panel:
    return _panel(
        "makespan, slots",
        figure,
        seen,
        _series("regenerated", look, REGENERATED, seen, lambda one: student(one.makespans)),
        _series("paper's plot", "marks", PAPER, seen, lambda one: one.paper[0]),
        *_certificates(seen),
    )


def _completions(figure: Figure, seen: list[Seen], look: Look) -> Panel:
    return _panel(
        "mean completion, slots",
        figure,
        seen,
        _series("regenerated", look, REGENERATED, seen, lambda one: student(one.completions)),
        _series("paper's plot", "marks", PAPER, seen, lambda one: one.paper[1]),
        _series("our best", "plain", INK, seen, lambda one: fmean(one.best_completions)),
    )


def _by_servers(seen: list[Seen]) -> tuple[Panel, Panel]:
    """Draw a line for each policy, here and, in a panel of its own, in the paper."""
    by_policy = {
        name: some
        for name in POLICIES
        if (some := [one for one in seen if one.point.labels[1] == name])
    }
    first = next(iter(by_policy.values()))
    servers = tuple(one.point.labels[0] for one in first)
    colours = dict(zip(POLICIES, PALETTE, strict=False))
    here, there = (
        tuple(
            _series(name, "line", colours[name], group, value) for name, group in by_policy.items()
        )
        for value in (_makespan, _read_off)
    )
    return (
        Panel(
            title="makespan, regenerated",
            across="servers",
            categories=servers,
            series=(*here, *_certificates(first)),
        ),
        Panel(title="paper's plot", across="servers", categories=servers, series=there),
    )


def _makespan(one: Seen) -> Interval:
    return student(one.makespans)


def _read_off(one: Seen) -> float:
    return one.paper[0]


def _certificates(seen: list[Seen]) -> tuple[Series, Series]:
    return (
        _series("our best", "plain", INK, seen, lambda one: fmean(one.best)),
        _series("bound", "dashed", SOFT_INK, seen, lambda one: fmean(one.bounds)),
    )


def _series(name: str, look: Look, colour: str, seen: list[Seen], value: Reading) -> Series:
    return Series(name=name, values=tuple(map(value, seen)), look=look, colour=colour)


def _panel(title: str, figure: Figure, seen: list[Seen], *series: Series) -> Panel:
    labels = tuple(one.point.labels[-1] for one in seen)
    return Panel(title=title, across=figure.heads[-1], categories=labels, series=series)
