"""Run Gavel's generator and simulator in a Python without the rest of what Gavel needs.

python public_gavel_driver.py CHECKOUT generate OPTIONS..
python public_gavel_driver.py CHECKOUT simulate TRACE POLICY V100S:P100S:K80S SOLVER PRICES
python public_gavel_driver.py CHECKOUT programs TRACE POLICY V100S:P100S:K80S SOLVER PRICES
python public_gavel_driver.py CHECKOUT ask TRACE POLICY V100S:P100S:K80S SOLVER PRICES

`ask` simulates with the shares of another program: it prints the data of each program on
a line, and reads the shares from a line.
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
    """Do what is asked: print the end of every job, `null` where it failed, or all programs."""
    scheduler, what, *words = Path(sys.argv[1], "scheduler").resolve(), *sys.argv[2:]
    sys.path.insert(0, str(scheduler))
    speeds = str(scheduler / "simulation_throughputs.json")
    if what == "generate":
        sys.argv = ["generate_trace.py", *words, "--throughputs_file", speeds]
        runpy.run_path(str(scheduler / "scripts/utils/generate_trace.py"), run_name="__main__")
        return
    stand_in()
    trace, policy, sizes, solver, costs = words
    logging.disable(logging.CRITICAL)
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
    programs: list[Any] = []
    if what == "programs":
        known.get_allocation = kept(known.get_allocation, programs)
    if what == "ask":
        known.get_allocation = asked
    sized = zip(("v100", "p100", "k80"), map(int, sizes.split(":")), strict=True)
    cluster = dict(sized)
    with redirect_stdout(io.StringIO()):
        made.simulate(cluster, arrivals, jobs, num_gpus_per_server=dict.fromkeys(cluster, 1))
    took = {job[0]: time for job, time in made._job_completion_times.items()}
    ends = {job: None if time is None else arrivals[job] + time for job, time in took.items()}
    print(json.dumps(programs if what == "programs" else ends))


def kept(allocate: Any, programs: list[Any]) -> Any:
    """Return a policy that also keeps its data and its shares, by job and kind."""

    def call(speeds: Any, gpus: Any, *more: Any, **costs: Any) -> Any:
        found = allocate(speeds, gpus, *more, **costs)
        if speeds:
            programs.append(data_of(speeds, gpus, *more) | {"shares": by_job(found, more[-1])})
        return found

    return call


def asked(speeds: Any, gpus: Any, *more: Any, **_: Any) -> Any:
    """Return shares that are read from a line, after a line with the data."""
    if not speeds:
        return None
    print(json.dumps(data_of(speeds, gpus, *more)), file=sys.__stdout__, flush=True)
    rows, kinds = json.loads(sys.stdin.readline()), sorted(more[-1], reverse=True)
    return {
        job: dict(zip(kinds, row, strict=True))
        for job, row in zip(sorted(speeds), rows, strict=True)
    }


def data_of(speeds: Any, gpus: Any, *more: Any) -> dict[str, Any]:
    """Return the data of a program by job and kind: V100, P100, K80, as they are served."""
    rows, room = sorted(speeds), more[-1]
    lists = [[float(one[j]) for j in rows] for one in (gpus, *more[:-1])]
    own = {
        "jobs": [j[0] for j in rows],
        "lists": lists,
        "room": [room[k] for k in sorted(room, reverse=True)],
    }
    return own | {"speeds": by_job(speeds, room)}


def by_job(table: Any, room: Any) -> list[list[float]]:
    """Return numbers by job and kind."""
    return [[float(table[j][k]) for k in sorted(room, reverse=True)] for j in sorted(table)]


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
