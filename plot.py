"""Figures of answers, schedules and campaigns, as objects that notebooks show.

For example::

    ringyard.plot.gantt(answer).save("plan.svg")
    ringyard.plot.profile(ringyard.load_campaign("out/demo"), instance="small-*")

All figures except `gantt` accept a `Campaign`, one answer, or several. Keywords choose runs as in
`Campaign.where`, and ``rename={"sjf-bco": "SJF-BCO"}`` renames entries of the legend. Their
`picture` is a ``matplotlib.figure.Figure``, which you can change before you save it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from .analysis.check import check
from .analysis.display import answered_instance
from .analysis.drawing.shapes import Picture
from .analysis.drawing.svg import to_svg
from .analysis.figures.canvas import renamed, svg_text, write_figure
from .analysis.figures.comparisons import bound_of, figure_of, scheduled
from .analysis.gantt import draw_gantt, gantt_picture
from .campaigns.campaign import Campaign, campaign_of
from .instances import AnySchedule, Instance
from .instances.errors import InputError, Problem, Words
from .run import Answer

__all__ = [
    "Figure",
    "convergence",
    "ecdf",
    "factors",
    "gantt",
    "profile",
    "profile_ratio",
    "ratios",
    "tradeoff",
]

Runs = Campaign | Answer | Iterable[Answer]
"""Sources of figures that compare runs."""


@dataclass(frozen=True, repr=False)
class Figure:
    """A figure that notebooks show, and that can be saved."""

    picture: Any
    about: str
    write: Callable[[Path], None]

    def __repr__(self) -> str:
        """Return a description of the figure."""
        return f"Figure({self.about})"

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return self.svg().replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)

    def svg(self) -> str:
        """Return it as SVG text."""
        if isinstance(self.picture, Picture):
            return to_svg(self.picture)
        return svg_text(self.picture)

    def save(self, path: str | Path) -> None:
        """Write it to a file: .svg, .png or .pdf, and for a schedule also .html."""
        self.write(Path(path))


def __dir__() -> list[str]:
    """Return the names of the figures only."""
    return __all__


def gantt(of: Any, schedule: AnySchedule | None = None, **where: Any) -> Figure:
    """Return the Gantt chart of one schedule on servers, machines or rented GPUs.

    `of` is an answer, an instance with its `schedule`, a schedule whose instance was used recently
    or has a catalogue name, or a campaign in which `where` chooses one instance and method.
    """
    instance, drawn, verdict, bound = _schedule_of(of, schedule, where)
    verdict = verdict or check(instance, drawn)
    picture = gantt_picture(instance, drawn, verdict, bound)
    write = partial(draw_gantt, instance, drawn, verdict, bound=bound)
    return Figure(picture, picture.about, write)


def _schedule_of(of: Any, schedule: Any, where: dict[str, Any]) -> tuple[Any, Any, Any, Any]:
    """Return instance, schedule, verdict and bound, the last two as far as they are known."""
    if isinstance(of, Answer) and of.schedule is not None:
        return of.instance, of.schedule, of.verdict, of.bound.value
    if isinstance(of, Campaign):
        row = scheduled(of.where(**where).rows, "")
        return *of.sources.read(row), None, bound_of(row)
    if isinstance(of, Instance) and schedule is not None:
        return of, schedule, None, None
    if isinstance(of, AnySchedule) and (instance := answered_instance(of)) is not None:
        return instance, of, None, None
    found = Words(repr(of)[:200].replace("\n", " "))
    expected = "an answer with a schedule, a campaign, or an instance and a schedule"
    problem = Problem("of", found, expected, "write gantt(instance, schedule)")
    raise InputError("ringyard.plot.gantt", [problem])


def ecdf(runs: Runs, **where: Any) -> Figure:
    """Return the distribution of completion times by method."""
    return _figure("ecdf", runs, where)


def profile(runs: Runs, **where: Any) -> Figure:
    """Return performance profiles on the time to a proof: how often a method is within a factor."""
    return _figure("profile", runs, where)


def profile_ratio(runs: Runs, **where: Any) -> Figure:
    """Return performance profiles on objectives: how often a method is within a factor."""
    return _figure("profile-ratio", runs, where)


def convergence(runs: Runs, *, log_time: bool = False, **where: Any) -> Figure:
    """Return objective and bound over the seconds of each run on one instance."""
    return _figure("convergence", runs, where, log_time=log_time)


def tradeoff(runs: Runs, **where: Any) -> Figure:
    """Return the trade-off between mean time and mean distance from the best, by method."""
    return _figure("tradeoff", runs, where)


def ratios(runs: Runs, **where: Any) -> Figure:
    """Return the ratio of each run to the best proved bound of its instance."""
    return _figure("ratios", runs, where)


def factors(runs: Runs, **where: Any) -> Figure:
    """Return the same ratios against the factors that are proved for the methods."""
    return _figure("factors", runs, where)


def _figure(kind: str, runs: Runs, where: dict[str, Any], *, log_time: bool = False) -> Figure:
    named = f"ringyard.plot.{kind.replace('-', '_')}"
    names = where.pop("rename", {})
    chosen = campaign_of(runs, named).where(**where)
    picture = figure_of(kind, chosen.rows, chosen.sources, log_time=log_time, lead="")
    renamed(picture, names)
    return Figure(picture, picture.get_label(), partial(write_figure, picture))
