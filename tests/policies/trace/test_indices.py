"""Gittins indices against their definitions in fractions, and against the paper's figure."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from ringyard.policies.trace.tiresias import Ahead, Figure20, Gittins, ReleasedIndex, ReleasedTable

EXAMPLE = (4, 8, 12)
"""GPU-time of the jobs of the worked example."""

DEFINED = "1/8 1/7 1/6 1/3 1/6 1/5 1/4 1/2 1/4 1/3 1/2 1"
PLOTTED = (0.25, 0.278, 0.375, 0.75, 0.2, 0.235, 0.333, 0.667, 0.125, 0.167, 0.25, 0.5)
"""What figure 20 of the paper shows, measured in its drawing; within 0.003."""

SLIDES = "9/36 9/32 9/24 3/4 4/20 4/17 2/6 2/3 1/8 1/6 1/4 1/2"


def law(*amounts: float) -> np.ndarray:
    return np.array(sorted(amounts), dtype=np.float64)


def drawn(seed: int) -> tuple[list[int], list[Fraction]]:
    """Return the amounts of a law, and services to ask for, some of them amounts."""
    rng = Random(seed)
    amounts = sorted(rng.choices(range(1, 60), k=rng.randint(1, 25)))
    return amounts, [Fraction(a, 2) for a in range(0, 2 * amounts[-1])]


def within(amounts: list[int], a: Fraction, ahead: Fraction) -> Fraction:
    """Return the chance to end within `ahead` over the mean service until then."""
    rest = [amount - a for amount in amounts if amount > a]
    return sum(r <= ahead for r in rest) / Fraction(sum(min(r, ahead) for r in rest))


def test_the_values_of_the_definition() -> None:
    index = Gittins(law(*EXAMPLE))
    expected = [float(Fraction(value)) for value in DEFINED.split()]
    assert [index.at(a) for a in range(12)] == expected


def test_the_values_of_the_figure() -> None:
    index = Figure20(law(*EXAMPLE))
    values = [index.at(a) for a in range(12)]
    assert values == pytest.approx(PLOTTED, abs=0.0035)
    assert values == pytest.approx([float(Fraction(value)) for value in SLIDES.split()])


@pytest.mark.parametrize("seed", range(12))
def test_the_index_is_the_best_of_all_choices(seed: int) -> None:
    amounts, services = drawn(seed)
    index = Gittins(law(*amounts))
    for a in services:
        best = max(within(amounts, a, amount - a) for amount in amounts if amount > a)
        assert index.at(float(a)) == pytest.approx(float(best), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_index_ahead(seed: int) -> None:
    amounts, services = drawn(seed)
    for ahead in (3, 17, 100):
        index = Ahead(law(*amounts), ahead)
        for a in services:
            expected = within(amounts, a, Fraction(ahead))
            assert index.at(float(a)) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_index_of_the_public_simulator(seed: int) -> None:
    amounts, services = drawn(seed)
    for ahead in (3, 17, 100):
        index = ReleasedIndex(law(*amounts), ahead)
        for a in (a for a in services if a <= amounts[-1] - 1):
            rest = [amount for amount in amounts if amount > a]
            near = [amount for amount in rest if amount <= a + ahead]
            if a + ahead > amounts[-1] - 1:
                near = rest[:-1]
            spent = sum(near) + ahead * (len(rest) - len(near))
            assert index.at(float(a)) == pytest.approx(len(near) / spent, rel=1e-12)


def test_the_table_of_the_public_simulator_rounds_down_what_jobs_take() -> None:
    """Two of 100, 201 and 9000 end within 3250 s, and all take 3551 / 3 s: 1183 in Python 2."""
    assert ReleasedTable(law(100, 201, 9000), 3250).at(0) == round(666670 / 1183, 4)


@pytest.mark.parametrize(
    "index", [Gittins, Figure20, lambda s: Ahead(s, 5), lambda s: ReleasedIndex(s, 5)]
)
def test_nothing_is_known_of_jobs_longer_than_all(index: type[Gittins]) -> None:
    assert index(law(*EXAMPLE)).at(12) == index(law(*EXAMPLE)).at(50) == 0.0


def test_many_amounts_are_no_trouble() -> None:
    """A tree of hulls, not a table of all pairs: 100,000 amounts in a moment."""
    amounts = np.random.default_rng(0).lognormal(8, 2, 100_000)
    index = Gittins(amounts)
    services = np.quantile(amounts, np.linspace(0, 0.999, 50))
    beyond = [np.sort(amounts[amounts > a]) for a in services]
    for a, rest in zip(services, beyond, strict=True):
        spent = np.cumsum(rest - a) + (rest - a) * (rest.size - 1 - np.arange(rest.size))
        best = np.max((1 + np.arange(rest.size)) / spent)
        assert index.at(float(a)) == pytest.approx(best, rel=1e-9)
