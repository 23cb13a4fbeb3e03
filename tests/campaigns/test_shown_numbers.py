"""Numbers of other studies are read as tables show them, and say what one more draw may be."""

import re
from math import exp, inf, log, sqrt
from pathlib import Path
from statistics import NormalDist

import pytest

from ringyard.analysis.intervals import ABOVE, mean_above, student
from ringyard.papers.claims.measured import (
    MeasuredParts,
    Sampled,
    Scale,
    ShownNumber,
    predicted,
    span,
    widened,
)

PLAIN, RATIOS, MEANS = Sampled(8, Scale.PLAIN), Sampled(8, Scale.RATIOS), Sampled(8, Scale.MEANS)


@pytest.mark.parametrize(("sampled", "ends"), [(PLAIN, (70, 130)), (RATIOS, (100 / 1.331, 133.1))])
def test_a_draw_is_predicted_on_the_scale_of_the_interval(
    sampled: Sampled, ends: tuple[float, float]
) -> None:
    """Of 8 seeds, one more draw is sqrt(9) times as far off: 3 times 10, or 1.1 to the third."""
    low = 100 / 1.1 if sampled is RATIOS else 90
    shown = ShownNumber(100, low, 110)
    assert predicted(shown, sampled) == pytest.approx((100, *ends, 0, 0))


def test_a_draw_is_not_predicted_as_if_the_mean_were_a_geometric_one() -> None:
    """The draws are symmetric in logarithms, so Student's t on these predicts one more."""
    values = [100 * exp(0.3 * NormalDist().inv_cdf((i + 0.5) / 8)) for i in range(8)]
    logs, shown = student([log(one) for one in values]), mean_above(values, 0)
    most = exp(logs.mean + sqrt(9) * (logs.high - logs.mean))
    here = ShownNumber(shown.mean, shown.low, shown.high)
    found = predicted(here, MEANS)
    assert (found.low, found.high) == pytest.approx((100 * 100 / most, most), rel=0.03)
    assert predicted(here, RATIOS).high > 1.03 * most


@pytest.mark.parametrize(
    ("note", "column", "sampled"),
    [
        ("Means over 8 seeds with 95 % intervals (Student's t).", "a", PLAIN),
        ("Over 8 seeds, with 95 % intervals (Student's t on logarithms).", "a", RATIOS),
        (f"Means over 8 other seeds with 95 % intervals ({ABOVE} 0).", "a", MEANS),
        (f"8 paths with 95 % intervals ({ABOVE} 0). A / b: geometric mean.", "a / b", RATIOS),
        (f"8 paths with 95 % intervals ({ABOVE} 0). A / b: geometric mean.", "b", MEANS),
        (f"8 seeds, with 95 % intervals ({ABOVE} 1).", "a", None),
        ("With 95 % intervals (Student's t).", "a", None),
    ],
)
def test_notes_tell_means_from_ratios(
    note: str, column: str, sampled: Sampled | None, tmp_path: Path
) -> None:
    (tmp_path / "mobihoc").mkdir()
    (tmp_path / "mobihoc/one.md").write_text(f"| a |\n|---|\n\n{note}\n", encoding="utf-8")
    assert MeasuredParts(out=tmp_path).sampled("mobihoc", "one", column) == sampled


def test_every_table_of_means_says_so() -> None:
    """No page says of a table of means that the logarithms of its draws have Student's t."""
    pages = (Path(__file__).parents[2] / "docs/studies").glob("*.md")
    notes = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    means = r"(?<!eometric )[Mm]eans over \d+ (?:\w+ )?(?:seeds|draws|paths),? with 95 % intervals "
    found = [scale[1] for note in notes if (scale := re.search(means + r"\((.*?)[,)]", note))]
    assert found
    assert "Student's t on logarithms" not in found


def test_ends_that_rounding_leaves_are_predicted() -> None:
    """An end of 11 is 10.5 to 11.5 and a mean of 10 is 9.5 to 10.5, so three times 0 to 2 away."""
    found = predicted(ShownNumber(10, 9, 11, 0.5, 0.5), PLAIN)
    assert found == pytest.approx((10, 7, 13, 2.5, 2.5))
    assert predicted(ShownNumber(0.1, 0.04, 0.2, 0.05, 0.05), RATIOS).half == inf


def test_ends_of_draws_behind_a_mean_hold_whatever_was_rounded() -> None:
    """The widest that is shown as 10 (9 to 11) is 9.5 to 10.5 (8.5 to 11.5)."""
    found = predicted(span("10 (9 to 11)"), MEANS)
    low, high = found.low - found.half, found.high + found.half_high
    for mean, ends in ((9.5, (8.5, 11.5)), (10.5, (8.5, 11.5)), (10, (9.4, 10.6))):
        draw = predicted(ShownNumber(mean, *ends), MEANS)
        assert low - 1e-9 <= draw.low <= draw.high <= high + 1e-9
    assert predicted(span("4 (0 to 9)"), MEANS)[:3] == (4, 0, inf)
    assert predicted(span("0 (0 to 0)"), MEANS)[:3] == (0, 0, 0)


def test_shares_are_widened_on_their_odds() -> None:
    """Odds of 1 within a factor of 2, then of 4: from 1/3 to 2/3, then from 1/5 to 4/5."""
    found = widened(ShownNumber(1 / 2, 1 / 3, 2 / 3), 2, Scale.ODDS)
    assert found[:3] == pytest.approx((1 / 2, 1 / 5, 4 / 5))
    assert widened(ShownNumber(20, 10, 40), 2, Scale.ODDS)[:3] == pytest.approx((20, 5, 80))


@pytest.mark.parametrize(
    ("cell", "exact", "read"),
    [
        ("-1.5 (-2 to 1e-05)", False, (-1.5, -2, 1e-5, 0.5)),
        ("open: 0.9 (0.8 to inf)", False, (0.9, 0.8, inf, 0.05)),
        ("1e-05 (9e-06 to 2e-05)", False, (1e-5, 9e-6, 2e-5, 5e-6)),
        ("0.9", False, (0.9, -inf, inf, 0.05)),
        ("0.9", True, (0.9, 0.9, 0.9, 0)),
        ("inf", True, (inf, inf, inf, 0)),
    ],
)
def test_numbers_are_read_as_tables_show_them(
    cell: str, exact: bool, read: tuple[float, float, float, float]
) -> None:
    assert span(cell, exact=exact) == pytest.approx((*read, read[-1]))


def test_each_end_has_its_own_rounding_in_logarithms() -> None:
    """The lower end is nearer to 0, so its rounding counts less."""
    found = predicted(span("1.26 (1.09 to 1.45)"), Sampled(10, Scale.RATIOS))
    assert (found.half, found.half_high) == pytest.approx((0.0193, 0.0413), abs=1e-3)


def test_a_range_holds_what_is_shown_only_if_no_rounding_leaves_it() -> None:
    shown = span("1.005 (1.000 to 1.010)")
    assert shown.within(1, inf) is None
    assert shown.within(0.9995, 1.0105)
    assert shown.within(1.0106, inf) is False


def test_other_words_are_no_numbers() -> None:
    with pytest.raises(ValueError, match="'3 of 5' is no number"):
        span("3 of 5")


def test_per_cents_less_are_predicted_as_ratios() -> None:
    """Half as much within a factor of 1.1, so one draw within 1.331: 0.3757 to 0.6655 of it."""
    shown = ShownNumber(50, 100 * (1 - 0.5 * 1.1), 100 * (1 - 0.5 / 1.1))
    found = predicted(shown, RATIOS, less=True)
    assert found == pytest.approx((50, 100 - 66.55, 100 - 50 / 1.331, 0, 0))
