"""Check the walk over demands against HiGHS on many random slots, degenerate ones included.

    python benchmarks/slot_agreement.py [COUNT] [SEED]

HiGHS solves the relaxation with tolerances of 1e-10. Costs must agree to 1e-9, and so must what
fits. Where they do not, exact fractions settle it: prices prove that no plan costs less,
or that a demand does not fit. Prints a line for each case that HiGHS got wrong, or ours (exit
code 1), and how many were compared (10,000 if no count is given).
"""

# ruff: noqa: T201

import sys
from collections import Counter
from math import inf, isclose
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import slot_exact
from slot_cases import FAMILIES, slot_case

from ringyard.formulations.adapters.highs import end_of, load, solve_model
from ringyard.formulations.online.slot_program import SlotData, twin
from ringyard.instances import SolutionStatus
from ringyard.policies.online.curve import CheapestPoint, lp_polygons, plans

NEAR, ROUNDING = 1e-9, 1e-14
"""Costs are equal that differ by less than this part of them, or, as a cost of zero has no parts,
by less than this part of the dearest demand."""


def by_highs(data: SlotData) -> float:
    """Return the least cost as HiGHS finds it, infinite if it finds that nothing fits."""
    model = load(twin(data))
    columns = 2 * len(data.worker_cost)
    everything = np.arange(columns, dtype=np.int32)
    model.changeColsIntegrality(columns, everything, np.zeros(columns, np.uint8))
    for tolerance in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        model.setOptionValue(tolerance, 1e-10)
    solve_model(model)
    left = end_of(model)
    if left is SolutionStatus.INFEASIBLE:
        return inf
    return model.getInfo().objective_function_value if left is SolutionStatus.OPTIMAL else np.nan


def by_walk(data: SlotData) -> CheapestPoint | None:
    """Return the plan at the end of the walk."""
    most = data.most_workers, data.most_workers / data.workers_per_server
    polygons = lp_polygons(data.capacity, data.worker, data.server, *most)
    costs = data.worker_cost, data.server_cost
    return plans(
        *costs, polygons, data.workers_per_server, data.most_workers, [data.least_workers]
    )[0]


def equal(data: SlotData, cost: float, other: float) -> bool:
    """Return True if two costs agree."""
    dearest = data.worker_cost.max() + data.server_cost.max() / data.workers_per_server
    rounding = ROUNDING * data.least_workers * dearest
    return isclose(cost, other, rel_tol=NEAR, abs_tol=rounding)


def proved(data: SlotData, plan: CheapestPoint | None) -> bool:
    """Return True if exact fractions prove what the walk found."""
    polygons = [slot_exact.corners(data, h) for h in range(len(data.worker_cost))]
    demand = data.least_workers
    if plan is None:
        return bool(slot_exact.most(data, polygons) < demand)
    workers, servers = np.zeros((2, len(polygons)))
    workers[plan.machine], servers[plan.machine] = plan.workers, plan.servers
    prices = plan.worker_price, plan.server_price
    low = slot_exact.bound(data, polygons, demand, prices)
    exact = slot_exact.cost(data, workers, servers)
    near = equal(data, float(exact), float(low)) and equal(data, float(exact), plan.cost)
    return bool(near and slot_exact.breach(data, demand, workers, servers) <= NEAR)


def compare(count: int, seed: int) -> bool:
    """Compare the given number of cases and say whether ours was right in all."""
    rng = np.random.default_rng(seed)
    seen: Counter[str] = Counter()
    worst = 0.0
    for k in range(count):
        data = slot_case(rng)
        plan, theirs = by_walk(data), by_highs(data)
        ours = inf if plan is None else plan.cost
        seen["do not fit" if plan is None else "fit"] += 1
        if equal(data, ours, theirs):
            worst = max(worst, abs(ours / theirs - 1) if 0 < theirs < inf else 0.0)
            continue
        right = proved(data, plan)
        seen["settled in fractions" if right else "wrong"] += 1
        verdict = "ours is proved" if right else "OURS IS NOT PROVED"
        print(f"case {k}: {ours!r} by the walk, {theirs!r} by HiGHS; {verdict}")
    print(f"{count} cases of {len(FAMILIES)} families, seed {seed}: {dict(seen)}")
    print(f"largest difference among those that agree: {worst:.1e}")
    return not seen["wrong"]


if __name__ == "__main__":
    count, seed = (int(word) for word in (sys.argv[1:] + ["10000", "0"][len(sys.argv) - 1 :])[:2])
    sys.exit(not compare(count, seed))
