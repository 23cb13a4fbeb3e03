"""The family `trace`: jobs and events a second, and how they grow.

The whole simulation is timed, building its arrays included. Beside the times stand jobs and
events a second. `test_memory` compares what is allocated with and without the log of what is over.
"""

from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pytest

import ringyard
from ringyard.instances import Limits, TraceInstance
from ringyard.methods import find_method
from ringyard.policies.trace.baselines import Fifo, Srtf, TwoDLas
from ringyard.policies.trace.tiresias import QueueOptions, Queues
from ringyard.simulation.trace import Service, TraceResult, simulate

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
