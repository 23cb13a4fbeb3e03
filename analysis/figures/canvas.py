"""Figures of matplotlib in one style: empty ones, lines on them, a legend below, and files.

A kind of figure makes an empty figure, draws on its axes and calls `finished`. matplotlib is
imported here, when a figure is made, and its global state (`pyplot`, `rcParams`) stays as it is.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from io import BytesIO
from itertools import pairwise
from math import isfinite, log10, radians, sin
from pathlib import Path
from textwrap import wrap
from typing import Any
from warnings import catch_warnings, filterwarnings

from ...instances.errors import InputError, Problem, Words, unknown, visible
from ...instances.writing import write_whole
from ..drawing.colours import SOFT_INK
from ..drawing.paint import INCH, POINT, form_of
from ..drawing.shapes import fit, text_width
from .style import GUIDE, SIZE, STYLE, Look

Figure = Any
"""A `matplotlib.figure.Figure`."""
Axes = Any
"""The `matplotlib.axes.Axes` of a figure."""
Point = tuple[float, float]

COLUMN, HEIGHT = 340.0, 256.0
"""Width of a column of a paper (3.5 inches), and height of a figure without its legend."""
MARGIN = 6.0
SAMPLE, PITCH, MOST_COLUMNS = 54.0, 14.0, 4
"""Legend geometry: width of a sample with its margin, row height, maximum number of columns."""

MOST = 1e100
"""Larger numbers have no place on an axis, nor have fractions below 1/MOST on a log one."""

FORMATS = ("svg", "pdf", "png")


@contextmanager
def _styled() -> Any:
    """Set the style for a while."""
    from matplotlib import rc_context

    with rc_context(STYLE), catch_warnings():
        filterwarnings("ignore", message="Glyph .* missing from")
        yield


def blank(
    about: str, size: tuple[float, float], rows: int = 1, columns: int = 1, **shared: Any
) -> tuple[Figure, list[list[Axes]]]:
    """Return an empty figure of a size in pixels, and its axes by row and column.

    `about` describes the figure. `shared` are matplotlib's `sharex` and `sharey`.
    """
    with _styled():
        figure = figure_class()(figsize=(size[0] / INCH, size[1] / INCH), layout="constrained")
        figure.set_label(visible(about))
        axes = figure.subplots(rows, columns, squeeze=False, **shared)
        return figure, [list(row) for row in axes]


def figure_class() -> Any:
    """Return the class of figures."""
    from matplotlib.figure import Figure as NewFigure

    return NewFigure


def new_figure(about: str, *, across: str, up: str, log: str = "") -> tuple[Figure, Axes]:
    """Return an empty figure of column width, and its axes. `log` is "x", "y" or "xy"."""
    figure, [[axes]] = blank(about, (COLUMN, HEIGHT))
    label(axes, across=across, up=up, log=log)
    return figure, axes


def label(axes: Axes, *, across: str = "", up: str = "", log: str = "") -> None:
    """Label the axes with `across` below and `up` above."""
    room = axes.figure.get_size_inches()[0] * INCH - 2 * MARGIN
    axes.set_xlabel(fit(across, SIZE + 1, room))
    axes.set_ylabel(fit(up, SIZE + 1, room), rotation=0, ha="left", va="bottom", y=1.03)
    for axis, name in ((axes.xaxis, "x"), (axes.yaxis, "y")):
        if name in log:
            axes.set(**{f"{name}scale": "log"})
        axis.set_major_formatter(tick_text)
    axes.tick_params(length=0, labelcolor=SOFT_INK, labelsize=SIZE * POINT)


def draw(axes: Axes, points: Iterable[Point], name: str, look: Look) -> None:
    """Draw points as a line. A line without a name is left out of the legend."""
    places = [(float(x), float(y)) for x, y in points]
    _refuse(axes, places, name)
    if look.get("linestyle") == "none":
        places = _apart(axes, places)
    across, up = zip(*places, strict=True) if places else ((), ())
    # Long lines have few marks, and those of lines that coincide stand apart.
    spread = (
        (0.02 * (len(axes.lines) % 8), 0.16) if len(places) > 12 and "drawstyle" in look else None
    )
    axes.plot(across, up, label=name, markevery=spread, **look)


def _apart(axes: Axes, places: list[Point]) -> list[Point]:
    """Leave out every point in the same pixel as one before it."""
    scales = (axes.get_xscale(), axes.get_yscale())
    sides = [
        [log10(value) if scale == "log" else value for value in side]
        for scale, side in zip(scales, zip(*places, strict=True), strict=False)
    ]
    cells = []
    for side in sides:
        low, span = min(side), max(side) - min(side) or 1.0
        cells.append([round(COLUMN * (value - low) / span) for value in side])
    first = dict(zip(reversed([*zip(*cells, strict=True)]), reversed(places), strict=True))
    return [*first.values()][::-1]


def guide(axes: Axes, points: Sequence[Point], name: str, **changes: Any) -> None:
    """Draw a guide line, or nothing if there are no points."""
    if points:
        draw(axes, points, name, GUIDE | changes)


def _refuse(axes: Axes, points: Sequence[Point], name: str) -> None:
    """Raise an error if a point has no place on the axes."""
    logs = (axes.get_xscale() == "log", axes.get_yscale() == "log")
    for point in points:
        if any(
            not isfinite(value) or abs(value) > MOST or (log and value < 1 / MOST)
            for value, log in zip(point, logs, strict=True)
        ):
            titles = (axes.get_xlabel(), axes.get_ylabel())
            kinds = [
                f"{'above 0 ' if log else ''}for {title!r}"
                for log, title in zip(logs, titles, strict=True)
            ]
            expected = f"finite numbers, {kinds[0]} and {kinds[1]}"
            value = Words(f"({point[0]:g}, {point[1]:g})")
            problem = Problem(name or "points", value, expected, "leave it out")
            raise InputError(axes.figure.get_label(), [problem])


def finished(figure: Figure, notes: Iterable[str] = ()) -> Figure:
    """Set the ticks of logarithmic axes, add a legend and notes below, and return the figure."""
    with _styled():
        for axes in figure.axes:
            for axis in (axes.xaxis, axes.yaxis):
                if axis.get_scale() == "log":
                    _round_log(axis)
        room = figure.get_size_inches()[0] * INCH - 2 * MARGIN
        lines = [line for note in notes for line in wrap(visible(note), int(room / (0.58 * SIZE)))]
        rows = _add_legend(figure, room, lines)
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + PITCH / INCH * (rows + len(lines)))
        _settle(figure)
    return figure


GROWTHS = 6
"""Maximum number of times that a figure without room for its axes grows by 30 %."""
LEAN, LONGEST, CLEAR = 30, 24, 3.0
"""Degrees by which names of categories lean if they are less than 3 pixels apart, and the maximum
length of such names."""


def _settle(figure: Figure) -> None:
    """Lay out the figure, and fix the layout so that redrawing does not move it.

    A figure enlarges if words leave no room for its axes, and ticks that would touch are mended.
    """
    figure.set_layout_engine("constrained")
    _lay_out(figure)
    axes = [one for one in figure.axes if one.axison]
    for _ in range(GROWTHS):
        leaning = [_lean(one) for one in axes]
        if not any([*leaning, *(_thin(axis) for one in axes for axis in (one.xaxis, one.yaxis))]):
            break
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + max(leaning) / INCH)
        _lay_out(figure)
    figure.set_layout_engine("none")


def _lay_out(figure: Figure) -> None:
    for _ in range(GROWTHS):
        with catch_warnings():
            filterwarnings("error", message="constrained_layout not applied")
            try:
                figure.draw_without_rendering()
                figure.draw_without_rendering()
            except UserWarning:
                figure.set_size_inches(figure.get_size_inches() * 1.3)
            else:
                break


def _lean(axes: Axes) -> float:
    """Lean the names of categories below that touch, and return the pixels that they need."""
    labels = axes.get_xticklabels()
    if _counts(axes.xaxis) or labels[0].get_rotation() or not _touching(axes.xaxis):
        return 0.0
    texts = [label.get_text() for label in labels]
    short = [text if len(text) <= LONGEST else text[: LONGEST - 1] + "…" for text in texts]
    axes.set_xticks(axes.get_xticks(), short, rotation=LEAN, ha="right", rotation_mode="anchor")
    return sin(radians(LEAN)) * max(text_width(text, SIZE) for text in short)


def _thin(axis: Any) -> bool:
    """Leave out every second number of an axis whose numbers touch. Return True if it did."""
    touching = _touching(axis) if _counts(axis) else []
    if touching:
        axis.set_ticks(touching[::2])
    return bool(touching)


def _counts(axis: Any) -> bool:
    """Return True if ticks are numbers, False if they are names of categories."""
    return getattr(axis.get_major_formatter(), "func", None) is tick_text


def _touching(axis: Any) -> list[float]:
    """Return the places of the ticks in sight if two of their words touch."""
    low, high = sorted(axis.get_view_interval())
    seen = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    boxes = [tick.label1.get_window_extent() for tick in seen if tick.label1.get_visible()]
    sides = sorted((*(box.intervalx if axis.axis_name == "x" else box.intervaly),) for box in boxes)
    gap = CLEAR if axis.axis_name == "x" else 0.0
    touch = any(one[1] + gap > other[0] for one, other in pairwise(sides))
    return [tick.get_loc() for tick in seen] if touch else []


def _add_legend(figure: Figure, room: float, notes: Sequence[str]) -> int:
    """Name each series once, guides last, under the notes, and return the number of rows."""
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        for handle in (*axes.containers, *axes.lines):
            name = handle.get_label()
            if name and not re.fullmatch(r"_(child\d+|container\d+|nolegend_)", name):
                handles.setdefault(name, handle)
    names = sorted(handles, key=lambda name: getattr(handles[name], "zorder", 2) < 2)
    if not names and not notes:
        return 0
    widest = max((SAMPLE + text_width(name, SIZE) for name in names), default=room)
    columns = max(1, min(MOST_COLUMNS, len(names), int(room / widest)))
    legend = figure.legend(
        [handles[name] for name in names],
        [fit(name, SIZE, room / columns - SAMPLE) for name in names],
        loc="outside lower left",
        ncols=columns,
        title="\n".join(notes) or None,
        title_fontproperties={"size": SIZE * POINT},
        alignment="left",
    )
    legend.get_title().set_color(SOFT_INK)
    return -(-len(names) // columns)


def renamed(figure: Figure, names: Mapping[str, str]) -> None:
    """Rename series in the legend, where each old name must exist."""
    if not names:
        return
    series = [one for axes in figure.axes for one in (*axes.lines, *axes.containers)]
    there = {one.get_label() for one in series if not one.get_label().startswith("_")}
    missing = [name for name in names if name not in there]
    if missing:
        expected, hint = "a name in the legend", "draw the figure without it"
        raise InputError(
            "figure", [unknown("rename", name, sorted(there), hint, expected) for name in missing]
        )
    for one in series:
        one.set_label(names.get(one.get_label(), one.get_label()))
    notes = [legend.get_title().get_text() for legend in figure.legends]
    for legend in [*figure.legends]:
        legend.remove()
    with _styled():
        room = figure.get_size_inches()[0] * INCH - 2 * MARGIN
        _add_legend(figure, room, [note for note in notes if note])
        _settle(figure)


def _round_log(axis: Any) -> None:
    """Put round ticks on a logarithmic axis, fewer per decade for longer axes."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    low, high = axis.get_view_interval()
    decades = log10(high / low) if 0 < low < high else 1.0
    if decades < 0.6:
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    else:
        choices = {1.1: (1, 2, 3, 5), 1.6: (1, 2, 5), 2.4: (1, 3)}
        subs = next((some for most, some in choices.items() if decades < most), (1,))
        axis.set_major_locator(LogLocator(subs=subs))
    axis.set_minor_locator(NullLocator())


def whole_ticks(axis: Any) -> None:
    """Put ticks of a linear axis that counts at whole numbers."""
    axis.get_major_locator().set_params(integer=True)


SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def tick_text(value: float, _: int | None = None) -> str:
    """Write the number of a tick: plainly, or with a power of ten if that would be long."""
    if not value or 0.000999 < abs(value) < 999_999:
        return f"{value:,.10g}"
    digits, power = f"{value:.3e}".split("e")
    text = "10" + str(int(power)).translate(SUPERSCRIPTS)
    return text if float(digits) == 1 else f"{float(digits):g}·{text}"


def figure_format(path: Path) -> str:
    """Return the format that a file's suffix names, or say why it cannot be drawn."""
    return form_of(path, FORMATS, "figure")


def figure_bytes(figure: Figure, form: str) -> bytes:
    """Return a figure as the bytes of a file, identical for equal figures."""
    undated = {
        "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        "png": {"Software": None},
    }
    made = BytesIO()
    with _styled():
        figure.savefig(made, format=form, dpi=2 * INCH, metadata=undated[form])
    return _plain(made.getvalue().decode(), figure).encode() if form == "svg" else made.getvalue()


def _plain(text: str, figure: Figure) -> str:
    """Return a short SVG that is safe inside a page, whose styles and names are global."""
    about = escape(figure.get_label())
    fonts = ", ".join(f"'{name}'" for name in STYLE["font.sans-serif"])
    head = f'<svg role="img" aria-label="{about}" stroke-linejoin="round" '
    text = f'{head}font-family="{fonts}, sans-serif" ' + text.partition("<svg ")[2]
    text = text.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "").replace("xlink:", "")
    text = re.sub(r"\s*<defs>\s*<style.*?</style>\s*</defs>", "", text, count=1, flags=re.DOTALL)
    text = re.sub(r"\s*<defs>\s*<clipPath.*?</defs>", "", text, flags=re.DOTALL)
    text = re.sub(r' clip-path="[^"]*"| transform="rotate\(-0 [^"]*"', "", text)
    text = re.sub(r" font-family: [^;\"]*(;|(?=\"))", "", text)
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r"<g>\s*((?:<use [^>]*/>\s*)+)</g>", _style_once, text)
    text = re.sub(r"<[^>]*>", _shortened, text)
    return re.sub(r"\n\s+", "\n", text)


def _shortened(tag: re.Match[str]) -> str:
    """Cut the numbers of a tag to hundredths of a pixel, but leave words as they are."""
    parts = re.split(r'( aria-label="[^"]*")', tag[0])
    parts[::2] = (re.sub(r"(\d\.\d\d)\d+", r"\1", part) for part in parts[::2])
    return "".join(parts)


def _style_once(group: re.Match[str]) -> str:
    """Return marks of one style with the style on their group."""
    styles = {*re.findall(r' style="[^"]*"', group[1])}
    if len(styles) != 1:
        return group[0]
    (style,) = styles
    return f"<g{style}>{group[1].replace(style, '')}</g>"


def svg_text(figure: Figure) -> str:
    """Return a figure as SVG, for a page or a notebook."""
    return figure_bytes(figure, "svg").decode()


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure in the format that the suffix of `path` names."""
    write_whole(path, figure_bytes(figure, figure_format(path)))
