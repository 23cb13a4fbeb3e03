"""Policies of the family `online`, at the size of PD-ORS's experiments and at a hundred times that.

The whole schedule is timed; `jobs_per_second` is how many jobs are decided on in a second.
"""

from typing import Any

import pytest

import ringyard
from ringyard.instances import OnlineInstance, Outcome
from ringyard.policies.online import oasis, pd_ors
from ringyard.policies.online.baselines import DORM, DRF, FIFO
from ringyard.policies.online.pd_ors import PD_ORS_CORRECTED
from ringyard.policies.request import Request, usual

POLICIES = {
    "fifo": FIFO,
    "drf": DRF,
    "dorm": DORM,
    "oasis": oasis,
    "pd-ors": pd_ors,
    "pd-ors-corrected": PD_ORS_CORRECTED,
}


def schedule(module: Any, instance: OnlineInstance) -> Outcome:
    """Run a policy over the whole horizon."""
    return module.run(instance, Request(options=usual(module)))


@pytest.mark.parametrize("family", ["pdors", "pdors-large"])
@pytest.mark.parametrize("module", POLICIES.values(), ids=POLICIES)
@pytest.mark.benchmark(group="policies of the family online")
def test_policies(benchmark: Any, made: Any, rates: Any, module: Any, family: str) -> None:
    schedule(module, made("pdors-small"))
    instance = made(family if benchmark.enabled else "pdors")
    rounds = 1 if family == "pdors-large" and benchmark.enabled else 5
    outcome = benchmark.pedantic(schedule, (module, instance), rounds=rounds)
    assert ringyard.check(instance, outcome.schedule).valid
    rates(jobs=len(instance.jobs))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.benchmark(group="the default with 400 jobs and 25 s: the gap is in extra_info")
def test_the_default_at_a_time_limit(benchmark: Any, seed: int) -> None:
    jobs, limit = (400, 25.0) if benchmark.enabled else (40, 0.5)
    instance = ringyard.generate("pdors", seed=seed, jobs=jobs)
    answer = benchmark.pedantic(
        ringyard.solve, (instance,), {"time_limit": limit}, rounds=1, iterations=1
    )
    assert answer.valid
    benchmark.extra_info["gap"] = float(answer.gap)
