"""Drawing jobs of a fleet: a million of them, under each law of arrivals."""

from decimal import Decimal
from typing import Any

import pytest

from ringyard.instances.fleet.mix import draw
from ringyard.instances.generate import generate

JOBS = 1_000_000


@pytest.mark.parametrize("arrivals", ["poisson", "bursty"])
@pytest.mark.benchmark(group="draw a million jobs")
def test_draw(benchmark: Any, arrivals: str) -> None:
    types = generate("rental-mixed", seed=0).types
    found = benchmark.pedantic(
        draw,
        (types, JOBS, 0),
        {"arrivals": arrivals, "tick_s": Decimal(1)},
        rounds=3,
    )
    assert len(found.at) == len(found.work) == JOBS
