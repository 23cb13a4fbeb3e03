"""Bootstrap intervals: against SciPy, by coverage, in clusters, and where nothing follows."""

from math import inf
from statistics import fmean, median

import numpy as np
import pytest
from stats_rows import run

from ringyard.analysis.stats.bootstrap import bca_interval, bootstrap, percentile_interval
from ringyard.instances.errors import InputError

VALUES = [float(v) for v in np.random.default_rng(5).lognormal(size=30)]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("statistic", [np.mean, np.median, np.std])
def test_from_the_same_resamples_it_is_scipys(statistic: object) -> None:
    from scipy.stats import bootstrap as scipys

    of = statistic if callable(statistic) else np.mean
    for method in ("BCa", "percentile"):
        expected = scipys((VALUES,), of, n_resamples=500, method=method, rng=rng())
        found = expected.bootstrap_distribution
        rest = [float(of(VALUES[:i] + VALUES[i + 1 :])) for i in range(len(VALUES))]
        ends = (
            bca_interval(float(of(VALUES)), found, rest)
            if method == "BCa"
            else percentile_interval(found)
        )
        assert ends == pytest.approx(tuple(expected.confidence_interval), rel=1e-9)


def test_our_resamples_give_about_the_same() -> None:
    from scipy.stats import bootstrap as scipys

    expected = scipys((VALUES,), np.mean, n_resamples=4000, rng=rng(1)).confidence_interval
    found = bootstrap(VALUES, fmean, rng(2), resamples=4000)
    width = expected.high - expected.low
    assert found.low == pytest.approx(expected.low, abs=0.08 * width)
    assert found.high == pytest.approx(expected.high, abs=0.08 * width)
    assert (found.value, found.clusters) == (fmean(VALUES), 30)


def test_the_generator_decides() -> None:
    one, same, other = (bootstrap(VALUES, median, rng(seed), resamples=200) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_the_mean_is_covered_about_as_often_as_promised() -> None:
    draw, covered = rng(3), 0
    for _ in range(300):
        found = bootstrap(list(draw.normal(5, 1, 25)), fmean, draw, level=0.9, resamples=300)
        covered += found.low <= 5 <= found.high
    # About 0.88 for 25 normal values; four standard deviations of 300 draws are 0.075.
    assert 0.88 - 0.075 <= covered / 300 <= 0.9 + 0.075


def test_seeds_of_an_instance_are_drawn_together() -> None:
    # Ten instances, each with twenty equal runs: as sure as ten values, not as two hundred.
    rows = [run(instance=str(i), seed=s, seconds=VALUES[i]) for i in range(10) for s in range(20)]

    def mean(some: list[dict[str, object]]) -> float:
        return fmean(float(str(row["seconds"])) for row in some)

    by_instance = bootstrap(rows, mean, rng(), clusters=[row["digest"] for row in rows])
    alone = bootstrap(VALUES[:10], fmean, rng())
    assert by_instance.clusters == 10
    assert (by_instance.low, by_instance.high) == pytest.approx((alone.low, alone.high))
    naive = bootstrap(rows, mean, rng(), resamples=300)
    assert naive.high - naive.low < 0.5 * (by_instance.high - by_instance.low)


def test_one_cluster_says_nothing() -> None:
    found = bootstrap([1.0, 2.0, 3.0], fmean, rng(), clusters=["i"] * 3)
    assert (found.value, found.low, found.high, found.bounded) == (2, -inf, inf, False)


@pytest.mark.parametrize("kind", ["bca", "percentile"])
def test_equal_values_leave_no_doubt(kind: str) -> None:
    found = bootstrap([4.0] * 5, fmean, rng(), kind="bca" if kind == "bca" else "percentile")
    assert (found.low, found.value, found.high, found.bounded) == (4, 4, 4, True)


def test_where_the_correction_has_no_sense_it_is_refused() -> None:
    with pytest.raises(InputError, match="take the percentile interval"):
        bca_interval(9.0, [1.0, 2.0], [8.0, 10.0])


def test_no_statistic_may_be_infinite() -> None:
    with pytest.raises(InputError, match="a finite number"):
        bootstrap(VALUES, lambda some: inf, rng(), resamples=10)


def test_nothing_is_drawn_from_nothing() -> None:
    with pytest.raises(InputError, match="nothing to draw"):
        bootstrap([], fmean, rng())
    with pytest.raises(ValueError, match="argument"):
        bootstrap([1.0, 2.0], fmean, rng(), clusters=["i"])
