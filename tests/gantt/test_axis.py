"""Ticks at round slots; numbers and names as people write them."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringyard.analysis.drawing.shapes import fit, number, text_width
from ringyard.analysis.gantt.time import round_ticks


@given(st.floats(1e-6, 1e18), st.integers(2, 20), st.booleans())
def test_ticks_are_round_and_not_too_many(horizon: float, most: int, whole: bool) -> None:
    ticks = round_ticks(horizon, most, whole)
    assert ticks[0] == 0
    assert len(ticks) <= most + 1
    assert ticks[-1] <= horizon * (1 + 1e-9)
    if len(ticks) > 1:
        digits = f"{ticks[1]:.6e}".split("e")[0]
        assert float(digits) in (1, 2, 5)
        assert horizon - ticks[-1] < ticks[1] * (1 + 1e-9)
    if whole:
        assert all(tick >= 1 for tick in ticks[1:])
    else:
        assert len(ticks) > most / 2.6


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(26), "26"),
        (Fraction(1234567), "1,234,567"),
        (Decimal("0.25"), "0.25"),
        (Fraction(80, 3), "26.667"),
        (Fraction(1, 3000), "0.0003333"),
        (0, "0"),
        (10**15, "1e+15"),
        (100, "100"),
    ],
)
def test_numbers_are_short(value: Fraction | Decimal, text: str) -> None:
    assert number(value) == text


@given(st.text(max_size=60), st.floats(12, 300))
def test_a_text_is_cut_to_its_room(text: str, width: float) -> None:
    cut = fit(text, 11, width)
    assert cut.isprintable()
    assert text_width(cut, 11) <= width or cut == "…"
    if text.isprintable() and text_width(text, 11) <= width:
        assert cut == text
