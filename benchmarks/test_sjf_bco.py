"""SJF-BCO: all load limits and all thresholds, at the paper's size and far beyond."""

from functools import cache
from typing import Any

import pytest

from ringyard.instances import MakespanInstance, Outcome
from ringyard.instances.catalogue import load
from ringyard.policies.makespan import sjf_bco
from ringyard.policies.makespan.sjf_bco import ProvedOptions, run_proved
from ringyard.policies.request import Request


@cache
def instance_of(name: str) -> MakespanInstance:
    """Return an instance of the catalogue, read once."""
    return load(name)


def published(name: str, **options: Any) -> Outcome:
    """Run the whole of SJF-BCO."""
    chosen = sjf_bco.Options(**options)
    return sjf_bco.run(instance_of(name), Request(options=chosen))


def proved(name: str) -> Outcome:
    """Run the variant that assigns first."""
    return run_proved(instance_of(name), Request(options=ProvedOptions()))


SIZES = ["mobihoc-20-s0", "large-2000-s0", "large-20000-s0"]


@pytest.mark.parametrize("mode", ["least_exec", "pack"])
@pytest.mark.parametrize("name", SIZES)
@pytest.mark.benchmark(group="SJF-BCO, all load limits and thresholds")
def test_published(benchmark: Any, name: str, mode: str) -> None:
    published("hand-theorem5", mode=mode)
    rounds = 1 if name == "large-20000-s0" else 5
    subject = name if benchmark.enabled else SIZES[0]
    outcome = benchmark.pedantic(published, (subject,), {"mode": mode}, rounds=rounds)
    assert outcome.schedule is not None


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.benchmark(group="SJF-BCO, assigned first")
def test_proved(benchmark: Any, name: str) -> None:
    proved("hand-theorem5")
    subject = name if benchmark.enabled else SIZES[0]
    outcome = benchmark.pedantic(proved, (subject,), rounds=3, warmup_rounds=1)
    assert outcome.schedule is not None
