"""The pictures of the regenerated figures: ours, the paper's, our best, and the bound."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from ...analysis.gantt.colours import SOFT_INK
from ...analysis.plots import Chart, Look, Panel, Series, Value
from ..compared import BEST, OBJECTIVE, Compared
from ..series import beside_paper, by_name
from .conclusions import MEASURES
from .figures import PaperFigure, Place


def draw(figure: PaperFigure, found: Mapping[Place, Compared]) -> Chart:
    """Return the chart of a figure: by policy in bars, by a number as lines."""
    about = f"{figure.title}: regenerated, in the paper, our best, and the certified bound"
    if figure.heads == ("servers", "policy"):
        return Chart(about=about, panels=_by_servers(figure, found))
    (one,) = found.values()
    shown = list(enumerate(MEASURES))[: 2 if figure.timed else 1]
    return Chart(about=about, panels=tuple(_panel(figure, one, *measure) for measure in shown))


def _panel(figure: PaperFigure, one: Compared, index: int, measure: str) -> Panel:
    look: Look = "bars" if figure.heads == ("policy",) else "line"
    names = tuple(point.labels[-1] for point in figure.points)
    here = [one.mean(name, MEASURES[measure]) for name in names]
    paper = [figure.paper(point)[index] for point in figure.points]
    pair = beside_paper(("regenerated", here), ("paper's plot", paper), look)
    limits = _limits([one] * len(names), MEASURES[measure])
    return Panel(
        title=f"{measure}, slots",
        across=figure.heads[-1],
        categories=names,
        series=(*pair, *limits),
    )


def _by_servers(figure: PaperFigure, found: Mapping[Place, Compared]) -> tuple[Panel, Panel]:
    """Draw a line for each policy, here and, in a panel of its own, in the paper."""
    here: dict[str, list[Value]] = {}
    there: dict[str, list[Value]] = {}
    for point in figure.points:
        (*place, name) = point.labels
        here.setdefault(name, []).append(found[tuple(place)].mean(name))
        there.setdefault(name, []).append(figure.paper(point)[0])
    servers = tuple(place[0] for place in found)
    series = (*by_name(here, "line"), *_limits(list(found.values()), OBJECTIVE))
    return (
        Panel(title="makespan, regenerated", across="servers", categories=servers, series=series),
        Panel(
            title="paper's plot",
            across="servers",
            categories=servers,
            series=by_name(there, "line"),
        ),
    )


def _limits(found: Sequence[Compared], column: str) -> Iterator[Series]:
    """Yield what our best schedules give and, of makespans, the bounds."""
    best = tuple(one.mean(BEST, column).mean for one in found)
    yield Series(name=BEST, values=best, look="plain")
    if column == OBJECTIVE:
        bounds = tuple(fmean(one.bounds) for one in found)
        yield Series(name="bound", values=bounds, look="dashed", colour=SOFT_INK)
