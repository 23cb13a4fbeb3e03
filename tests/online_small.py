"""Small instances of the family `online` by hand, and what their schedules say in short."""

from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np

import ringyard
from ringyard.instances import (
    Bound,
    InputError,
    Limits,
    Linear,
    Machine,
    OnlineInstance,
    OnlineSchedule,
    TrainingJob,
    validate,
)
from ringyard.policies.request import NoOptions, Request, usual
from ringyard.search.online.dual_bound import bound_of, evaluate
from ringyard.search.online.pricing import market
from ringyard.simulation.online import online_model

FLAT = Linear(value=Decimal(10), loss_per_slot=Decimal(0), least=Decimal(10))
"""Ten, whenever it completes."""


def amounts(**numbers: Any) -> tuple[tuple[str, Decimal], ...]:
    return tuple((name, Decimal(str(number))) for name, number in numbers.items())


def machine(name: str, hosts: Any = "both", **capacity: Any) -> Machine:
    return Machine(name=name, capacity=amounts(**capacity), hosts=hosts)


def training_job(name: str, **changes: Any) -> TrainingJob:
    """Return a job of one sample a worker and slot of 1 s, wherever its workers are."""
    usual: dict[str, Any] = {
        "samples": 4,
        "batch_samples": 4,
        "sample_s": Decimal(1),
        "workers_per_server": Decimal(4),
        "internal_gb_s": Decimal(1),
        "external_gb_s": Decimal(1),
        "worker": amounts(cpu=1),
        "server": amounts(port=1),
        "utility": FLAT,
    }
    return TrainingJob(name=name, **(usual | changes))


def with_rates(inside: str, outside: str) -> dict[str, Any]:
    """Return what gives a job of batch 4 with 4 workers on a server these samples in a second."""
    # A sample takes 2 gamma g / (b F) = b^-1 seconds for gamma = F = 4 and g = 1/2.
    return {
        "sample_s": Decimal(0),
        "gradient_gb": Decimal("0.5"),
        "internal_gb_s": Decimal(inside),
        "external_gb_s": Decimal(outside),
    }


def online(machines: list[Machine], jobs: list[TrainingJob], slots: int) -> OnlineInstance:
    instance = OnlineInstance(
        name="small", machines=tuple(machines), jobs=tuple(jobs), horizon_slots=slots
    )
    validate(instance)
    return instance


def asked(module: Any, **given: Any) -> Request[Any]:
    """Return a request with the usual options of a policy."""
    return Request(options=usual(module), **given)


def run_checked(module: Any, instance: OnlineInstance, seed: int = 0, **options: Any) -> Any:
    """Run a policy; whatever it returns must pass the judge."""
    entity = getattr(module, "Options", NoOptions)
    request = Request(rng=np.random.default_rng(seed), options=entity(**options))
    outcome = module.run(instance, request)
    verdict = ringyard.check(instance, outcome.schedule)
    assert verdict.valid, verdict.violations
    assert len(verdict.completions) == len(outcome.schedule.admissions)
    return outcome.schedule


def workers_by_slot(schedule: OnlineSchedule) -> dict[str, dict[int, int]]:
    """Return the number of workers of every admitted job in its slots."""
    return {
        admission.job: {
            entry.slot: sum(count for _, count in entry.workers) for entry in admission.plan
        }
        for admission in schedule.admissions
    }


@cache
def mixed_instances(count: int) -> tuple[OnlineInstance, ...]:
    """Return instances of several sizes, some with machines for workers or for servers only."""
    found: list[OnlineInstance] = []
    seed = 0
    while len(found) < count:
        sizes = {"jobs": 3 + seed % 23, "machines": 1 + seed % 7, "slots": 3 + seed % 11}
        instance = ringyard.generate("pdors-small", seed=seed, **sizes)
        roles = (("both",), ("both", "workers", "servers"), ("workers", "servers"))[seed % 3]
        machines = tuple(
            replace(m, hosts=roles[i % len(roles)]) for i, m in enumerate(instance.machines)
        )
        changed, seed = replace(instance, machines=machines), seed + 1
        with suppress(InputError):  # where a job fits nowhere, the next seed is tried
            validate(changed)
            found.append(changed)
    return tuple(found)


def priced_bound(instance: OnlineInstance, prices: np.ndarray) -> Bound:
    """Return the bound of prices[slot, machine, resource], each for one unit of the resource."""
    model = online_model(instance)
    columns = np.moveaxis(prices, 1, 0).reshape(prices.shape[1], -1)
    _, first, group = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    found = evaluate(market(instance, group.reshape(-1)), prices[:, first] / model.units, Limits())
    assert found is not None
    return bound_of(found)
