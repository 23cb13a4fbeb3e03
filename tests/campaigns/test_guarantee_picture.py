"""The picture of measured ratios beside proven factors."""

from collections import Counter
from typing import Any

import numpy as np
from figures.painted import assert_readable
from matplotlib.colors import to_rgb

from ringyard.analysis.drawing.colours import WRONG
from ringyard.analysis.figures.canvas import svg_text
from ringyard.campaigns.verifying.theorems import TheoremTally, VerifiedRuns
from ringyard.papers.guarantees import picture


def drawn(**points: dict[tuple[float, float], int]) -> Any:
    tallies = {
        name.replace("_", "-"): TheoremTally(points=Counter(p)) for name, p in points.items()
    }
    return picture(VerifiedRuns(runs=7, tallies=tallies))


def cells(axes: Any) -> Any:
    """Return the colours of the cells with runs."""
    (mesh,) = axes.collections
    colours = np.asarray(mesh.get_array()).reshape(-1, 4)
    return colours[colours[:, 3] > 0][:, :3]


def test_ratios_above_their_factors_are_red() -> None:
    (axes,) = drawn(longest_first={(1.0, 1.2): 1, (1.3, 1.3): 5, (1.3, 1.1): 40}).axes
    found = cells(axes)
    assert len(found) == 3
    assert sum(np.allclose(one, to_rgb(WRONG)) for one in found) == 1


def test_more_runs_are_darker() -> None:
    (axes,) = drawn(ascending={(2.0, 1.5): 9, (2.5, 1.5): 10, (3.0, 1.5): 1000}).axes
    depths = cells(axes).sum(axis=1)
    assert len(depths) == 3
    assert list(depths) == sorted(depths, reverse=True)
    assert len({*depths.round(6)}) == 3


def test_each_theorem_with_runs_has_a_panel_and_cells_stay_inside() -> None:
    far = {(1.0, 1.0): 1, (69.12, 2.0): 1, (5000.0, 9.0): 1}
    found = drawn(widest_inside=far, theorem_5=far, ascending={}, any_order=far, optimal=far)
    heads = [axes.get_title(loc="left") for axes in found.axes]
    assert heads == ["theorem-5", "any-order", "widest-inside", "optimal"]
    # Two of the three points are too far right to be shown.
    assert [len(cells(axes)) for axes in found.axes] == [1, 1, 1, 1]
    assert_readable(found)


def test_it_can_be_written_as_svg() -> None:
    text = svg_text(drawn(ascending={(2.0, 1.5): 9}))
    assert text.startswith("<svg")
    assert "over 7 runs" in text
