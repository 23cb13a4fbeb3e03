"""Print how often 95 % intervals cover the mean of skewed values, for docs/concepts/methodology.md.

Usage: python benchmarks/intervals.py [SAMPLES]
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.stats import bootstrap

from ringyard.analysis.intervals import mean_above, student
from ringyard.analysis.tables import Table, columns_of, to_markdown

Draw = Callable[[np.random.Generator, int], np.ndarray]

DRAWN: dict[str, tuple[Draw, float]] = {
    "exponential": (lambda rng, n: rng.exponential(1, n), 1),
    "exponential, half of them 0": (
        lambda rng, n: rng.exponential(1, n) * (rng.random(n) < 0.5),
        0.5,
    ),
    "lognormal, sigma = 1": (lambda rng, n: rng.lognormal(0, 1, n), float(np.exp(0.5))),
    "uniform": (lambda rng, n: rng.uniform(0, 1, n), 0.5),
}
"""Draws of values that are at least 0, and their mean."""

SIZES = (3, 5, 10, 30)


def covered(draw: Draw, mean: float, count: int, samples: int) -> Iterator[float]:
    """Yield the part of samples whose interval covers the mean, for each kind of interval."""
    rng = np.random.default_rng(count)
    drawn = [draw(rng, count).tolist() for _ in range(samples)]
    for make in (
        student,
        lambda values: mean_above(values, 0),
        lambda values: _bootstrap(values, "percentile", rng),
        lambda values: _bootstrap(values, "BCa" if len(set(values)) > 1 else "percentile", rng),
    ):
        yield sum(one.low <= mean <= one.high for one in map(make, drawn)) / samples


def _bootstrap(values: list[float], method: str, rng: np.random.Generator) -> Any:
    """Return SciPy's interval of the mean; BCa has none if all values are equal."""
    found = bootstrap((values,), np.mean, n_resamples=500, method=method, rng=rng)
    return found.confidence_interval


def main(samples: int = 1000) -> None:
    """Print the table."""
    heads = {"values": None, "n": 0, "Student's": 2, "on the logarithm": 2}
    heads |= {"percentile bootstrap": 2, "BCa bootstrap": 2}
    rows = tuple(
        (name, n, *covered(draw, mean, n, samples))
        for name, (draw, mean) in DRAWN.items()
        for n in SIZES
    )
    table = Table(caption="Coverage", columns=columns_of(heads), rows=rows)
    sys.stdout.write(to_markdown(table))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
