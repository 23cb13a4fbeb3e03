"""The family `trace`: jobs and events a second, and how they grow.

`test_table` measures policies of others, own policies and long traces in processor seconds:

    make bench ARGS='benchmarks/test_trace.py -k table'

With `LONG=1` in the environment sizes that take minutes are included.

The whole simulation is timed, building its arrays included. Beside the times stand jobs and
events a second. `test_memory` compares what is allocated with and without the log of what is over.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cache
from time import process_time
from typing import Any

import numpy as np
import pytest

import ringyard
from ringyard.instances import Limits, TraceInstance
from ringyard.methods import find_method
from ringyard.policies.trace.baselines import Fifo, Srtf, TwoDLas
from ringyard.policies.trace.serve import ServiceOptions, serve
from ringyard.policies.trace.tiresias import QueueOptions, Queues
from ringyard.simulation.trace import (
    FULL,
    ClusterView,
    GrantedGpus,
    LiveJobs,
    Service,
    TraceDecider,
    TraceResult,
    TraceSetting,
    simulate,
)

POLICIES = {
    "fifo": (Fifo, Service(placement="pack")),
    "srtf": (Srtf, Service(placement="pack")),
    "tiresias-l": (lambda: Queues(QueueOptions()), Service(placement="profile")),
    "2d-las, quantum 10 min": (TwoDLas, Service(placement="pack", interval=600)),
}


@cache
def trace_of(jobs: int, servers: int, load: str = "0.9", contention: str = "none") -> TraceInstance:
    """Return jobs as long as those of Philly and as wide as those of Tiresias, made once."""
    return ringyard.generate(
        "philly",
        seed=0,
        jobs=jobs,
        servers=servers,
        server_gpus=8,
        rack_servers=16,
        widths="tiresias",
        most_s=Decimal(86400),
        load=Decimal(load),
        contention=contention,
    )


def play(instance: TraceInstance, policy: str) -> TraceResult:
    """Simulate a policy."""
    made, service = POLICIES[policy]
    return simulate(instance, made(), service)


def measure(benchmark: Any, instance: TraceInstance, policy: str, rounds: int = 1) -> None:
    """Time a policy, and say how much was done in a second."""
    play(trace_of(30, 2), policy)
    played = benchmark.pedantic(play, (instance, policy), rounds=rounds)
    assert played.finished
    if benchmark.enabled:
        seconds = benchmark.stats.stats.mean
        benchmark.extra_info["jobs_per_second"] = len(instance.jobs) / seconds
        benchmark.extra_info["events_per_second"] = played.events / seconds
        benchmark.extra_info["starts"] = int(played.trace.lives["starts"].sum())
        benchmark.extra_info["most_at_once"] = most_at_once(played)


def most_at_once(played: TraceResult) -> int:
    """Return the most jobs that are there at one time, waiting or running."""
    lives = played.trace.lives
    gone = np.searchsorted(np.sort(lives["end"]), lives["arrival"], side="right")
    return int((np.arange(1, lives.size + 1) - gone).max())


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("jobs", [1_000, 10_000, 100_000])
@pytest.mark.benchmark(group="trace: growth with jobs, 2,000 GPUs, load 0.9")
def test_jobs(benchmark: Any, jobs: int, policy: str) -> None:
    measure(benchmark, trace_of(jobs if benchmark.enabled else 300, 250), policy)


@pytest.mark.parametrize("servers", [50, 250, 1_000])
@pytest.mark.benchmark(group="trace: growth with servers of 8 GPUs, 10,000 jobs, load 0.9")
def test_servers(benchmark: Any, servers: int) -> None:
    measure(benchmark, trace_of(10_000 if benchmark.enabled else 300, servers), "tiresias-l")


@pytest.mark.parametrize("load", ["0.7", "0.9", "1.0", "1.2"])
@pytest.mark.benchmark(group="trace: growth with the queue, 10,000 jobs, 400 GPUs")
def test_queue(benchmark: Any, load: str) -> None:
    measure(benchmark, trace_of(10_000 if benchmark.enabled else 300, 50, load), "tiresias-l")


@pytest.mark.parametrize("contention", ["none", "server_uplink", "racks"])
@pytest.mark.benchmark(group="trace: contention, 10,000 jobs, 400 GPUs, load 0.9")
def test_contention(benchmark: Any, contention: str) -> None:
    jobs = 10_000 if benchmark.enabled else 300
    measure(benchmark, trace_of(jobs, 50, "0.9", contention), "tiresias-l")


@pytest.mark.parametrize("method", ["2d-gittins", "tiresias-g", "yarn-cs", "las", "srsf"])
@pytest.mark.benchmark(group="trace: other methods with their schedules, 10,000 jobs, 2,000 GPUs")
def test_methods(benchmark: Any, method: str) -> None:
    instance = trace_of(10_000 if benchmark.enabled else 300, 250)
    run = find_method(method, "trace").run
    run(replace(instance, jobs=instance.jobs[:30]), Limits(), np.random.default_rng(0))
    outcome = benchmark.pedantic(run, (instance, Limits(), np.random.default_rng(0)), rounds=1)
    assert outcome.schedule is not None


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.benchmark(group="trace: memory, 2d-las with a quantum of 10 min")
def test_memory(benchmark: Any, memory: Any, keep: bool) -> None:
    """What is allocated at most while it simulates, arrays included."""
    instance = trace_of(50_000 if benchmark.enabled else 300, 50)
    service = Service(interval=600, keep=keep)
    memory(lambda: simulate(instance, TwoDLas(), service), len(instance.jobs))


class EasyBackfill(TraceDecider):
    """Jobs in order of arrival. A job may overtake the first if that does not start later."""

    information = FULL

    def begin(self, setting: TraceSetting) -> None:
        self._setting = setting

    def decide(self, jobs: LiveJobs, _: ClusterView) -> Mapping[int, GrantedGpus]:
        now = self._setting.now
        held = {job.number: GrantedGpus(job.gpus) for job in jobs if job.running}
        free = self._setting.gpus - sum(hold.width for hold in held.values())
        waiting = [job for job in jobs if not job.running]
        waiting.sort(key=lambda job: (job.arrival, job.number), reverse=True)
        while waiting and waiting[-1].gpus <= free:
            job = waiting.pop()
            held[job.number] = GrantedGpus(job.gpus)
            free -= job.gpus
        if not waiting:
            return held
        first, room, start, spare = waiting.pop(), free, now, 0
        for end, gpus in sorted((now + j.remaining, j.gpus) for j in jobs if j.number in held):
            room += gpus
            if room >= first.gpus:
                start, spare = end, room - first.gpus
                break
        for job in reversed(waiting):
            late = now + job.remaining > start
            if job.gpus <= min(free, spare if late else free):
                held[job.number] = GrantedGpus(job.gpus)
                free -= job.gpus
                spare -= job.gpus * late
        return held


def of_tiresias(jobs: int, **options: Any) -> TraceInstance:
    """Return the mix of Tiresias on its testbed of 15 servers."""
    return ringyard.generate("tiresias", seed=1, jobs=jobs, servers=15, **options)


def free_restarts(jobs: int) -> TraceInstance:
    """Return the same without the time of restarts, as in the public simulator."""
    return replace(of_tiresias(jobs), restart_s=Decimal(0), resume_s=None)


def loaded(jobs: int) -> TraceInstance:
    """Return jobs that arrive as fast as nine tenths of the cluster work."""
    return of_tiresias(jobs, load=Decimal("0.9"))


def limited(jobs: int) -> TraceInstance:
    """Return more jobs than the cluster can run, with limits of up to five times their duration."""
    return of_tiresias(jobs, load=Decimal("1.2"), overestimate=Decimal(4))


def shared(jobs: int) -> TraceInstance:
    """Return such jobs of four groups with three priorities."""
    options = {"load": Decimal("1.2"), "overestimate": Decimal(4), "groups": 4, "priorities": 3}
    return of_tiresias(jobs, **options)


MOST_JOBS = 100_000 if os.environ.get("LONG") else 3_000
GENERAL = ("gandiva", "optimus", "gavel", "elastic-srtf")
TABLE = [
    (of_tiresias, 480, "tiresias-released"),
    (of_tiresias, 2_000, "tiresias-released"),
    (free_restarts, 480, "gandiva:rules=released"),
    (of_tiresias, 480, "gandiva:rules=released"),
    *((loaded, jobs, method) for method in GENERAL for jobs in (1_000, 3_000, 10_000)),
    *((limited, jobs, "backfill") for jobs in (1_000, 3_000, 10_000)),
    (limited, 10_000, "backfill:promised=10000"),
    *((shared, jobs, "backfill:order=multifactor") for jobs in (3_000, 10_000)),
    (shared, 10_000, "backfill:order=multifactor:stops=lower"),
    *((loaded, jobs, "easy") for jobs in (1_000, 3_000, 10_000)),
    *((lambda jobs: trace_of(jobs, 250), 100_000, method) for method in ("srsf", "tiresias-l")),
]


@pytest.mark.parametrize(("made", "jobs", "method"), [r for r in TABLE if r[1] <= MOST_JOBS])
@pytest.mark.benchmark(
    group="trace: policies with their schedules, processor time", timer=process_time
)
def test_table(benchmark: Any, made: Any, jobs: int, method: str) -> None:
    """Compile for a part of the jobs, then take the best of three."""
    instance = made(jobs if benchmark.enabled else 60)

    def play(one: TraceInstance) -> Any:
        if method == "easy":
            return serve(one, Limits(), "easy", EasyBackfill(), ServiceOptions())
        return find_method(method, "trace").run(one, Limits(), np.random.default_rng(0))

    play(replace(instance, jobs=instance.jobs[:60]))
    rounds = 3 if jobs < 10_000 else 1
    assert benchmark.pedantic(play, (instance,), rounds=rounds).schedule is not None
