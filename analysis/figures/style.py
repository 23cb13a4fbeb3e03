"""The style of every figure: fonts, lines, grid, and eight distinguishable looks.

The colours stay distinct in normal, red-blind and green-blind vision. Each look also has a distinct
dash and marker for grey prints.
"""

from collections.abc import Collection, Iterable
from typing import Any

from ...instances.errors import InputError, Problem, Words
from ..drawing.colours import FAINT, INK, PAPER, SOFT_INK
from ..drawing.paint import POINT

SIZE = 10.0
"""Height of all words, in pixels: 7.5 points, two less than a paper's own."""
STYLE: dict[str, Any] = {
    "font.family": ["sans-serif"],
    # matplotlib brings the first; an SVG names the others for readers who lack it.
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Helvetica", "Arial"],
    "font.size": SIZE * POINT,
    "axes.labelsize": (SIZE + 1) * POINT,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.xmargin": 0.03,
    "axes.ymargin": 0.03,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "text.color": INK,
    # Words are as wide as in a browser. Hinted for a screen, they seem up to 8 % narrower.
    "text.hinting": "no_hinting",
    # A method may have a dollar sign in its name.
    "text.parse_math": False,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "legend.borderpad": 0,
    "legend.borderaxespad": 0.6,
    "legend.labelspacing": 0.45,
    "legend.columnspacing": 1.4,
    "figure.constrained_layout.w_pad": 0.06,
    "figure.constrained_layout.h_pad": 0.06,
    # The same figure makes the same bytes, with words that can be searched for.
    "svg.hashsalt": "ringyard",
    "svg.fonttype": "none",
    # Publishers refuse fonts of type 3.
    "pdf.fonttype": 42,
}
"""Settings of matplotlib under which figures are made and written."""

Look = dict[str, Any]
"""Properties of a line of matplotlib."""


def _look(colour: str, dash: tuple[float, ...], mark: str, *, hollow: bool = False) -> Look:
    return {
        "color": colour,
        "linewidth": 1.2,
        "linestyle": (0, dash or None),
        "marker": mark,
        "markersize": 4.4,
        "markerfacecolor": PAPER if hollow else colour,
        "markeredgecolor": colour if hollow else PAPER,
        "markeredgewidth": 0.9 if hollow else 0.4,
        # A mark on the edge of the plot is drawn whole.
        "clip_on": False,
    }


LOOKS = (
    _look("#0a6fb5", (), "o"),
    _look("#e06000", (4, 1.7), "s"),
    _look("#12a583", (1.1, 1.2), "^"),
    _look("#7b2a6a", (4.7, 1.4, 1.1, 1.4), "D"),
    _look("#b0a860", (7.4, 1.7), "v"),
    _look("#c81848", (2.2, 1.1), "P"),
    _look("#184800", (4.7, 1.4, 1.1, 1.4, 1.1, 1.4), "o", hollow=True),
    _look("#3838b0", (6.7, 1.4, 2.2, 1.4), "s", hollow=True),
)

GUIDE: Look = {
    "color": INK,
    "linewidth": 1.0,
    "linestyle": (0, (3.6, 2.4)),
    "marker": "",
    "zorder": 1.9,
}
"""The look of a reference line, such as a diagonal or a bound, below all methods."""

STEPS: Look = {"drawstyle": "steps-post"}
"""A value holds until the next one."""
POINTS: Look = {"linestyle": "none"}
BARE: Look = {"marker": ""}
SOLID: Look = {"linestyle": "-"}
THIN: Look = {"marker": "", "linewidth": 0.6}
"""A line that accompanies another."""
HOLLOW: Look = {
    "linestyle": "none",
    "color": SOFT_INK,
    "marker": "D",
    "markersize": 5.0,
    "markerfacecolor": PAPER,
    "markeredgecolor": INK,
    "markeredgewidth": 1.0,
    "zorder": 3,
}
"""Marks that were read off a paper."""


def looks_for(names: Iterable[str], among: Collection[str] = ()) -> dict[str, Look]:
    """Give each name one of the eight looks.

    A name keeps its look `among` all methods of a campaign if they are few enough. A name for a
    method with several options has the look of the first option.
    """
    known = list(dict.fromkeys(names))
    if len(known) > len(LOOKS):
        expected = f"at most {len(LOOKS)} distinguishable lines"
        problem = Problem("methods", Words(str(len(known))), expected, "choose some of them")
        raise InputError("figure", [problem])
    order = sorted(among) if len(among) <= len(LOOKS) else []
    places = [
        next((i for i, one in enumerate(order) if f"{one}:".startswith(f"{name}:")), None)
        for name in known
    ]
    if None in places:
        return dict(zip(known, LOOKS, strict=False))
    return {name: LOOKS[i] for name, i in zip(known, places, strict=True) if i is not None}
