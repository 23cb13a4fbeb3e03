"""Numbers of other studies are read as tables show them, and say what one more draw may be."""

from math import inf

import pytest

from ringyard.papers.claims.measured import Sampled, ShownNumber, predicted, span


@pytest.mark.parametrize(
    ("logarithmic", "ends"), [(False, (70, 130)), (True, (100 / 1.331, 133.1))]
)
def test_a_draw_is_predicted_on_the_scale_of_the_interval(
    logarithmic: bool, ends: tuple[float, float]
) -> None:
    """Of 8 seeds, one more draw is sqrt(9) times as far off: 3 times 10, or 1.1 to the third."""
    low = 100 / 1.1 if logarithmic else 90
    shown = ShownNumber(100, low, 110)
    assert predicted(shown, Sampled(8, logarithmic)) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("cell", "exact", "read"),
    [
        ("-1.5 (-2 to 1e-05)", False, (-1.5, -2, 1e-5)),
        ("open: 0.9 (0.8 to inf)", False, (0.9, 0.8, inf)),
        ("0.9", False, (0.9, -inf, inf)),
        ("0.9", True, (0.9, 0.9, 0.9)),
        ("inf", True, (inf, inf, inf)),
    ],
)
def test_numbers_are_read_as_tables_show_them(
    cell: str, exact: bool, read: tuple[float, float, float]
) -> None:
    assert span(cell, exact=exact) == read


def test_other_words_are_no_numbers() -> None:
    with pytest.raises(ValueError, match="'3 of 5' is no number"):
        span("3 of 5")


def test_per_cents_less_are_predicted_as_ratios() -> None:
    """Half as much within a factor of 1.1, so one draw within 1.331: 0.3757 to 0.6655 of it."""
    shown = ShownNumber(50, 100 * (1 - 0.5 * 1.1), 100 * (1 - 0.5 / 1.1))
    found = predicted(shown, Sampled(8, True), less=True)
    assert found == pytest.approx((100 - 66.55, 100 - 50 / 1.331))
