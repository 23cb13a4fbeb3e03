"""Run Gavel's generator and simulator in a Python without the rest of what Gavel needs.

python public_gavel_driver.py CHECKOUT generate OPTIONS..
python public_gavel_driver.py CHECKOUT simulate TRACE POLICY GPUS SOLVER
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
    trace, policy, gpus, solver = words
    utils: Any = import_module("utils")
    jobs, arrivals = utils.parse_trace(trace)
    known = utils.get_policy(policy, solver="ECOS" if solver == "closed" else solver, seed=0)
    if solver == "closed" and policy in CLOSED:
        known.get_allocation = CLOSED[policy]()
    made = import_module("scheduler").Scheduler(
        known, throughputs_file=speeds, simulate=True, seed=0, time_per_iteration=360
    )
    logging.disable(logging.CRITICAL)
    cluster = {"v100": int(gpus), "p100": 0, "k80": 0}
    with redirect_stdout(io.StringIO()):
        made.simulate(cluster, arrivals, jobs, num_gpus_per_server=dict.fromkeys(cluster, 1))
    took = {job[0]: time for job, time in made._job_completion_times.items()}
    ends = {job: None if time is None else arrivals[job] + time for job, time in took.items()}
    print(json.dumps(ends))


class EqualTime:
    """Shares of equal GPU-time; `claims` are GPUs, work, time that counts in levels, and age."""

    def __call__(self, speeds: Any, gpus: Any, weights: Any, *more: Any) -> Any:
        """Return shares at the least level at which they fit."""
        claims = {job: self.claim(job, speeds, gpus, more) for job in sorted(speeds)}
        self.end(claims)
        level, step = 0.0, 2.0**40
        while step > 1e-13:
            held = sum(claim[0] * at(claim, level + step) for claim in claims.values())
            level, step = level + step * (held > more[-1]["v100"]), step / 2
        return {job: {"v100": at(claim, level)} for job, claim in claims.items()} or None

    def claim(self, job: Any, speeds: Any, gpus: Any, more: Any) -> tuple[float, ...]:
        """Return the claim of a job."""
        return gpus[job], 1.0, gpus[job], 0.0

    def end(self, claims: Any) -> None:
        """Forget who has gone."""


class EqualRho(EqualTime):
    """Shares by which the time to the end over that in an equal part is the same."""

    def __init__(self) -> None:
        """Know nothing of before."""
        self.before: dict[Any, tuple[float, float]] = {}
        self.spent: dict[Any, float] = {}

    def claim(self, job: Any, speeds: Any, gpus: Any, more: Any) -> tuple[float, ...]:
        """Return the claim of a job, and remember what is left of it."""
        ages, steps, cluster = more
        left, part = steps[job] / speeds[job]["v100"], cluster["v100"] / len(speeds) / gpus[job]
        was, slow = self.before.get(job, (left, 1.0))
        self.spent[job] = self.spent.get(job, 0.0) + (was - left) / slow
        self.before[job] = left, min(1.0, part)
        return gpus[job], left, self.spent[job] + left / min(1.0, part), ages[job]

    def end(self, claims: Any) -> None:
        """Forget who has gone."""
        self.before = {job: self.before[job] for job in claims}


def at(claim: tuple[float, ...], level: float) -> float:
    """Return the share at a level."""
    _, work, alone, age = claim
    return work / max(work, level * alone - age)


CLOSED: dict[str, Any] = {"max_min_fairness": EqualTime, "finish_time_fairness": EqualRho}


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
