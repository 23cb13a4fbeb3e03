"""Gavel's own simulator beside the method `gavel`: how far do means and ends lie apart?

    python benchmarks/public_gavel.py CHECKOUT PYTHON [--solver ECOS] [--whole] [--seeds 3]
    python benchmarks/public_gavel.py CHECKOUT PYTHON --programs

CHECKOUT is https://github.com/stanford-futuredata/gavel, PYTHON one that has `numpy`, `scipy`,
`psutil`, `cvxpy` and `ecos` (and `scs` for `--solver SCS`). Traces are made by Gavel's own
`generate_trace.py`; the same jobs are imported with `--across none`, on GPUs of one kind and of
three. It prints the comparison that docs/reference/trace-rules.md sums up, in some minutes. With
`--whole` jobs take whole hours. `--programs` compares the optimum of each program of a run on three
kinds instead.
"""

# ruff: noqa: T201

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ringyard.analysis.check import check
from ringyard.formulations.trace.shares import (
    SharedCluster,
    TimeClaims,
    least_level,
    valued_shares,
)
from ringyard.instances import Limits, TraceInstance
from ringyard.instances.importers import ImportChoices, read_trace
from ringyard.instances.importers.clusters import GAVEL_KINDS
from ringyard.instances.importers.gavel import KEY
from ringyard.methods import find_method

DRIVER = Path(__file__).with_name("public_gavel_driver.py")
SPEEDS = "scheduler/simulation_throughputs.json"
PRICES = {"v100": 0.74, "p100": 0.43, "k80": 0.135}
"""Prices in dollars per hour on GCP, as in Gavel's `utils.py`."""

ALIKE = {
    "max_min_fairness": "shares=las:kinds=alike",
    "finish_time_fairness": "shares=fairness:kinds=alike",
    "min_total_duration": "shares=duration:kinds=alike",
}
KNOWN = {
    "fifo_perf": "shares=fifo",
    "max_min_fairness_perf": "shares=las",
    "finish_time_fairness_perf": "shares=fairness",
    "min_total_duration_perf": "shares=duration",
    "max_sum_throughput_perf": "shares=throughput",
    "max_sum_throughput_normalized_by_cost_perf": f"shares=cost:prices={json.dumps(PRICES)}",
}
ONE = {
    "fifo_perf": "shares=fifo",
    "max_min_fairness": "shares=las",
    "finish_time_fairness": "shares=fairness",
}
"""Gavel's policies on GPUs of one kind, and their options here."""

TRACES = (
    (60, 1200, "7:0:0", (), ONE),
    (60, 1800, "8:0:0", ("-m",), ONE),
    (300, 600, "25:0:0", ("-m",), ONE),
    (60, 0, "8:8:8", ("-m",), KNOWN | ALIKE),
    (80, 1200, "4:4:4", (), KNOWN | ALIKE | {"allox": "allox"}),
    (80, 1200, "8:8:8", ("-m",), KNOWN | ALIKE),
)
"""Jobs, mean seconds between two, V100s, P100s and K80s, if jobs have several GPUs, policies."""
LENGTHS = ("-a", "0.5", "-b", "4.5", "-n", "997")
"""Hours: any number, where the usual ones are whole and end with a round, to a step."""


def main() -> None:
    """Compare, trace by trace."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("python")
    parser.add_argument("--solver", default="ECOS")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--programs", action="store_true")
    given = parser.parse_args()
    if given.programs:
        compare_programs(given)
        return
    lengths = () if given.whole else LENGTHS
    print(
        "| jobs | GPUs | seed | policy | mean there, s | here | last end there, s | here | ends |"
    )
    print("|--:|--:|--:|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "x.trace")
        for jobs, gap, gpus, more, policies in TRACES:
            for seed in range(given.seeds):
                options = ["--num_jobs", str(jobs), "--lam", str(gap), *lengths, *more]
                driven(given, "generate", "--seed", str(seed), *options, "--output_file", trace)
                for policy, rule in policies.items():
                    words = (trace, policy, gpus, given.solver, json.dumps(PRICES))
                    text = driven(given, "simulate", *words)
                    theirs = json.loads(text) if text else {}
                    row = compared(given.checkout, trace, gpus, rule, theirs)
                    print(f"| {jobs} | {gpus} | {seed} | `{policy}` | {row} |", flush=True)


def compare_programs(given: argparse.Namespace) -> None:
    """Print how far the optimum of each program lies above the value of Gavel's shares."""
    print("| policy | programs | least | mean | most |")
    print("|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "x.trace")
        driven(given, "generate", "--num_jobs", "60", *LENGTHS, "-m", "--output_file", trace)
        for policy in KNOWN:
            if policy != "fifo_perf":
                words = (trace, policy, "8:8:8", given.solver, json.dumps(PRICES))
                kept = json.loads(driven(given, "programs", *words))
                before: dict[int, tuple[float, float, float]] = {}
                more = [100 * (better(policy, one, before) - 1) for one in kept]
                cells = (f"{number:+.4f} %" for number in (min(more), np.mean(more), max(more)))
                print(f"| `{policy}` | {len(more)} | {' | '.join(cells)} |", flush=True)


def better(policy: str, program: Any, before: dict[int, tuple[float, float, float]]) -> float:
    """Return our optimum over the value of Gavel's shares.

    `before` has the seconds in private partitions, the steps left and the speed there, by job.
    """
    speeds, shares, room = (np.array(program[key], float) for key in ("speeds", "shares", "room"))
    gpus, *more = (np.array(one) for one in program["lists"])
    shared, zeros = SharedCluster(speeds, gpus, room), np.zeros(len(gpus))
    if "throughput" in policy:
        prices = np.array([PRICES[kind] for kind in sorted(PRICES)])
        values = speeds / prices if "cost" in policy else speeds
        return float((valued_shares(shared, values) * values).sum() / (shares * values).sum())
    if policy == "min_total_duration_perf":
        claims = TimeClaims(more[0], zeros + 1, zeros)
    elif policy == "max_min_fairness_perf":
        claims = TimeClaims(speeds @ (room / room.sum()), gpus, zeros)
    else:
        age, left, parts = more[1], more[2], room / len(gpus) / gpus[:, None]
        alone = (speeds * parts).sum(axis=1) / np.maximum(1, parts.sum(axis=1))
        for job, steps_left, speed in zip(program["jobs"], left, alone, strict=True):
            spent, was, slow = before.get(job, (0.0, steps_left, speed))
            before[job] = spent + (was - steps_left) / slow, steps_left, speed
        spent_by = np.array([before[job][0] for job in program["jobs"]])
        claims = TimeClaims(left, spent_by + left / alone, age)
    rates = (speeds * shares).sum(axis=1)
    theirs = ((claims.work / rates + claims.age) / claims.alone).max()
    return float(theirs / least_level(shared, claims))


def driven(given: argparse.Namespace, *words: str | Path) -> str:
    """Return what Gavel's code prints, or nothing if its solver fails."""
    command = [given.python, "-W", "ignore", DRIVER, given.checkout, *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode and "SolverError" not in done.stderr:
        raise RuntimeError(done.stderr)
    return done.stdout


def compared(
    checkout: Path, trace: Path, gpus: str, rule: str, theirs: dict[str, float | None]
) -> str:
    """Run our method, and return the cells; jobs that failed there are left out."""
    sizes = zip(GAVEL_KINDS, gpus.split(":"), strict=True)
    instance: TraceInstance = read_trace(
        "gavel",
        trace,
        ImportChoices(name="x", keep_arrivals=True),
        servers=",".join(f"1x{size}:{kind}" for kind, size in sizes if size != "0"),
        throughputs=checkout / SPEEDS,
        across="none",
    ).instance
    rule = rule if rule.startswith("allox") else f"gavel:{rule}"
    method = find_method(f"{rule}:steps={json.dumps(steps(checkout))}", "trace")
    ours = check(instance, method.run(instance, Limits(), np.random.default_rng(0)).schedule).ends
    came = {job.name: float(job.arrival_s) for job in instance.jobs}
    ended = {name: end for name, end in theirs.items() if end is not None}
    if not ended:
        return f"its solver fails | {max(map(float, ours.values())):,.0f} | | |"
    took = [(end - came[name], float(ours[name]) - came[name]) for name, end in ended.items()]
    means = (sum(pair[k] for pair in took) / len(took) for k in range(2))
    lasts = max(ended.values()), max(float(ours[name]) for name in ended)
    near = sum(abs(b / a - 1) <= 0.01 for a, b in took)
    cells = [f"{a:,.0f} | {100 * (b / a - 1):+.2f} %" for a, b in (tuple(means), lasts)]
    return f"{' | '.join(cells)} | {near} of {len(took)}"


def steps(checkout: Path) -> dict[str, float]:
    """Return the seconds of a step by model and GPUs."""
    speeds = json.loads((checkout / SPEEDS).read_text(encoding="utf-8"))["v100"]
    known = {KEY.fullmatch(key): row["null"] for key, row in speeds.items()}
    return {f"{key[1]}@{key[2]}": round(1 / v, 9) for key, v in known.items() if key and v > 0}


if __name__ == "__main__":
    main()
