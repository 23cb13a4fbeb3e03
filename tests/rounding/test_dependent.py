"""Dependent rounding: the sum is kept, means are exact, columns are negatively correlated."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rounding.mixed_programs import Floats

from ringyard.analysis.intervals import clopper_pearson
from ringyard.rounding.gain import chosen_gain
from ringyard.rounding.program import Widths
from ringyard.rounding.randomized import duels, round_dependently

PARTS = st.lists(st.integers(1, 19).map(lambda n: n / 20), min_size=1, max_size=7).map(np.array)


def outcomes(fractions: Floats) -> dict[tuple[int, ...], float]:
    """Return the exact distribution, by walking through both ends of every duel."""
    meetings, left = duels(fractions)
    found: dict[tuple[int, ...], float] = {}
    for ends in product([True, False], repeat=len(meetings) + 1):
        ups, carrier, chance = [0] * fractions.size, 0, 1.0
        for duel, newcomer_settled in zip(meetings, ends, strict=False):
            chance *= duel.settled if newcomer_settled else 1 - duel.settled
            ups[duel.newcomer if newcomer_settled else carrier] = int(duel.up)
            carrier = carrier if newcomer_settled else duel.newcomer
        ups[carrier] = int(ends[-1])
        chance *= left if ends[-1] else 1 - left
        found[tuple(ups)] = found.get(tuple(ups), 0.0) + chance
    return found


@given(PARTS)
def test_means_are_exact(fractions: Floats) -> None:
    found = outcomes(fractions)
    assert sum(found.values()) == pytest.approx(1)
    means = sum(chance * np.array(ups) for ups, chance in found.items())
    assert means == pytest.approx(fractions)


@given(PARTS)
def test_every_set_goes_together_at_most_as_often_as_if_independent(fractions: Floats) -> None:
    found = outcomes(fractions)
    for size in range(2, fractions.size + 1):
        for some in combinations(range(fractions.size), size):
            part = fractions[list(some)]
            up = sum(chance for ups, chance in found.items() if all(ups[i] for i in some))
            down = sum(chance for ups, chance in found.items() if not any(ups[i] for i in some))
            assert up <= part.prod() + 1e-12
            assert down <= (1 - part).prod() + 1e-12


@given(PARTS, st.sampled_from([0.5, 0.1]), st.data())
def test_rows_fail_as_rarely_as_under_independent_rounding(
    fractions: Floats, delta: float, data: st.DataObject
) -> None:
    weights = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=7, max_size=7)
    row = np.array(data.draw(weights))[: fractions.size]
    mean = float(row @ fractions)
    widths = Widths(cover=mean, packing=mean, cover_rows=1, packing_rows=1)
    assume(mean)
    gain = chosen_gain(widths, delta, 1.0)
    found = [(row @ np.array(ups), chance) for ups, chance in outcomes(fractions).items()]
    assert sum(p for value, p in found if value > gain.packing * mean + 1e-9) <= delta / 3
    assert sum(p for value, p in found if value < gain.cover * mean - 1e-9) <= delta / 3


@given(PARTS)
def test_the_sum_is_rounded_up_or_down_and_a_whole_one_kept(fractions: Floats) -> None:
    point = fractions + np.arange(fractions.size)
    block = round_dependently(point, 50, np.random.default_rng(0))
    sums = block.values(np.ones(point.size))
    assert (np.abs(sums - point.sum()) < 1 - 1e-9).all()


def test_draws_come_as_often_as_they_should() -> None:
    fractions, draws = np.array([0.3, 0.45, 0.9, 0.15, 0.6]), 100_000
    block = round_dependently(fractions, draws, np.random.default_rng(2))
    for ups, chance in outcomes(fractions).items():
        seen = int((block.ups == np.array(ups, dtype=bool)).all(axis=1).sum())
        low, high = clopper_pearson(seen, draws, 0.9999)
        assert low <= chance + 1e-12
        assert high >= chance - 1e-12


def test_only_the_group_keeps_its_sum() -> None:
    point = np.array([0.5, 0.25, 0.5, 0.75, 2.5])
    block = round_dependently(point, 2000, np.random.default_rng(4), group=[1, 3, 4, 2])
    assert (block.values(np.array([0, 1.0, 1, 1, 1])) == 4).all()
    assert set(block.values(np.ones(5))) == {4, 5}


@pytest.mark.parametrize("rng", [0.0, 1 - 1e-12])
def test_a_solvers_noise_does_not_break_a_whole_sum(rng: float) -> None:
    class Always:
        """A generator that always says the same."""

        def random(self, size: Any) -> Floats:
            return np.full(size, rng)

    always: Any = Always()
    for noise in (1e-8, -1e-8):
        block = round_dependently(np.array([0.3, 0.3, 0.4 + noise]), 1, always)
        assert block.ups.sum() == 1


def test_a_whole_point_is_kept() -> None:
    block = round_dependently(np.array([1.0, 4.0]), 3, np.random.default_rng(0))
    assert block.point(2).tolist() == [1, 4]
