"""Run Pollux's simulator with parts of it replaced, and print its mean completion time.

python public_pollux_driver.py CHECKOUT WORKLOAD [--policy pollux|optimus|tiresias]
                               [--fewest] [--exact] [--known] [--batches]

CHECKOUT is https://github.com/petuum/adaptdl, branch `osdi21-artifact`, which is not changed. It
needs a Python 3.11 with numpy 1.23.5, pandas 1.5.3, scipy 1.11, pymoo 0.4.2.2 and autograd. The
line has the mean in seconds, the published mean and the difference. Options other than `--fewest`
are for `pollux`.
"""

# ruff: noqa: T201

import argparse
import io
import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

SERVERS, GPUS, ROUND_S, RESTART_S = 16, 4, 60, 30
"""Its cluster, and the seconds of a round and of a restart."""
SMALL, STAY = 1e-3, 1e-6
"""Added to speed-ups in its objective, and here taken off the cost of a job that stays as it is."""


def main() -> None:
    """Simulate a workload, and print the line."""
    given = options()
    folder, name = (given.checkout / "simulator").resolve(), f"workload-{given.workload}"
    simulator = loaded(folder)
    job, pollux = simulator.Job, simulator.PolluxPolicy
    if given.fewest:
        reallocate = job.reallocate
        job.reallocate = lambda self, placement: reallocate(self, fewest(sum(placement)))
    if given.known or given.policy != "pollux":
        simulator.fit_perf_params = lambda *_: None
    if given.known:
        job.get_speedup_fn = knowing(job.get_speedup_fn)
    if given.known or given.batches:
        job.update_local_bsz = knowing(job.update_local_bsz)
    policy = {
        "pollux": exactly(pollux) if given.exact else pollux,
        "optimus": simulator.OptimusPolicy,
        "tiresias": lambda: simulator.TiresiasPolicy(lambda: cluster.current_time),
    }[given.policy]()
    workload = import_module("pandas").read_csv(folder / "workloads" / f"{name}.csv")
    cluster = simulator.Cluster(workload, policy, SERVERS, num_gpus=GPUS)
    mean = simulated(cluster)
    results = folder / "results-jobload" / f"{given.policy}-1.0" / "summary.json"
    published = json.loads(results.read_text(encoding="utf-8"))["avgs"][name]
    more = 100 * (mean / published - 1)
    print(f"mean JCT {mean:,.1f} s, published {published:,.1f} s, difference {more:+.1f} %")


def options() -> argparse.Namespace:
    """Return what is asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("checkout", type=Path)
    add("workload", type=int, choices=range(1, 9))
    add("--policy", choices=("pollux", "optimus", "tiresias"), default="pollux")
    add("--fewest", action="store_true", help="speeds of the fewest servers wherever a job is")
    add("--exact", action="store_true", help="numbers of GPUs by dynamic programming")
    add("--known", action="store_true", help="true speeds of the fewest servers, not fitted ones")
    add("--batches", action="store_true", help="only the batch sizes are the best ones")
    given = parser.parse_args()
    if given.policy != "pollux" and (given.exact or given.known or given.batches):
        parser.error("--exact, --known and --batches need --policy pollux")
    return given


def loaded(folder: Path) -> Any:
    """Return its module, with the names that numpy dropped and interpolations made only once."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    warnings.simplefilter("ignore")
    for kind in (bool, int, float):
        setattr(np, kind.__name__, kind)
    applications = import_module("applications")
    for name in ("interp1d", "LinearNDInterpolator"):
        setattr(applications, name, once(getattr(applications, name)))
    import_module("pollux").LOG.disabled = True
    return import_module("simulator")


def once(build: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes the interpolation of the same points and values once."""
    made: dict[tuple[bytes, bytes], Any] = {}

    def call(points: Any, values: Any, **more: Any) -> Any:
        key = points.tobytes(), values.tobytes()
        if key not in made:
            made[key] = build(points, values, **more)
        return made[key]

    return call


def simulated(cluster: Any) -> float:
    """Return the mean completion time after all jobs have ended."""
    np.random.seed(0)
    with redirect_stdout(io.StringIO()):
        while not cluster.all_complete():
            cluster.step(ROUND_S)
            cluster.logs.clear()
    return float(np.mean([job.completion_time - job.submission_time for job in cluster.jobs]))


def fewest(gpus: int) -> tuple[int, ...]:
    """Return the GPUs on each server if a job has the fewest servers."""
    full, rest = divmod(gpus, GPUS)
    return (*[GPUS] * full, *[rest] * (rest > 0))


@lru_cache(None)
def step_times(application: Any, gpus: int, batch: int) -> tuple[float, float] | None:
    """Return the seconds of a step and of its synchronization, or None if out of range."""
    try:
        step, sync = application.get_throughput(fewest(gpus), batch)
    except (AssertionError, ValueError):
        return None
    return float(step), float(sync)


@lru_cache(None)
def goodput(application: Any, epoch: int, gpus: int, batch: int, more: int) -> float:
    """Return the true progress per second with a batch per GPU and `more` accumulated ones."""
    batch = min(batch, int(application.max_batch_size / (gpus * (more + 1))))
    times = step_times(application, gpus, batch)
    if times is None or batch < application.min_local_bsz:
        return 0.0
    total = gpus * batch * (more + 1)
    square, variance = application.get_grad_stats(total, epoch)
    gain = (variance + square) / (variance * application.init_batch_size / total + square)
    return float(gain / (times[0] + more * (times[0] - times[1])))


def knowing(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of jobs during which the goodput of the job is the true one."""

    class Measured(import_module("goodput").GoodputFunction):  # type: ignore[misc]
        """Its search for the best batch size, over measured goodputs."""

        def __init__(self, job: Any) -> None:
            self._init_batch_size = job.application.init_batch_size
            self._now = job.application, min(job.epoch, job.application.max_epochs - 1)

        def evaluate(self, _: Any, *settings: Any) -> Any:
            one = np.vectorize(lambda *of: goodput(*self._now, *map(int, of)), otypes=[float])
            return one(*settings)

    def call(job: Any, *given: Any) -> Any:
        fitted, job.perf_params = job.perf_params, ()
        job.get_goodput_fn = lambda: Measured(job)
        try:
            return method(job, *given)
        finally:
            job.perf_params = fitted
            del job.get_goodput_fn

    return call


def exactly(policy: Any) -> Any:
    """Return its policy with numbers of GPUs by dynamic programming."""
    problem = import_module("pollux").Problem

    class Exact(policy):  # type: ignore[misc]
        def optimize(self, jobs: Any, nodes: Any, had: Any, _: Any) -> Any:
            # Its problem sets what speed-ups are relative to: the goodput of a fair share.
            problem([*jobs.values()], [*nodes.values()], np.zeros((len(jobs), len(nodes)), int))
            costs = [costs_of(job, len(had.get(name, ()))) for name, job in jobs.items()]
            return placed(dict(zip(jobs, best(costs), strict=True)), had), len(nodes)

    return Exact


def costs_of(job: Any, had: int) -> Any:
    """Return the term of a job in its objective for each number of GPUs, from 0."""
    if getattr(job.speedup_fn, "_base_goodput", 1) <= 0:
        job.speedup_fn._base_goodput = 1e-9
    gpus = np.arange(1, min(job.max_replicas, SERVERS * GPUS) + 1)
    speedups = job.speedup_fn(-(-gpus // GPUS), gpus) / GPUS
    factor = max(job.age - job.num_restarts * RESTART_S, 0) / (job.age + RESTART_S)
    costs = 1 / (np.where(gpus == had, 1, factor) * speedups + SMALL) - STAY * (gpus == had)
    return np.array([1 / SMALL, *costs])


def best(costs: Sequence[Any]) -> list[int]:
    """Return the numbers of GPUs that fit the cluster with the least sum of costs."""
    total, choices = np.zeros(SERVERS * GPUS + 1), []
    for cost in costs:
        sums = [np.append([np.inf] * n, total[: len(total) - n] + c) for n, c in enumerate(cost)]
        choices.append(np.argmin(sums, axis=0))
        total = np.min(sums, axis=0)
    left, numbers = int(total.argmin()), []
    for choice in reversed(choices):
        numbers.append(int(choice[left]))
        left -= numbers[-1]
    return numbers[::-1]


def placed(numbers: dict[str, int], had: Any) -> dict[str, list[int]]:
    """Return the server of each GPU: as before if a job keeps its number, else the best fit."""
    found = {name: had[name] for name in numbers if len(had.get(name, ())) == numbers[name] > 0}
    free = Counter(dict.fromkeys(range(SERVERS), GPUS))
    free.subtract(Counter(server for servers in found.values() for server in servers))
    for name in sorted(numbers.keys() - found.keys(), key=lambda one: (-numbers[one], one)):
        found[name] = []
        while (wanted := numbers[name] - len(found[name])) > 0:
            fitting = [server for server in free if free[server] >= wanted]
            server = min(fitting, key=free.__getitem__) if fitting else max(free, key=free.get)
            found[name] += [server] * min(wanted, free[server])
            free[server] -= min(wanted, free[server])
        found[name].sort()
    return found


if __name__ == "__main__":
    main()
