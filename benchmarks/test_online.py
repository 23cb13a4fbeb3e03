"""Policies of the family `online`, at the size of PD-ORS's experiments and at a hundred times that.

The whole schedule is timed; `jobs_per_second` is how many jobs are decided on in a second.
"""

from functools import cache
from typing import Any

import pytest

import ringyard
from ringyard.instances import OnlineInstance, Outcome
from ringyard.policies.online import dorm, drf, fifo, oasis, pd_ors, pd_ors_corrected
from ringyard.policies.request import Request, usual

POLICIES = (fifo, drf, dorm, oasis, pd_ors, pd_ors_corrected)


@cache
def instance_of(family: str) -> OnlineInstance:
    """Return the first instance of a family, made once."""
    return ringyard.generate(family, seed=0)


def schedule(module: Any, family: str) -> Outcome:
    """Run a policy over the whole horizon."""
    return module.run(instance_of(family), Request(options=usual(module)))


@pytest.mark.parametrize("family", ["pdors", "pdors-large"])
@pytest.mark.parametrize("module", POLICIES, ids=lambda module: module.NAME)
@pytest.mark.benchmark(group="policies of the family online")
def test_policies(benchmark: Any, module: Any, family: str) -> None:
    schedule(module, "pdors-small")
    if not benchmark.enabled:
        family = "pdors"
    rounds = 1 if family == "pdors-large" else 5
    outcome = benchmark.pedantic(schedule, (module, family), rounds=rounds)
    assert ringyard.check(instance_of(family), outcome.schedule).valid
    if benchmark.enabled:
        seconds = benchmark.stats.stats.mean
        benchmark.extra_info["jobs_per_second"] = len(instance_of(family).jobs) / seconds
