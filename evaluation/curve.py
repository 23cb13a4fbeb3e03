"""The curve of a search for a method: what each trial scored, and the best one by then."""

from collections.abc import Iterable
from pathlib import Path

from ..analysis.charts.axis import Axis
from ..analysis.charts.draw import draw_figure
from ..analysis.charts.looks import LOOKS
from ..analysis.charts.panel import Panel, Series, guide


def draw_curve(
    tried: Iterable[float],
    best: Iterable[float],
    hidden: Iterable[float],
    path: Path | str,
    baseline: tuple[str, float] | None = None,
) -> None:
    """Draw the score of each trial on training seeds, and of the best by then on both sorts.

    `baseline` is a method and its score on hidden seeds.
    """
    first, second, third = LOOKS[:3]
    series = [
        Series(name="tried, training", points=_numbered(tried), way="points", look=third),
        Series(name="best, training", points=_numbered(best), way="steps", look=first),
        Series(name="best, hidden", points=_numbered(hidden), way="steps", look=second),
    ]
    if baseline is not None:
        name, score = baseline
        last = len(series[0].points)
        series.append(guide([(1, score), (last, score)], f"{name}, hidden"))
    panel = Panel(
        about="Scores of a search by trial, on training seeds and on hidden ones",
        x=Axis(title="trial"),
        y=Axis(title="score"),
        series=tuple(series),
    )
    draw_figure(panel, Path(path))


def _numbered(values: Iterable[float]) -> tuple[tuple[float, float], ...]:
    return tuple((float(number), value) for number, value in enumerate(values, 1))
