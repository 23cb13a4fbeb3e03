"""Files: the format follows the suffix, what cannot be drawn is refused early."""

import sys
from fractions import Fraction
from pathlib import Path

import pytest
from gantt.drawing import RINGS, TOGETHER, facts_of, job, make_instance, plan, svg_text

from ringyard.analysis.check import check
from ringyard.analysis.gantt import draw_gantt, gantt_format
from ringyard.instances import InputError, MakespanInstance, Schedule


def draw(path: Path, instance: MakespanInstance = RINGS, schedule: Schedule = TOGETHER) -> bytes:
    draw_gantt(instance, schedule, check(instance, schedule), path, Fraction(10))
    return path.read_bytes()


@pytest.mark.parametrize("name", ["chart.gif", "chart", "chart.svg.gz", ".svg", "chart.svgz"])
def test_other_suffixes_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected one of \.svg, \.png, \.pdf, \.html"):
        draw(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_case_does_not_matter(tmp_path: Path) -> None:
    assert gantt_format(Path("a.SVG")) == "svg"
    assert draw(tmp_path / "a.SVG").decode() == svg_text(RINGS, TOGETHER, Fraction(10))


def test_a_missing_folder_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="writable place"):
        draw(tmp_path / "nowhere" / "chart.svg")


@pytest.mark.parametrize("suffix", ["svg", "html"])
def test_svg_and_html_need_no_plotting_library(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert b"</svg>" in draw(tmp_path / f"chart.{suffix}")


def test_a_png_shows_the_same_picture(tmp_path: Path) -> None:
    from matplotlib import image

    from ringyard.analysis.drawing.shapes import Boxes
    from ringyard.analysis.gantt.makespan import lay_out

    draw(tmp_path / "chart.png")
    pixels = image.imread(tmp_path / "chart.png")
    picture = lay_out(facts_of(RINGS, TOGETHER, Fraction(10)))
    assert pixels.shape[:2] == (2 * picture.height, 2 * picture.width)
    pieces = [s for s in picture.flat() if isinstance(s, Boxes) and s.role == "piece"]
    assert len(pieces) == 5
    # Between 85 and 95 % of its width no bar has a label, and the rings are not shaded there.
    unshaded = [*pieces[:2], pieces[-1]]
    for piece in unshaded:
        x, y, width, height = piece.at[0]
        seen = pixels[int(2 * (y + height / 4)), int(2 * (x + 0.9 * width)), :3]
        assert "#" + bytes(round(255 * float(part)) for part in seen).hex() == piece.fill


def test_a_pdf_is_one(tmp_path: Path) -> None:
    made = draw(tmp_path / "chart.pdf")
    assert made.startswith(b"%PDF-")
    assert b"CreationDate" not in made
    assert made.rstrip().endswith(b"%%EOF")


@pytest.mark.parametrize("suffix", ["svg", "html", "png", "pdf"])
def test_the_same_schedule_gives_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    assert draw(tmp_path / f"a.{suffix}") == draw(tmp_path / f"b.{suffix}")


@pytest.mark.parametrize("name", ["$\\frac{$", "机器", "\\", "%&<>"])
def test_names_are_no_markup_to_the_plotting_library(name: str, tmp_path: Path) -> None:
    instance = make_instance([job(name, 1, 9)], [1])
    assert draw(tmp_path / "a.png", instance, plan((name, 0, {"s0": 1}))).startswith(b"\x89PNG")
