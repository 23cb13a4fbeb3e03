"""Run Gavel's generator and simulator in a Python without the rest of what Gavel needs.

python public_gavel_driver.py CHECKOUT generate OPTIONS..
python public_gavel_driver.py CHECKOUT simulate TRACE POLICY V100S:P100S:K80S SOLVER PRICES
"""

# ruff: noqa: T201

import io
import json
import logging
import runpy
import sys
import threading
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np


def main() -> None:
    """Do what is asked; the end of every job is printed, `null` where it failed."""
    scheduler, what, *words = Path(sys.argv[1], "scheduler").resolve(), *sys.argv[2:]
    sys.path.insert(0, str(scheduler))
    speeds = str(scheduler / "simulation_throughputs.json")
    if what == "generate":
        sys.argv = ["generate_trace.py", *words, "--throughputs_file", speeds]
        runpy.run_path(str(scheduler / "scripts/utils/generate_trace.py"), run_name="__main__")
        return
    stand_in()
    trace, policy, sizes, solver, costs = words
    utils: Any = import_module("utils")
    jobs, arrivals = utils.parse_trace(trace)
    known = utils.get_policy(policy, solver=solver, seed=0)
    made = import_module("scheduler").Scheduler(
        known, throughputs_file=speeds, simulate=True, seed=0, time_per_iteration=360
    )
    if "cost" in policy:
        # Prices that stay as they are, in place of logs of spot prices.
        prices = json.loads(costs)
        utils.get_latest_price_for_worker_type = lambda kind, *_: prices[kind]
        made._per_instance_type_spot_prices = made._available_clouds = ()
        made._per_worker_type_prices = {}
    logging.disable(logging.CRITICAL)
    sized = zip(("v100", "p100", "k80"), map(int, sizes.split(":")), strict=True)
    cluster = dict(sized)
    with redirect_stdout(io.StringIO()):
        made.simulate(cluster, arrivals, jobs, num_gpus_per_server=dict.fromkeys(cluster, 1))
    took = {job[0]: time for job, time in made._job_completion_times.items()}
    ends = {job: None if time is None else arrivals[job] + time for job, time in took.items()}
    print(json.dumps(ends))


def stand_in() -> None:
    """Give it empty modules for what only a real cluster needs, and what was renamed since."""
    names = ("scheduler_server", "scheduler_client")
    for name in ("matrix_completion", "runtime", "runtime.rpc", "throughput_estimator"):
        sys.modules[name] = ModuleType(name)
    for name in names:
        setattr(sys.modules["runtime.rpc"], name, ModuleType(name))
    sys.modules["throughput_estimator"].ThroughputEstimator = None  # type: ignore[attr-defined]
    condition: Any = threading.Condition
    condition.notifyAll = getattr(condition, "notifyAll", condition.notify_all)
    for kind in (bool, int, float):
        vars(np).setdefault(kind.__name__, kind)


if __name__ == "__main__":
    main()
