"""The pictures of the regenerated figures: ours, the paper's, our best, and the bound."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from ...analysis.charts import Kind, Panel, Series, Value, by_name, category_panel, over
from ...analysis.drawing.colours import SOFT_INK
from ..compared import BEST, OBJECTIVE, Compared
from ..series import beside_paper
from .conclusions import MEASURES
from .figures import PaperFigure, Place


def draw(figure: PaperFigure, found: Mapping[Place, Compared]) -> tuple[Panel, ...]:
    """Return the chart of a figure: by policy in bars, by a number as lines."""
    if figure.heads == ("servers", "policy"):
        return _by_servers(figure, found)
    (one,) = found.values()
    shown = list(enumerate(MEASURES))[: 2 if figure.timed else 1]
    return tuple(_measured(figure, one, *measure) for measure in shown)


def _panel(
    figure: PaperFigure, across: str, names: tuple[str, ...], up: str, series: tuple[Series, ...]
) -> Panel:
    about = f"{figure.title}: regenerated, in the paper, our best, and the certified bound"
    return category_panel(about, across, names, up, series)


def _measured(figure: PaperFigure, one: Compared, index: int, measure: str) -> Panel:
    kind: Kind = "bars" if figure.heads == ("policy",) else "line"
    names = tuple(point.labels[-1] for point in figure.points)
    here = [one.mean(name, MEASURES[measure]) for name in names]
    paper = [figure.paper(point)[index] for point in figure.points]
    pair = beside_paper(("regenerated", here), ("paper's plot", paper), kind)
    limits = _limits([one] * len(names), MEASURES[measure])
    return _panel(figure, figure.heads[-1], names, f"{measure}, slots", (*pair, *limits))


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
        _panel(figure, "servers", servers, "makespan, regenerated", series),
        _panel(figure, "servers", servers, "paper's plot", by_name(there, "line")),
    )


def _limits(found: Sequence[Compared], column: str) -> Iterator[Series]:
    """Yield what our best schedules give and, of makespans, the bounds."""
    yield over(BEST, [one.mean(BEST, column).mean for one in found], "plain")
    if column == OBJECTIVE:
        bounds = [fmean(one.bounds) for one in found]
        yield over("bound", bounds, "dashed", SOFT_INK)
