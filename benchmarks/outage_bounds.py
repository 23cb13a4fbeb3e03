"""Measure how much worse than its bound a policy looks if bounds ignore outages.

    python benchmarks/outage_bounds.py [SEEDS]

Prints, for several mean times between failures, means over the seeds: the part of the capacity that
is out of service until the last end, and the gap between srsf and the best bound that counts.
"""

# ruff: noqa: T201

import sys
from dataclasses import replace
from decimal import Decimal
from statistics import fmean
from typing import Any

from ringyard.instances import TraceInstance
from ringyard.instances.generate import generate
from ringyard.run import solve
from ringyard.search.trace.bounds import combinatorial_bounds

HOUR_S = 3600


def out_of_service(instance: TraceInstance, end: float) -> float:
    """Return the part of all GPU-time until an end that outages take."""
    gpus = {server.name: server.gpus for server in instance.servers}
    lost = sum(
        gpus[one.server] * max(0.0, min(float(one.until_s), end) - float(one.from_s))
        for one in instance.outages
    )
    return lost / (instance.gpus * end)


def measured(seed: int, hours: int | None) -> tuple[float, float]:
    """Return the part that is out, and the mean completion time over its bound, less 1."""
    options: dict[str, Any] = {"jobs": 300, "most_s": Decimal(86_400)}
    if hours is not None:
        options |= {"mtbf_s": Decimal(hours * HOUR_S), "checkpoint_s": Decimal(1800)}
    instance = generate("philly", seed=seed, **options)
    verdict = solve(instance, "srsf").verdict
    bound = combinatorial_bounds(replace(instance, outages=()))[0]
    out = out_of_service(instance, float(max(verdict.ends.values())))
    return out, float(verdict.objective / bound.value) - 1


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for hours in (None, 720, 168, 48, 24):
        found = [measured(seed, hours) for seed in range(seeds)]
        out, gap = (100 * fmean(column) for column in zip(*found, strict=True))
        name = "no failures" if hours is None else f"a failure in {hours} h"
        print(f"{name}: {out:.1f} % of the capacity out, srsf {gap:.1f} % above its bound")
