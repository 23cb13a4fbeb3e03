"""How close the bounds of the `online` family come to the offline optimum, on small instances.

Run ``python benchmarks/online_bounds.py [--seeds 10] [--seconds 10]``. For every seed of
`pdors-small` it prints the optimum of the offline program (by HiGHS), and as parts of it, how far
above it each bound is: the best that counts, the linear relaxation of the offline program, and
the bound of prices, once with envelopes only and once with tables.
"""

import argparse
from dataclasses import dataclass

import numpy as np

from ringyard.formulations.online import offline
from ringyard.formulations.solve import program_of, solve
from ringyard.formulations.stated import relaxed
from ringyard.instances import Left, Limits, OnlineInstance
from ringyard.instances.generate import generate
from ringyard.search.online import asks
from ringyard.search.online.bounds import combinatorial_bounds
from ringyard.search.online.dual_bound import dual_bound


@dataclass(frozen=True, slots=True)
class Row:
    """The optimum of an instance, and bounds on it."""

    optimum: float
    bounds: tuple[float, ...]

    @property
    def gaps(self) -> tuple[float, ...]:
        """How far the bounds are above the optimum, in parts of it."""
        return tuple(bound / self.optimum - 1 for bound in self.bounds)


def measured(instance: OnlineInstance, seconds: float) -> Row:
    """Return all bounds of an instance."""
    program = program_of(offline.build(instance))
    solution, linear = solve(program), solve(relaxed(program))
    assert solution.left is Left.OPTIMAL
    assert solution.value is not None
    assert linear.value is not None
    counted = float(min(bound.value for bound in combinatorial_bounds(instance)))
    priced = [_priced(instance, seconds, states) for states in (0, asks.MOST_STATES)]
    return Row(-solution.value, (counted, -linear.value, *priced))


def _priced(instance: OnlineInstance, seconds: float, states: int) -> float:
    usual = asks.MOST_STATES
    asks.MOST_STATES = states
    try:
        return float(dual_bound(instance, Limits(time_s=seconds)).value)
    finally:
        asks.MOST_STATES = usual


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    print("seed   optimum  counting  relaxation  envelopes   tables")
    gaps = []
    for seed in range(options.seeds):
        row = measured(generate("pdors-small", seed=seed), options.seconds)
        gaps.append(row.gaps)
        counted, linear, weak, strong = (f"{gap:.2%}" for gap in row.gaps)
        print(f"{seed:4} {row.optimum:9.3f} {counted:>9} {linear:>11} {weak:>10} {strong:>8}")
    counted, linear, weak, strong = (f"{gap:.2%}" for gap in np.mean(gaps, axis=0))
    print(f"mean           {counted:>9} {linear:>11} {weak:>10} {strong:>8}")


if __name__ == "__main__":
    main()
