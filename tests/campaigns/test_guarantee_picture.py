"""The picture of measured ratios beside proven factors."""

from collections import Counter

from ringyard.analysis.drawing.colours import WRONG
from ringyard.analysis.drawing.shapes import Boxes, Picture, TextLine
from ringyard.analysis.drawing.svg import to_svg
from ringyard.campaigns.verifying.random_runs import TheoremTally, VerifiedRuns
from ringyard.papers.guarantees import ACROSS, BLUE, HEIGHT, RIGHT, WIDTH, picture


def drawn(**points: dict[tuple[float, float], int]) -> Picture:
    tallies = {
        name.replace("_", "-"): TheoremTally(points=Counter(p)) for name, p in points.items()
    }
    return picture(VerifiedRuns(runs=7, tallies=tallies))


def cells(found: Picture, colour: str) -> list[tuple[float, float, float, float]]:
    boxes = [s for s in found.shapes if isinstance(s, Boxes) and s.fill == colour]
    return [at for box in boxes for at in box.at]


def test_ratios_above_their_factors_are_red() -> None:
    found = drawn(longest_first={(1.0, 1.2): 1, (1.3, 1.3): 5, (1.3, 1.1): 40})
    assert len(cells(found, WRONG)) == 1
    assert len(cells(found, BLUE)) == 2


def test_more_runs_are_darker() -> None:
    found = drawn(ascending={(2.0, 1.5): 9, (2.5, 1.5): 10, (3.0, 1.5): 1000})
    depths = [s.opacity for s in found.shapes if isinstance(s, Boxes) and s.fill == BLUE]
    assert len(depths) == 3
    assert depths == sorted(depths)


def test_each_theorem_with_runs_has_a_panel_and_cells_stay_inside() -> None:
    far = {(1.0, 1.0): 1, (69.12, 2.0): 1, (5000.0, 9.0): 1}
    found = drawn(widest_inside=far, theorem_5=far, ascending={}, any_order=far, optimal=far)
    heads = [s.text for s in found.shapes if isinstance(s, TextLine) and s.bold]
    assert heads == ["theorem-5", "any-order", "widest-inside", "optimal"]
    for left, top, width, height in cells(found, BLUE):
        column = int(left // WIDTH)
        assert column < ACROSS
        assert column * WIDTH < left
        assert left + width <= (column + 1) * WIDTH - RIGHT + 1e-6
        assert 0 < top < top + height < found.height
        assert top // HEIGHT == (top + height) // HEIGHT


def test_it_can_be_written_as_svg() -> None:
    text = to_svg(drawn(ascending={(2.0, 1.5): 9}))
    assert text.startswith("<svg")
    assert "over 7 runs" in text
