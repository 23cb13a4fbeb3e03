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
    assert predicted(shown, Sampled(8, logarithmic)) == pytest.approx((100, *ends, 0, 0))


def test_ends_that_rounding_leaves_are_predicted() -> None:
    """An end of 11 is 10.5 to 11.5 and a mean of 10 is 9.5 to 10.5, so three times 0 to 2 away."""
    found = predicted(ShownNumber(10, 9, 11, 0.5, 0.5), Sampled(8, False))
    assert found == pytest.approx((10, 7, 13, 2.5, 2.5))
    assert predicted(ShownNumber(0.1, 0.04, 0.2, 0.05, 0.05), Sampled(8, True)).half == inf


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
    found = predicted(span("1.26 (1.09 to 1.45)"), Sampled(10, True))
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
    found = predicted(shown, Sampled(8, True), less=True)
    assert found == pytest.approx((50, 100 - 66.55, 100 - 50 / 1.331, 0, 0))
