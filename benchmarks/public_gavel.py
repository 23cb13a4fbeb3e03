"""Gavel's own simulator beside the method `gavel`: how far do means and ends lie apart?

    python benchmarks/public_gavel.py CHECKOUT PYTHON [--solver ECOS] [--whole]

CHECKOUT is https://github.com/stanford-futuredata/gavel, PYTHON one that has `numpy`, `scipy`,
`psutil`, `cvxpy` and `ecos` (and `scs` for `--solver SCS`). Traces are made by Gavel's own
`generate_trace.py`; the same jobs are imported with `--across none`. It prints the comparison that
docs/reference/trace-rules.md sums up, in some two minutes. With `--whole` jobs take whole hours;
`--solver closed` puts the closed forms of `gavel` in place of its solver.
"""

# ruff: noqa: T201

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from ringyard.analysis.check import check
from ringyard.instances import Limits, TraceInstance
from ringyard.instances.importers import ImportChoices, read_trace
from ringyard.instances.importers.gavel import KEY
from ringyard.methods import find_method

DRIVER = Path(__file__).with_name("public_gavel_driver.py")
SPEEDS = "scheduler/simulation_throughputs.json"
RULES = {
    "fifo_perf": "fifo",
    "max_min_fairness": "las",
    "finish_time_fairness": "fairness",
}
TRACES = (
    (60, 1200, 7, ()),
    (60, 1800, 8, ("-m",)),
    (300, 600, 25, ("-m",)),
)
"""Jobs, mean seconds between two, GPUs, and whether jobs have several."""
SEEDS = range(3)
LENGTHS = ("-a", "0.5", "-b", "4.5", "-n", "997")
"""Hours: any number, where the usual ones are whole and end with a round, to a step."""


def main() -> None:
    """Compare, trace by trace."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("python")
    parser.add_argument("--solver", default="ECOS")
    parser.add_argument("--whole", action="store_true")
    given = parser.parse_args()
    lengths = () if given.whole else LENGTHS
    print("| jobs | GPUs | seed | policy | mean there, s | here | ends within 1 % |")
    print("|--:|--:|--:|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "x.trace")
        for jobs, gap, gpus, more in TRACES:
            for seed in SEEDS:
                options = ["--num_jobs", str(jobs), "--lam", str(gap), *lengths, *more]
                driven(given, "generate", "--seed", str(seed), *options, "--output_file", trace)
                for policy in RULES:
                    text = driven(given, "simulate", trace, policy, str(gpus), given.solver)
                    row = compared(given.checkout, trace, gpus, policy, json.loads(text))
                    print(f"| {jobs} | {gpus} | {seed} | `{policy}` | {row} |", flush=True)


def driven(given: argparse.Namespace, *words: str | Path) -> str:
    """Return what Gavel's code prints."""
    command = [given.python, "-W", "ignore", DRIVER, given.checkout, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compared(
    checkout: Path, trace: Path, gpus: int, policy: str, theirs: dict[str, float | None]
) -> str:
    """Run our method, and return the cells; jobs that failed there are left out."""
    choices = ImportChoices(name="x", keep_arrivals=True)
    read = read_trace(
        "gavel",
        trace,
        choices,
        servers=f"1x{gpus}",
        throughputs=checkout / SPEEDS,
        across="none",
    )
    instance: TraceInstance = read.instance
    options = f"shares={RULES[policy]}:steps={json.dumps(steps(checkout))}"
    method = find_method(f"gavel:{options}", "trace")
    ours = check(instance, method.run(instance, Limits(), np.random.default_rng(0)).schedule).ends
    came = {job.name: float(job.arrival_s) for job in instance.jobs}
    took = {
        name: (end - came[name], float(ours[name]) - came[name])
        for name, end in theirs.items()
        if end is not None
    }
    there, here = (sum(pair[k] for pair in took.values()) / len(took) for k in range(2))
    near = sum(abs(b / a - 1) <= 0.01 for a, b in took.values())
    return f"{there:,.0f} | {100 * (here / there - 1):+.2f} % | {near} of {len(took)}"


def steps(checkout: Path) -> dict[str, float]:
    """Return the seconds of a step by model and GPUs."""
    speeds = json.loads((checkout / SPEEDS).read_text(encoding="utf-8"))["v100"]
    known = {KEY.fullmatch(key): row["null"] for key, row in speeds.items()}
    return {f"{key[1]}@{key[2]}": round(1 / v, 9) for key, v in known.items() if key and v > 0}


if __name__ == "__main__":
    main()
