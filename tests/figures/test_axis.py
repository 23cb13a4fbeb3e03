"""Axes: everything lies on them, and their numbers are round, few and true."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringyard.analysis.charts.axis import Axis, Scale

SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
positive = st.floats(1e-250, 1e250)
numbers = st.one_of(st.just(0.0), positive, positive.map(lambda x: -x))


def said(text: str) -> float:
    """Read a tick as a reader does."""
    if "10" not in text or not set(text) & set("⁻⁰¹²³⁴⁵⁶⁷⁸⁹"):
        return float(text.replace(",", ""))
    sign, digits, power = text.rpartition("10")[0], text.partition("·")[0], text.rpartition("10")[2]
    factor = {"": "1", "-": "-1"}.get(sign, digits)
    return float(f"{factor}e{power.translate(SUPERSCRIPTS)}")


def scale(low: float, high: float, *, log: bool = False) -> Scale:
    return Scale(log=log, low=low, high=high)


@given(st.lists(positive, min_size=1), st.booleans())
def test_all_values_lie_on_the_axis(values: list[float], log: bool) -> None:
    around = Axis(title="", log=log).around(values)
    assert all(-1e-9 <= around.part(value) <= 1 + 1e-9 for value in values)
    assert around.low < around.high


@given(st.lists(numbers, max_size=3), st.booleans())
def test_ticks_are_what_they_say(values: list[float], log: bool) -> None:
    chosen = [abs(value) or 1.0 for value in values] if log else values
    around = Axis(title="", log=log).around(chosen)
    choices = list(around.ticks())
    assert choices
    for ticks in choices:
        assert 2 <= len(ticks) <= 10
        assert all(a < b for (a, _), (b, _) in pairwise(ticks))
        assert all(-1e-6 <= around.part(value) <= 1 + 1e-6 for value, _ in ticks)
        assert [said(text) for _, text in ticks] == pytest.approx([v for v, _ in ticks], rel=1e-15)
        assert len({text for _, text in ticks}) == len(ticks)


@pytest.mark.parametrize(
    ("low", "high", "log", "texts"),
    [
        (0, 1, False, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (0, 47, False, ["0", "10", "20", "30", "40"]),
        (-3, 3, False, ["-2", "0", "2"]),
        (0, 2.1e6, False, ["0", "5·10⁵", "10⁶", "1.5·10⁶", "2·10⁶"]),
        (0.8, 120, True, ["1", "3", "10", "30", "100"]),
        (1e-7, 1e5, True, ["10⁻⁶", "10⁻³", "10⁰", "10³"]),
        (1, 3, True, ["1", "2", "3"]),
        (1, 1.4, True, ["1", "1.1", "1.2", "1.3", "1.4"]),
    ],
)
def test_round_numbers(low: float, high: float, log: bool, texts: list[str]) -> None:
    choices = [[text for _, text in ticks] for ticks in scale(low, high, log=log).ticks()]
    assert texts in choices


def test_a_single_value_stands_in_the_middle() -> None:
    for log, value in ((False, 7.0), (False, 0.0), (True, 7.0), (False, 1e15)):
        assert Axis(title="", log=log).around([value]).part(value) == pytest.approx(0.5)


def test_an_axis_without_values_has_ticks() -> None:
    for log in (False, True):
        assert list(Axis(title="", log=log).around([]).ticks())


def test_ends_that_are_given_are_kept() -> None:
    around = Axis(title="", low=0, high=1).around([0.2, 0.9])
    assert (around.low, around.high) == (0, 1)


def test_equal_factors_are_equally_long() -> None:
    axis = scale(1, 1000, log=True)
    assert [axis.part(x) for x in (1, 10, 100, 1000)] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert axis.value(axis.part(42.0)) == pytest.approx(42)
