"""How close the bounds of the `online` family come to the offline optimum, on small instances.

    python benchmarks/online_bounds.py [--seeds N] [--seconds S]

For every seed of `pdors-small` it prints the optimum of the offline program (by HiGHS), and how far
above it each bound is, in parts of it: the best that counts, the linear relaxation of the offline
program, and the bound of prices after at most S seconds, with envelopes only, with tables, and
with tables at prices from column generation.
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from dataclasses import dataclass

import numpy as np

from ringyard.formulations.matrix import matrix_of, relaxed
from ringyard.formulations.online import offline
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import Limits, OnlineInstance, SolutionStatus
from ringyard.instances.generate import generate
from ringyard.policies.request import Request
from ringyard.search.online import column_generation, pricing
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
    program = matrix_of(offline.build(instance))
    solution, linear = solve(program), solve(relaxed(program))
    assert solution.status is SolutionStatus.OPTIMAL
    assert solution.value is not None
    assert linear.value is not None
    counted = float(min(bound.value for bound in combinatorial_bounds(instance)))
    priced = [_priced(instance, seconds, states) for states in (0, pricing.MOST_STATES)]
    rng = np.random.default_rng(0)
    generated = column_generation.run(
        instance, Request(limits=Limits(time_s=seconds), rng=rng)
    ).bound
    assert generated is not None
    bounds = counted, -linear.value, *priced, float(generated.value)
    return Row(-solution.value, bounds)


def _priced(instance: OnlineInstance, seconds: float, states: int) -> float:
    usual = pricing.MOST_STATES
    pricing.MOST_STATES = states
    try:
        return float(dual_bound(instance, Limits(time_s=seconds)).value)
    finally:
        pricing.MOST_STATES = usual


def line(name: str, optimum: str, gaps: tuple[float, ...]) -> None:
    """Print a row of the table."""
    cells = " | ".join(f"{100 * gap:.2f} %" for gap in gaps)
    sys.stdout.write(f"| {name} | {optimum} | {cells} |\n")
    sys.stdout.flush()


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    heads = "optimum", "counting", "relaxation of `offline`", "envelopes", "tables", "columns"
    sys.stdout.write(f"| seed | {' | '.join(heads)} |\n|---|---|---|---|---|---|---|\n")
    rows = []
    for seed in range(options.seeds):
        rows.append(measured(generate("pdors-small", seed=seed), options.seconds))
        line(str(seed), f"{rows[-1].optimum:.3f}", rows[-1].gaps)
    line("mean", "", tuple(np.mean([row.gaps for row in rows], axis=0)))


if __name__ == "__main__":
    main()
