"""The signed-rank test against all sign patterns, against SciPy, and by hand."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringyard.analysis.stats.comparisons import holm, signed_rank
from ringyard.instances.errors import InputError

WHOLE = st.lists(st.integers(-5, 5), min_size=1, max_size=9)


def by_patterns(differences: list[int]) -> tuple[float, float]:
    """Return the sum of positive ranks, and p by counting all sign patterns."""
    sizes = [abs(d) for d in differences]
    ranks = [sum(s < x for s in sizes) + (sum(s == x for s in sizes) + 1) / 2 for x in sizes]
    there = [rank for rank, d in zip(ranks, differences, strict=True) if d]
    plus = sum(rank for rank, d in zip(ranks, differences, strict=True) if d > 0)
    patterns = list(product((0, 1), repeat=len(there)))
    sums = [sum(r for r, sign in zip(there, signs, strict=True) if sign) for signs in patterns]
    tails = (sum(s <= plus for s in sums), sum(s >= plus for s in sums))
    return plus, min(1, 2 * min(tails) / len(patterns))


@given(WHOLE)
def test_it_is_the_count_of_all_sign_patterns(differences: list[int]) -> None:
    plus, p = by_patterns(differences)
    found = signed_rank(differences)
    assert (found.plus, found.p) == (plus, pytest.approx(p, abs=1e-12))
    assert found.exact


def test_twelve_differences_with_ties_and_a_zero() -> None:
    differences = [3, -1, 4, -1, 5, 9, 2, -6, 5, 3, 0, -8]
    assert signed_rank(differences).p == pytest.approx(by_patterns(differences)[1], abs=1e-12)


def test_ranks_and_p_are_those_worked_out_by_hand() -> None:
    # Ranks: 0 has 1 and drops out, 1 and -1 share 2.5, 3 has 4. Of 8 patterns only 2.5 of the
    # negative one or less: none, one 2.5, the other: 3 of 8, twice.
    found = signed_rank([0, 1, -1, 3])
    assert (found.plus, found.minus, found.zeros, found.count) == (6.5, 2.5, 1, 4)
    assert found.p == 0.75
    assert found.effect == pytest.approx(4 / 9)


@pytest.mark.parametrize("size", [5, 20, 45])
def test_it_is_scipys_where_that_is_exact(size: int) -> None:
    from scipy.stats import wilcoxon

    differences = np.random.default_rng(size).normal(0.3, size=size)
    expected = wilcoxon(differences, method="exact").pvalue
    assert signed_rank(differences).p == pytest.approx(expected, rel=1e-9)


def test_beyond_it_is_scipys_normal_one_with_ties_and_zeros() -> None:
    from scipy.stats import wilcoxon

    differences = np.random.default_rng(1).integers(-4, 6, size=300)
    expected = wilcoxon(differences, zero_method="pratt", method="asymptotic").pvalue
    found = signed_rank(differences)
    assert not found.exact
    assert found.p == pytest.approx(expected, rel=1e-9)


def test_both_ways_to_p_agree_at_their_border() -> None:
    differences = np.random.default_rng(2).normal(0.1, size=200)
    exact, normal = (signed_rank(differences, exact=most) for most in (200, 199))
    assert (exact.exact, normal.exact) == (True, False)
    assert exact.p == pytest.approx(normal.p, abs=2e-3)


@given(WHOLE)
def test_the_other_way_round_only_the_sign_changes(differences: list[int]) -> None:
    there, back = signed_rank(differences), signed_rank([-d for d in differences])
    assert (there.p, there.effect) == (back.p, -back.effect)


def test_rounding_does_not_undo_ties() -> None:
    # 0.3 - 0.2 and 0.1 differ in their last digit only.
    assert signed_rank([0.3 - 0.2, -0.1]).effect == 0


def test_equal_values_say_nothing() -> None:
    found = signed_rank([0.0] * 5)
    assert (found.p, found.effect, found.zeros) == (1, 0, 5)


def test_no_difference_is_infinite() -> None:
    with pytest.raises(InputError, match=r"values\[1\]"):
        signed_rank([1, float("inf")])


def test_under_chance_small_p_are_as_rare_as_they_say() -> None:
    rng = np.random.default_rng(0)
    rejected = sum(signed_rank(rng.normal(size=10)).p <= 0.05 for _ in range(1000))
    # Exact and discrete: at most 5 %; four standard deviations of 1000 draws are 28.
    assert 20 <= rejected <= 78


def test_holm_by_hand() -> None:
    # 3 x 0.01; 2 x 0.02; the last at least as large as the one before.
    assert holm([0.02, 0.01, 0.03]) == [0.04, 0.03, 0.04]
    assert holm([0.5, 0.6]) == [1, 1]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_lies_between_p_and_bonferroni_and_keeps_the_order(chances: list[float]) -> None:
    adjusted, count = holm(chances), len(chances)
    assert all(p <= a <= min(1, count * p) for p, a in zip(chances, adjusted, strict=True))
    assert [a for _, a in sorted(zip(chances, adjusted, strict=True))] == sorted(adjusted)
