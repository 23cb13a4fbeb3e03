"""The family `fleet`: a million jobs under a plan, deciders on ten thousand, and the judge.

A plan is played by the compiled loop; deciders are asked at every event. Beside the times stand
jobs a second. `test_memory` compares what is allocated with and without the log of what is over.
"""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from ringyard.analysis.check.fleet import check_fleet
from ringyard.instances import (
    FleetInstance,
    Limits,
    RackServer,
    RentalInstance,
    RentalPlan,
    TraceInstance,
    TraceJob,
)
from ringyard.instances.fleet.mix import draw, fleet_of
from ringyard.instances.generate import generate
from ringyard.methods import find_method
from ringyard.policies.fleet import pollux, static
from ringyard.policies.fleet.planned import all_alike
from ringyard.policies.rental import boa
from ringyard.policies.request import Request
from ringyard.policies.trace.baselines import BestEffort
from ringyard.simulation.fleet import (
    FleetDecider,
    FleetResult,
    JobStream,
    Terms,
    simulate,
    simulate_decider,
    stream_from,
    stream_of,
    to_log,
)
from ringyard.simulation.trace import simulate as play_trace

TICK = Decimal(1)
TERMS = {
    "free": Terms(),
    "provisioned": Terms(rescale=30, provision=60),
    "hourly nodes": Terms(rescale=30, provision=60, unit=8000, billing=3600),
}


@cache
def rental() -> RentalInstance:
    """Return types of jobs with mixed speed-ups."""
    made = generate("rental-mixed", seed=0)
    assert isinstance(made, RentalInstance)
    return made


@cache
def widths() -> RentalPlan:
    """Return the best widths for them."""
    plan: RentalPlan = boa.run_boa(rental(), Request()).schedule
    return plan


@cache
def stream(jobs: int, terms: str = "free") -> JobStream:
    drawn = draw(rental().types, jobs, 0, tick_s=TICK)
    return stream_from(rental().types, drawn, TICK, TERMS[terms], whole=False)


@cache
def fleet(jobs: int, **more: Any) -> FleetInstance:
    return fleet_of(rental(), draw(rental().types, jobs, 0, tick_s=TICK), **more)


def size(benchmark: Any, jobs: int) -> int:
    """Return how many jobs there are; few when nothing is timed."""
    return jobs if benchmark.enabled else 200


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.benchmark(group="fleet: a million jobs under boa")
def test_play(benchmark: Any, rates: Any, terms: str) -> None:
    jobs = size(benchmark, 1_000_000)
    path = stream(jobs, terms)
    simulate(stream(100, terms), widths())
    played = benchmark.pedantic(simulate, (path, widths()), rounds=3)
    assert played.finished
    rates(jobs=jobs)


@pytest.mark.benchmark(group="fleet: a million jobs under boa")
def test_draw_and_play(benchmark: Any, rates: Any) -> None:
    """Jobs are drawn, made arrays and simulated."""
    jobs = size(benchmark, 1_000_000)
    simulate(stream(100), widths())

    def both() -> FleetResult:
        drawn = draw(rental().types, jobs, 1, tick_s=TICK)
        path = stream_from(rental().types, drawn, TICK, Terms(), whole=False)
        return simulate(path, widths())

    assert benchmark.pedantic(both, rounds=3).finished
    rates(jobs=jobs)


def decider(name: str, instance: FleetInstance) -> FleetDecider:
    """Return a scheduler: of a cluster as large as the budget, or of one that is half efficient."""
    budget = Fraction(instance.budget_gpus)
    if name == "static-fifo":
        return static._Fifo(instance, budget)
    if name == "static-fair":
        return static._FairShares(instance, budget)
    if name == "static-las":
        return static._Las(instance, budget, static.LasOptions())
    return pollux._Pollux(instance, pollux.Options(), Fraction(1, 2))


@pytest.mark.parametrize("name", ["static-fifo", "static-fair", "static-las", "pollux"])
@pytest.mark.benchmark(group="fleet: 10,000 jobs under deciders")
def test_deciders(benchmark: Any, rates: Any, name: str) -> None:
    jobs = size(benchmark, 10_000)
    path, _ = stream_of(fleet(jobs))
    simulate_decider(stream_of(fleet(20))[0], decider(name, fleet(20)))
    played = benchmark.pedantic(simulate_decider, (path, decider(name, fleet(jobs))), rounds=1)
    assert played.finished
    rates(jobs=jobs)


@pytest.mark.parametrize("method", ["boa", "boa-online", "static-fair"])
@pytest.mark.benchmark(group="fleet: methods with their search and log, 2,000 jobs")
def test_methods(benchmark: Any, method: str) -> None:
    instance = fleet(2_000 if benchmark.enabled else 20)
    run = find_method(method, "fleet").run
    run(replace(instance, jobs=instance.jobs[:20]), Limits(), np.random.default_rng(0))
    outcome = benchmark.pedantic(run, (instance, Limits(), np.random.default_rng(0)), rounds=1)
    assert outcome.schedule is not None


@pytest.mark.parametrize("preset", ["fleet-mixed", "fleet-power", "fleet-pollux"])
@pytest.mark.benchmark(group="fleet: boa-online with its search, 3,000 jobs")
def test_online(benchmark: Any, made: Any, preset: str) -> None:
    """Revisions of the plan, for one target of the search after another."""
    instance = made(preset, jobs=3_000 if benchmark.enabled else 20)
    run = find_method("boa-online", "fleet").run
    run(replace(instance, jobs=instance.jobs[:20]), Limits(), np.random.default_rng(0))
    outcome = benchmark.pedantic(run, (instance, Limits(), np.random.default_rng(0)), rounds=1)
    assert outcome.schedule is not None


@pytest.mark.benchmark(group="fleet: the judge, 20,000 jobs")
def test_judge(benchmark: Any) -> None:
    instance = replace(fleet(size(benchmark, 20_000)), budget_gpus=Decimal(10**9))
    path, order = stream_of(instance)
    log = to_log(instance, order, simulate(path, widths(), keep=True), "boa")
    verdict = benchmark.pedantic(check_fleet, (instance, log), rounds=3)
    assert verdict.valid


def on_one_gpu(engine: str, jobs: int) -> Callable[[], tuple[Any, Any]]:
    """Return a simulation of jobs of one phase, on a GPU each from their arrival."""
    types = [replace(one, epochs=one.epochs[:1]) for one in rental().types]
    drawn = draw(types, jobs, 0, tick_s=TICK)
    path = stream_from(types, drawn, TICK, Terms(), whole=True)
    plan = all_alike(types, [1] * len(types))
    if engine == "fleet":
        return lambda: (path.at, simulate(path, plan).end)
    pairs = zip(path.at.tolist(), path.work[:, 0].tolist(), strict=True)
    instance = TraceInstance(
        name="one-gpu-each",
        servers=(RackServer(name="s0", gpus=1000),),
        jobs=tuple(
            TraceJob(name=f"j{k}", gpus=1, arrival_s=Decimal(at), duration_s=Decimal(work))
            for k, (at, work) in enumerate(pairs)
        ),
    )
    return lambda: (path.at, play_trace(instance, BestEffort()).trace.lives["end"])


@pytest.mark.parametrize("engine", ["fleet", "trace"])
@pytest.mark.benchmark(group="fleet and trace: the same 100,000 jobs on a GPU each")
def test_engines(benchmark: Any, rates: Any, engine: str) -> None:
    """Both from their instance or stream, so `trace` also builds its arrays."""
    jobs = size(benchmark, 100_000)
    play = on_one_gpu(engine, jobs)
    play()
    at, ends = benchmark.pedantic(play, rounds=3)
    assert (ends > at).all()
    assert (ends == on_one_gpu("fleet", jobs)()[1]).all()
    rates(jobs=jobs)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.benchmark(group="fleet: memory, a million jobs under boa")
def test_memory(benchmark: Any, memory: Any, keep: bool) -> None:
    """What is allocated at most while it is simulated, beside the jobs themselves."""
    jobs = size(benchmark, 1_000_000)
    path = stream(jobs)
    simulate(stream(100), widths())
    memory(lambda: simulate(path, widths(), keep=keep), jobs)


@pytest.mark.parametrize("arrivals", ["poisson", "bursty"])
@pytest.mark.benchmark(group="draw a million jobs")
def test_draw(benchmark: Any, arrivals: str) -> None:
    """Under each law of arrivals."""
    jobs, more = size(benchmark, 1_000_000), {"arrivals": arrivals, "tick_s": TICK}
    found = benchmark.pedantic(draw, (rental().types, jobs, 0), more, rounds=3)
    assert len(found.at) == len(found.work) == jobs
