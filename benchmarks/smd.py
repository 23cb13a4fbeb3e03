"""Check SMD's method against the exact one on random problems.

    python benchmarks/smd.py [--jobs 10 20 ..] [--seeds N] [--epsilon E] [--size K]

For each number of jobs, over the seeds 0 to N - 1, prints the utility as a part of the optimum
(mean and least) with SMD's rounding and with rounding down, the mean of the jobs' times over
their optima, and the mean of seconds. The optimum is that of enumeration and HiGHS.
"""

import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from statistics import fmean

from numpy.random import default_rng

from ringyard.analysis.tables import Cell, Column, Table, to_markdown
from ringyard.formulations.door.solve import NO_CAPS
from ringyard.formulations.online.smd_mix import draw_problem
from ringyard.instances import Limits
from ringyard.search.online.smd import ROUNDINGS, approximate, exact


def measure(jobs: int, seed: int, epsilon: float, size: int) -> list[tuple[float, float, float]]:
    """Return for each rounding the part of the optimum, the mean factor of times, and seconds."""
    problem = draw_problem(seed, jobs=jobs)
    best = exact(problem, NO_CAPS)
    numbers = []
    for rounding in ROUNDINGS:
        start, rng = time.perf_counter(), default_rng(seed)
        found = approximate(problem, rng, Limits(), epsilon=epsilon, size=size, rounding=rounding)
        seconds = time.perf_counter() - start
        pairs = zip(found.grants, best.grants, strict=True)
        longer = fmean(one.time_ms / other.time_ms for one, other in pairs)
        numbers.append((found.utility / best.utility, longer, seconds))
    return numbers


def row(jobs: int, measured: list[list[tuple[float, float, float]]]) -> tuple[Cell, ...]:
    cells: list[Cell] = [jobs]
    for i in range(len(ROUNDINGS)):
        parts, longer, seconds = zip(*(numbers[i] for numbers in measured), strict=True)
        cells += [fmean(parts), min(parts), fmean(longer)]
    return (*cells, fmean(seconds))


def main() -> int:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, nargs="+", default=[10, 20, 30, 40, 50])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epsilon", type=float, default=0.2)
    parser.add_argument("--size", type=int, default=2)
    options = parser.parse_args()
    rows = []
    for jobs in options.jobs:
        seeds = range(options.seeds)
        measured = [measure(jobs, seed, options.epsilon, options.size) for seed in seeds]
        rows.append(row(jobs, measured))
    heads = [f"{rounding}: {head}" for rounding in ROUNDINGS for head in ("mean", "least", "times")]
    columns = tuple(Column(head=head, digits=3) for head in heads)
    jobs_column, seconds_column = Column(head="jobs"), Column(head="seconds", digits=1)
    caption = f"SMD's method over the optimum, {options.seeds} seeds"
    table = Table(
        caption=caption, columns=(jobs_column, *columns, seconds_column), rows=tuple(rows)
    )
    sys.stdout.write(to_markdown(table) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
