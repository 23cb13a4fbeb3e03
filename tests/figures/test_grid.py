"""Small multiples: where panels lie, which scale they share, what is said once."""

import pytest
from figures.painted import series

from ringyard.analysis.charts import Axis, Panel, PanelGrid, lay_out_grid
from ringyard.analysis.drawing.shapes import Curve, Picture, TextLine
from ringyard.instances.errors import InputError


def panel(*points: tuple[float, float]) -> Panel:
    x, y = (Axis(title=title, log=True) for title in ("nonzeros", "seconds"))
    return Panel(about="time", x=x, y=y, series=(series("a", *points), series("b", number=1)))


def grid(*rows: tuple[Panel, ...]) -> Picture:
    heads = tuple(f"case {i}" for i in range(len(rows[0])))
    return lay_out_grid(PanelGrid(about="times", heads=heads, rows=rows))


FIRST, SECOND = panel((10, 1), (1000, 8)), panel((10, 8), (1000, 1))
THIRD, FOURTH = panel((10, 500), (1000, 700)), panel((10, 500), (1000, 600))


def curves(picture: Picture) -> list[Curve]:
    return [shape for shape in picture.shapes if isinstance(shape, Curve) and shape.role == "curve"]


def words(picture: Picture, role: str = "") -> list[str]:
    texts = [shape for shape in picture.shapes if isinstance(shape, TextLine)]
    return [shape.text for shape in texts if not role or shape.role == role]


def test_equal_values_of_a_row_are_equally_high() -> None:
    one, other = curves(grid((FIRST, SECOND)))
    assert one.through[0][1] == other.through[1][1]
    assert one.through[1][1] == other.through[0][1]
    assert one.through[1][1] < one.through[0][1]


def test_equal_values_of_a_column_stand_below_each_other() -> None:
    one, _, below, _ = curves(grid((FIRST, SECOND), (THIRD, FOURTH)))
    assert [x for x, _ in one.through] == [x for x, _ in below.through]
    assert max(y for _, y in one.through) < min(y for _, y in below.through)


def test_rows_have_scales_of_their_own() -> None:
    one, _, below, _ = curves(grid((FIRST, SECOND), (THIRD, FOURTH)))
    rise, fall = (abs(a.through[0][1] - a.through[1][1]) for a in (one, below))
    assert rise > 100
    assert fall > 100


def test_each_thing_is_said_once() -> None:
    picture = grid((FIRST, SECOND), (THIRD, FOURTH))
    said = words(picture)
    for text, times in {"case 0": 1, "case 1": 1, "seconds": 2, "nonzeros": 2, "a": 1}.items():
        assert said.count(text) == times
    assert words(picture, "name") == ["a", "b"]


def test_all_lies_on_the_paper() -> None:
    picture = grid((FIRST, SECOND), (THIRD, FOURTH))
    for shape in picture.shapes:
        places = shape.through if isinstance(shape, Curve) else ()
        places = (shape.at,) if isinstance(shape, TextLine) else places
        assert all(0 <= x <= picture.width and 0 <= y <= picture.height for x, y in places)


def test_what_a_log_axis_cannot_show_is_named() -> None:
    with pytest.raises(InputError, match="'seconds'"):
        grid((FIRST, panel((10, 0), (20, 1))))
