"""Run Sia's simulator unchanged, or with parts of it replaced, in a Python of its own.

    python public_sia_driver.py CHECKOUT philly/1 LOG
    python public_sia_driver.py CHECKOUT philly/1 LOG --known --measured --restart-s 30
    python public_sia_driver.py CHECKOUT philly/1 LOG --trace TRACE --by-application --first

CHECKOUT is https://github.com/siasosp23/artifacts. LOG is written, for `public_sia.py --there`.
Options of the policy are those of its `run_experiment.sh`, and CBC has one thread. With TRACE, the
policy gets the jobs of a trace that `public_sia.py --save` or `ringyard import` wrote, and knows
their speeds. Unless an option says otherwise, they lose the `restart_s` of the trace when they
restart, and nothing when they first start.

Needs Python 3.11 with numpy 1.23, pandas 1.5, scipy 1.11, cvxpy 1.3, cylp, autograd, psutil, rich.
"""

# ruff: noqa: T201

import argparse
import json
import os
import runpy
import sys
import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

OPTIONS = (
    "--policy=sia --policy_p_val=-0.5 --mip_lambda_a=0.01 --mip_lambda_n=1.1 --interval=60 "
    "--project_throughput --share_max_replicas"
)
"""The options of `run_experiment.sh` for Sia."""


def main() -> None:
    """Simulate, and print the mean completion time and the makespan."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("workload", help="such as philly/1")
    parser.add_argument("log", type=Path, help="is written: all jobs after every round")
    parser.add_argument("--best", action="store_true", help="the best measured batch sizes")
    parser.add_argument("--known", action="store_true", help="also with these goodputs known")
    parser.add_argument("--measured", action="store_true", help="speeds as they were measured")
    parser.add_argument("--restart-s", type=float, help="of all jobs; a first start is free")
    parser.add_argument("--trace", type=Path, help="a trace with the jobs of the workload")
    parser.add_argument("--by-application", action="store_true", help="its times for restarts")
    parser.add_argument("--first", action="store_true", help="first starts as slow as restarts")
    parser.add_argument("--unrounded", action="store_true", help="powers of goodputs not rounded")
    given = parser.parse_args()
    simulator = (given.checkout / "sia-simulator").resolve()
    kind, _, number = given.workload.partition("/")
    workload = simulator / "workloads" / kind / f"workload-{number}.csv"
    if not workload.is_file():
        parser.error(f"{given.checkout} lacks the workload {given.workload}")
    tables = given.best or given.known or given.measured or given.restart_s is not None
    if given.trace and tables:
        parser.error("--trace goes without --best, --known, --measured and --restart-s")
    if not given.trace and (given.by_application or given.first):
        parser.error("--by-application and --first need a --trace")
    prepare(simulator, given)
    sys.argv = ["multi_simulator.py", str(workload), *OPTIONS.split(), f"--output={given.log}"]
    with Path(os.devnull).open("w") as nothing, redirect_stdout(nothing):
        runpy.run_path(str(simulator / sys.argv[0]), run_name="__main__")
    with given.log.open(encoding="utf-8") as stream:
        jobs = json.loads(deque(stream, 1)[0])["submitted_jobs"]
    jcts = [job["completion_time"] - job["submission_time"] for job in jobs]
    last = max(job["completion_time"] for job in jobs)
    print(f"mean JCT {sum(jcts) / len(jcts):,.1f} s, makespan {last:,.0f} s")


def prepare(simulator: Path, given: argparse.Namespace) -> None:
    """Give the simulator names that NumPy had, and replace the parts that are asked for."""
    warnings.simplefilter("ignore")
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(simulator))
    for kind in (bool, int, float):
        vars(np).setdefault(kind.__name__, kind)
    config: Any = import_module("simulator_config")
    config.sia_solver_num_threads, config.sia_solver_verbose = 1, False
    if given.measured:
        config.SLOWDOWNS = dict.fromkeys(config.SLOWDOWNS, 1.0)
    if given.unrounded:
        import_module("sia").np = Unrounded()  # type: ignore[attr-defined]
    if given.restart_s is not None:
        restart_in(given.restart_s)
    if given.best or given.known:
        use_best_batches(given.known, config.cluster_ngpus_per_node)
    if given.trace:
        use_trace(json.loads(given.trace.read_text("utf-8")), given.by_application, given.first)


class Unrounded:
    """NumPy, but for rounding to two decimals, which the policy does to powers of goodputs."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def round(self, values: Any, decimals: int = 0) -> Any:
        """Round, unless to two decimals."""
        return values if decimals == 2 else np.round(values, decimals=decimals)


def restart_in(seconds: float) -> None:
    """Let all jobs restart in as many seconds, start first in none, and tell the policy."""
    for applications in import_module("applications").APPLICATIONS.values():
        for application in applications.values():
            application.rescale_time = seconds
    sia: Any = import_module("sia")
    sia.get_restart_penalty = lambda _: seconds
    job: Any = import_module("job").Job
    migrate = job.migrate

    def free_first(self: Any, kind: str | None, placement: Sequence[int]) -> Any:
        """Start on a kind of GPU, free of charge if the job had no GPU before."""
        first = self.num_restarts is None
        event = migrate(self, kind, placement)
        if first and placement:
            self.rescale_time = 0
        return event

    job.migrate = free_first


Batch = tuple[float, int, int]
"""Goodput with a batch size, the examples on a GPU in a step, and steps that are added up."""


@cache
def best_batch(application: Any, placement: tuple[int, ...], epoch: int) -> Batch:
    """Return the best of the measured batch sizes, in the same epoch, by measured goodput."""
    table, gpus = application.placements, sum(placement)
    rows = table[table.placement == int("".join(map(str, sorted(placement))))]
    if rows.empty:
        rows = application.scalability[application.scalability.num_replicas == gpus]
    sizes = sorted({int(size) for size in rows.local_bsz})
    found = (0.0, sizes[0], 0)
    for size in sizes:
        step, sync = application.get_throughput(placement, size)
        for more in range(application.max_batch_size // (gpus * size) if step > 0 else 0):
            batch = gpus * size * (more + 1)
            scale = batch / application.init_batch_size
            # Steps add up for the noise of one GPU, or beyond the batches that were measured.
            alone = gpus == 1 and scale > 1 and not more
            measured = gpus > 1 and more and 2 * size <= sizes[-1]
            if scale < 1 or alone or measured:
                continue
            square, variance = application.get_grad_stats(batch, epoch)
            gain = (variance + square) / (variance / scale + square)
            goodput = gain / (step + more * (step - sync))
            found = max(found, (goodput, size, more), key=lambda one: one[0])
    return found


def use_best_batches(known: bool, gpus_per_server: Mapping[str, int]) -> None:
    """Use the best batch sizes and, if known, goodputs, in place of those by a fitted model."""

    def best(job: Any, kind: str, servers: Sequence[int]) -> Batch:
        application = job.applications[kind]
        epoch = min(job.epoch, application.max_epochs - 1)
        return best_batch(application, tuple(sorted(filter(None, servers))), epoch)

    def update(self: Any, placement: Sequence[int]) -> None:
        _, self.atomic_bsz, self.accum_steps = best(self, self.current_cluster, placement)

    def goodput(job: Any, kind: str, gpus: int) -> float:
        most = gpus_per_server[kind]
        return best(job, kind, [gpus % most, *[most] * (gpus // most)])[0]

    job: Any = import_module("job").Job
    job.update_local_bsz = update
    if known:
        job.get_speedup_fn = lambda self, kind=None: Known(partial(goodput, self, kind))
        job.optimize_perf_params = lambda self, profile: None


class Known:
    """The goodputs of a job on a kind of GPU, in the form in which the policy asks for them."""

    def __init__(self, goodput: Any) -> None:
        self.goodput = goodput

    def get_goodput(self, _: Any, gpus: Any) -> Any:
        """Return goodputs on numbers of GPUs."""
        return np.array([self.goodput(int(number)) for number in gpus])


def use_trace(trace: Mapping[str, Any], by_application: bool, first: bool) -> None:
    """Replace the jobs by those of a trace, and tell the policy what a restart takes."""
    restart_s = None if by_application else float(trace.get("restart_s", 0))
    if restart_s is not None:
        import_module("sia").get_restart_penalty = lambda _: restart_s  # type: ignore[attr-defined]
    types = {one["name"]: one["phases"] for one in trace["types"]}
    phases = {one["name"]: phases_of(one, types[one["type"]]) for one in trace["jobs"]}
    import_module("cluster").Job = partial(  # type: ignore[attr-defined]
        TraceJob, phases=phases, restart_s=restart_s, first=first
    )


Phase = tuple[float, Mapping[tuple[str, int], float]]
"""The work done at its end, in seconds at speed 1, and speeds by kind and number of GPUs."""


def phases_of(job: Mapping[str, Any], phases: Sequence[Mapping[str, Any]]) -> list[Phase]:
    """Return the phases of a job in the format of Ringyard."""
    done, found = 0.0, list[Phase]()
    for one in phases:
        done += float(one["share"]) * float(job["duration_s"])
        speeds = {(row["gpu"], row["gpus"]): float(row["speed"]) for row in one["speeds"]}
        found.append((done, speeds))
    return found


class TraceJob:
    """A job of a trace, with the names that the simulator reads and calls."""

    def __init__(
        self,
        name: str,
        applications: Mapping[str, Any],
        submission_time: float,
        *,
        phases: Mapping[str, list[Phase]],
        restart_s: float | None,
        first: bool,
        **_: Any,
    ) -> None:
        own = float(next(iter(applications.values())).rescale_time)
        self.restart_s, self.first = own if restart_s is None else restart_s, first
        self.name, self.submission_time, self.phases = name, submission_time, [*phases[name]]
        # The simulator does not go beyond 64 GPUs.
        limits = SimpleNamespace(name="", num_stages=1, min_local_bsz=1, max_batch_size=64)
        self.applications = dict.fromkeys(applications, limits)
        self.placement: tuple[int, ...] = ()
        self.current_cluster = self.completion_time = self.start_time = self.category = None
        self.num_restarts: int | None = None
        self.num_migrations, self.num_stages, self.contention = None, 1, list[int]()
        self.progress = self.rescale_time = self.current_time = 0.0
        self.epoch = self.most = self.atomic_bsz = self.accum_steps = 0
        self.attained_service = self.used_gpu_seconds = self.wasted_gpu_seconds = 0

    def max_profiled_replicas(self, _: str | None = None) -> int:
        """Return the most GPUs that the job has run on; the policy goes to twice as many."""
        return self.most

    def get_speedup_fn(self, kind: str) -> Known:
        """Return the speeds of the present phase."""
        return Known(lambda gpus: self.phases[0][1].get((kind, gpus), 0.0))

    def get_scale_units(self) -> dict[str, int]:
        """Return the step between numbers of GPUs: one."""
        return dict.fromkeys(self.applications, 1)

    def step(self, seconds: float, interference: float = 0.0) -> None:
        """Run for a round, through as many phases as it takes."""
        if self.completion_time is not None:
            return
        self.current_time += seconds
        if not self.placement:
            return
        lost, gpus = min(self.rescale_time, seconds), sum(self.placement)
        self.rescale_time -= lost
        left = seconds - lost
        self.most = max(self.most, gpus if left > 0 else 0)
        while left > 0 and self.completion_time is None:
            end, speeds = self.phases[0]
            speed = speeds[self.current_cluster, gpus]
            needed = (end - self.progress) / speed
            if needed > left:
                self.progress += speed * left
                return
            left, self.progress = left - needed, end
            if len(self.phases) > 1:
                self.phases.pop(0)
            else:
                self.completion_time = self.current_time - left

    def reallocate(self, placement: Sequence[int]) -> None:
        """Run on other servers of the kind; only another number of GPUs costs a restart."""
        same = sum(placement) == sum(self.placement)
        self.placement = tuple(placement)
        if placement and not same:
            self.restart()

    def migrate(self, kind: str | None, placement: Sequence[int]) -> None:
        """Run on another kind, or pause."""
        self.current_cluster, self.placement = kind, tuple(placement)
        if placement:
            self.restart()

    def restart(self) -> None:
        """Count a start and charge it."""
        begins = self.num_restarts is None
        self.num_restarts = 0 if self.num_restarts is None else self.num_restarts + 1
        self.rescale_time = 0.0 if begins and not self.first else self.restart_s


if __name__ == "__main__":
    main()
