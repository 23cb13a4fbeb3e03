"""The engine and the judge find the same ends to the tick, whoever schedules."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from little import few
from simulation.trace.drawn_instances import Drawing, drawn, in_kinds, with_outages
from simulation.trace.placing import FOR_ALL

from ringyard.analysis.check import check
from ringyard.instances import TraceInstance
from ringyard.instances.trace.mix import random_trace
from ringyard.instances.trace.phases import with_types
from ringyard.policies.trace.backfill import Backfill, BackfillOptions
from ringyard.policies.trace.baselines import Fifo, Srtf, TwoDLas
from ringyard.policies.trace.quotas import OrderOptions, Quotas
from ringyard.policies.trace.tiresias import QueueOptions, Queues
from ringyard.simulation.trace import Service, simulate
from ringyard.simulation.trace.records import to_schedule

ORDERS = ("arrival", "priority", "gpus", "limit")


def drawn_policy(seed: int, instance: TraceInstance):
    """Return a policy that can serve an instance, and its service."""
    limited = instance.limited is not None
    one = limited or len(instance.kinds) > 1
    rng = Random(seed)
    placement, ticks = rng.choice(FOR_ALL), rng.randint(1, 4)
    service = Service(placement=placement, interval=ticks)
    by_lot = Drawing(seed)
    promises = BackfillOptions(order=rng.choice(ORDERS), promised=1 if one else seed % 4 + 1)
    by_lots = [(by_lot, service), (by_lot, replace(service, events=False))]
    return rng.choice(
        [
            (Backfill(promises), replace(service, interval=0)),
            (Quotas(OrderOptions(order=rng.choice(ORDERS))), replace(service, interval=0)),
            (Quotas(OrderOptions()), service),
            (TwoDLas(), service),
            (Srtf(), replace(service, interval=0)),
            (Fifo(), replace(service, interval=0)),
            (Queues(QueueOptions(thresholds=(5, 40), promote=rng.choice([None, 1]))), service),
            *([] if limited else by_lots),
        ]
    )


def differences(instance: TraceInstance, seed: int) -> list[str]:
    """Return what the judge finds wrong, and the ends that it sees elsewhere."""
    policy, service = drawn_policy(seed, instance)
    trace = simulate(instance, policy, service).trace
    verdict = check(instance, to_schedule(instance, trace, "drawn"))
    engine = {
        job.name: int(end) * Fraction(instance.tick_s)
        for job, end in zip(instance.jobs, trace.lives["end"], strict=True)
    }
    wrong = [str(violation) for violation in verdict.violations]
    return wrong + [name for name, end in engine.items() if verdict.ends.get(name) != end]


@pytest.mark.parametrize("block", few(4, range(10)))
def test_engine_and_judge_agree_on_small_traces(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        assert differences(drawn(seed), seed) == [], seed


@pytest.mark.parametrize("block", few(4, range(10)))
def test_they_agree_on_kinds_of_gpus(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        instance = in_kinds(drawn(seed), Random(seed))
        assert differences(instance, seed) == [], seed


@pytest.mark.parametrize("block", few(4, range(10)))
def test_they_agree_on_outages(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        rng = Random(seed)
        kinds = in_kinds(drawn(seed), rng) if rng.random() < 0.3 else drawn(seed)
        assert differences(with_outages(kinds, rng), seed) == [], seed


@pytest.mark.parametrize("block", few(4, range(10)))
def test_they_agree_on_jobs_with_phases(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        rng = Random(seed)
        instance = with_types(drawn(seed), seed, rng.randint(1, 4), 0.8)
        instance = in_kinds(instance, rng) if rng.random() < 0.3 else instance
        instance = with_outages(instance, rng) if rng.random() < 0.3 else instance
        assert differences(instance, seed) == [], seed


def test_they_agree_on_random_instances_with_groups() -> None:
    found = [random_trace(5, index) for index in range(150)]
    for seed, instance in enumerate(found):
        assert differences(instance, seed) == [], seed


@pytest.mark.parametrize("policy", [TwoDLas, Srtf, Fifo])
def test_they_agree_where_idle_gpus_are_offered_and_ties_are_stable(policy: type) -> None:
    for seed in range(20):
        instance, placement = drawn(seed), FOR_ALL[seed % len(FOR_ALL)]
        service = Service(placement=placement, interval=2, stable=seed % 2 == 0, offers=True)
        trace = simulate(instance, policy(), service).trace
        verdict = check(instance, to_schedule(instance, trace, "drawn"))
        assert verdict.violations == (), seed
        found = [verdict.ends[job.name] / Fraction(instance.tick_s) for job in instance.jobs]
        assert found == trace.lives["end"].tolist(), seed


@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
def test_engine_and_judge_agree_on_larger_traces(block: int) -> None:
    for seed in range(1000 + 20 * block, 1020 + 20 * block):
        assert differences(drawn(seed, jobs=30), seed) == [], seed
