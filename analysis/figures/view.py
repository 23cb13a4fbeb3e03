"""A figure as Python hands it on: shown in notebooks, and saved. The counterpart of tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ...extensions.entry_points import brought_as, named
from ...instances import AnySchedule, Instance
from ...instances.errors import InputError, Problem, Words, unknown
from ..check.judge import AnyVerdict, check
from ..drawing.shapes import Picture
from ..drawing.svg import to_svg
from ..gantt import draw_gantt, gantt_picture, group_gpus, write_groups
from ..rows import Row
from ..sources import Sources
from .canvas import figure_class, renamed, svg_text, write_figure
from .comparisons import KINDS as COMPARISONS
from .comparisons import bound_of, figure_of, scheduled

ONE_SCHEDULE = ("gantt", "groups")
KINDS = (*ONE_SCHEDULE, *COMPARISONS)

GROUP = "ringyard.figures"
"""Entry point group of other packages' figures. Each is a function of rows and sources that
returns a `matplotlib.figure.Figure`."""


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
        """Write it to a file: .svg, .png or .pdf, a schedule also .html, and groups also .csv."""
        self.write(Path(path))


def schedule_figure(
    instance: Instance, schedule: AnySchedule, verdict: AnyVerdict | None = None, bound: Any = None
) -> Figure:
    """Return the Gantt chart of a schedule."""
    verdict = verdict or check(instance, schedule)
    picture = gantt_picture(instance, schedule, verdict, bound)
    write = partial(draw_gantt, instance, schedule, verdict, bound=bound)
    return Figure(picture, picture.about, write)


def groups_figure(
    instance: Instance, schedule: AnySchedule, verdict: AnyVerdict | None = None
) -> Figure:
    """Return the GPUs that each group of jobs holds over time."""
    picture, table = group_gpus(instance, schedule, verdict or check(instance, schedule))
    return Figure(picture, picture.about, partial(write_groups, picture, table))


def rows_figure(
    kind: str,
    rows: Sequence[Row],
    sources: Sources,
    *,
    rename: Mapping[str, str] | None = None,
    log_time: bool = False,
    lead: str = "",
) -> Figure:
    """Return the figure of a kind. Errors prefix column names with `lead`."""
    if kind in ONE_SCHEDULE:
        if rename:
            expected = "a figure with a legend of methods"
            raise InputError("figure", [Problem("rename", Words(kind), expected, "leave it out")])
        row = scheduled(rows, lead)
        if kind == "groups":
            return groups_figure(*sources.read(row))
        return schedule_figure(*sources.read(row), bound=bound_of(row))
    if kind in COMPARISONS:
        picture = figure_of(kind, rows, sources, log_time=log_time, lead=lead)
    elif one := brought_as(GROUP, kind):
        picture = one.guard(one.load(Callable), figure_class())(rows, sources)
    else:
        hint = "see `ringyard list figures`"
        raise InputError("figure", [unknown("kind", kind, [*KINDS, *named(GROUP)], hint)])
    renamed(picture, rename or {})
    return Figure(picture, picture.get_label(), partial(write_figure, picture))
