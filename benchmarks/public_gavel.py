"""Gavel's own simulator beside the method `gavel`: how far do means and ends lie apart?

    python benchmarks/public_gavel.py CHECKOUT PYTHON [--solver ECOS] [--whole] [--seeds 3]
    python benchmarks/public_gavel.py CHECKOUT PYTHON [--ours] [--only min_total_duration_perf]
    python benchmarks/public_gavel.py CHECKOUT PYTHON --programs

CHECKOUT is https://github.com/stanford-futuredata/gavel, PYTHON one that has `numpy`, `scipy`,
`psutil`, `cvxpy` and `ecos` (and `scs` for `--solver SCS`). Traces are made by Gavel's own
`generate_trace.py`; the same jobs are imported with `--across none`, on GPUs of one kind and of
three. It prints the comparison that docs/reference/trace-rules.md sums up, in some minutes. With
`--whole` jobs take whole hours. With `--ours` its simulator has our shares in place of those of its
solvers. `--programs` compares the optimum of each program of a run on three kinds instead.
"""

# ruff: noqa: T201

import argparse
import json
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ringyard.analysis.check import check
from ringyard.formulations.trace.shares import (
    SharedCluster,
    TimeClaims,
    fair_shares,
    least_level,
    lexicographic_shares,
    valued_shares,
)
from ringyard.instances import Limits, TraceInstance
from ringyard.instances.importers import ImportChoices, read_trace
from ringyard.instances.importers.clusters import GAVEL_KINDS
from ringyard.instances.importers.gavel import KEY
from ringyard.methods import find_method
from ringyard.search.trace.gavel import partition_speeds

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
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--only", nargs="*", help="policies; without it, all")
    given = parser.parse_args()
    if given.programs:
        compare_programs(given)
        return
    lengths = () if given.whole else LENGTHS
    print(
        "| jobs | GPUs | seed | policy | mean there, s | here | last end there, s | here | ends |"
    )
    print("|--:|--:|--:|---|--:|--:|--:|--:|--:|")
    found: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "x.trace")
        for jobs, gap, gpus, more, policies in TRACES:
            for seed in range(given.seeds):
                options = ["--num_jobs", str(jobs), "--lam", str(gap), *lengths, *more]
                driven(given, "generate", "--seed", str(seed), *options, "--output_file", trace)
                for policy in [one for one in policies if not given.only or one in given.only]:
                    words = (trace, policy, gpus, given.solver, json.dumps(PRICES))
                    # `fifo_perf` and `allox` have no program.
                    own = given.ours and (
                        "fairness" in policy or "_sum" in policy or "dur" in policy
                    )
                    text = answered(given, *words) if own else driven(given, "simulate", *words)
                    theirs = json.loads(text) if text else {}
                    row, off = compared(given.checkout, trace, gpus, policies[policy], theirs)
                    found.setdefault(f"{jobs} | {gpus} | all | `{policy}`", []).extend(off)
                    print(f"| {jobs} | {gpus} | {seed} | `{policy}` | {row} |", flush=True)
    for name, offs in found.items():
        if offs:
            mean, last = (f"{100 * float(np.mean(one)):+.2f} %" for one in zip(*offs, strict=True))
            print(f"| {name} | | {mean} | | {last} | {len(offs)} seeds |")


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
                before: Before = {}
                more = [100 * (better(policy, one, before) - 1) for one in kept]
                cells = (f"{number:+.4f} %" for number in (min(more), np.mean(more), max(more)))
                print(f"| `{policy}` | {len(more)} | {' | '.join(cells)} |", flush=True)


Before = dict[int, tuple[float, float, float]]
"""The seconds in private partitions, the steps left and the speed there, by job."""


def better(policy: str, program: Any, before: Before) -> float:
    """Return our optimum over the value of Gavel's shares."""
    shared, shares = shared_of(program), np.array(program["shares"], float)
    if "throughput" in policy:
        values = values_of(policy, shared)
        return float((valued_shares(shared, values) * values).sum() / (shares * values).sum())
    claims = claims_of(policy, shared, program, before)
    rates = (shared.speeds * shares).sum(axis=1)
    theirs = ((claims.work / rates + claims.age) / claims.alone).max()
    return float(theirs / least_level(shared, claims))


def our_shares(policy: str, program: Any, before: Before) -> Any:
    """Return our shares for the data of one of Gavel's programs, by job and kind."""
    shared = shared_of(program)
    if "throughput" in policy:
        values = values_of(policy, shared)
        return valued_shares(shared, values / values.max())
    # Speeds relative to the V100, whose speeds all kinds have if they are alike.
    room, known, base = shared.room, policy.endswith("_perf"), shared.speeds[:, :1]
    if not known:
        shared = shared._replace(speeds=np.repeat(base, len(room), axis=1))
    claims = claims_of(policy, shared, program, before)
    claims, shared = (
        replace(claims, work=claims.work / base[:, 0]),
        shared._replace(speeds=shared.speeds / base),
    )
    if known or "duration" in policy:
        return fair_shares(shared, claims, least_level(shared, claims))
    return np.outer(lexicographic_shares(claims, shared.gpus, room.sum()), room / room.sum())


def shared_of(program: Any) -> SharedCluster:
    """Return jobs and kinds."""
    return SharedCluster(
        *(np.array(one, float) for one in (program["speeds"], program["lists"][0], program["room"]))
    )


def values_of(policy: str, shared: SharedCluster) -> Any:
    """Return the value of a share, by job and kind."""
    prices = np.array([PRICES[kind] for kind in sorted(PRICES, reverse=True)])
    return shared.speeds / prices if "cost" in policy else shared.speeds


def claims_of(policy: str, shared: SharedCluster, program: Any, before: Before) -> TimeClaims:
    """Return what jobs need at a level."""
    speeds, gpus, room = shared
    more, zeros = [np.array(one) for one in program["lists"][1:]], np.zeros(len(gpus))
    if policy.startswith("min_total_duration"):
        return TimeClaims(more[0], zeros + 1, zeros)
    if policy.startswith("max_min_fairness"):
        return TimeClaims(speeds @ (room / room.sum()), gpus, zeros)
    age, left, alone = more[1], more[2], partition_speeds(shared, len(gpus))
    for job, steps_left, speed in zip(program["jobs"], left, alone, strict=True):
        spent, was, slow = before.get(job, (0.0, steps_left, speed))
        before[job] = spent + (was - steps_left) / slow, steps_left, speed
    spent_by = np.array([before[job][0] for job in program["jobs"]])
    return TimeClaims(left, spent_by + left / alone, age)


def answered(given: argparse.Namespace, *words: str | Path) -> str:
    """Return what Gavel's simulator prints with our shares."""
    before: Before = {}
    command = [given.python, "-W", "ignore", DRIVER, given.checkout, "ask", *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        for line in run.stdout:
            said = json.loads(line)
            if "speeds" not in said:
                return line
            shares = our_shares(str(words[1]), said, before)
            print(json.dumps(np.array(shares).tolist()), file=run.stdin, flush=True)
    raise RuntimeError("the simulator ended without ends")


def driven(given: argparse.Namespace, *words: str | Path) -> str:
    """Return what Gavel's code prints, or nothing if its solver fails."""
    command = [given.python, "-W", "ignore", DRIVER, given.checkout, *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode and "SolverError" not in done.stderr:
        raise RuntimeError(done.stderr)
    return done.stdout


def compared(
    checkout: Path, trace: Path, gpus: str, rule: str, theirs: dict[str, float | None]
) -> tuple[str, list[tuple[float, float]]]:
    """Run our method, and return the cells, and by how much the mean and the last end differ.

    Jobs that failed there are left out.
    """
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
        return f"its solver fails | {max(map(float, ours.values())):,.0f} | | |", []
    took = [(end - came[name], float(ours[name]) - came[name]) for name, end in ended.items()]
    means = tuple(sum(pair[k] for pair in took) / len(took) for k in range(2))
    lasts = max(ended.values()), max(float(ours[name]) for name in ended)
    near = sum(abs(b / a - 1) <= 0.01 for a, b in took)
    off = [b / a - 1 for a, b in (means, lasts)]
    cells = [
        f"{a:,.0f} | {100 * more:+.2f} %" for (a, _), more in zip((means, lasts), off, strict=True)
    ]
    return f"{' | '.join(cells)} | {near} of {len(took)}", [(off[0], off[1])]


def steps(checkout: Path) -> dict[str, float]:
    """Return the seconds of a step by model and GPUs."""
    speeds = json.loads((checkout / SPEEDS).read_text(encoding="utf-8"))["v100"]
    known = {KEY.fullmatch(key): row["null"] for key, row in speeds.items()}
    return {f"{key[1]}@{key[2]}": round(1 / v, 9) for key, v in known.items() if key and v > 0}


if __name__ == "__main__":
    main()
