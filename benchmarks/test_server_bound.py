"""The bound by server configurations: its time, and its value beside the area and a schedule.

The values are in the `extra_info` of what `--benchmark-json` writes.
"""

from typing import Any

import pytest

from ringyard import solve
from ringyard.formulations.makespan.server_bound import server_bound
from ringyard.instances import Limits
from ringyard.instances.catalogue import load
from ringyard.search.makespan.bounds.counting import combinatorial_bounds

NAMES = (
    "knot-full-s0",
    "knot-full-s1",
    "knot-half-s0",
    "knot-cheap-s0",
    "knot-cheap-s1",
    "tight-full-s0",
    "tight-half-s0",
    "tight-cheap-s0",
    "mobihoc-10-s0",
    "mobihoc-20-s0",
    "small-08x4",
    "small-16x6",
    "large-2000-s0",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.benchmark(group="server configurations")
def test_bound(benchmark: Any, name: str) -> None:
    instance = load(name)
    bound = benchmark.pedantic(server_bound, (instance, Limits()), rounds=3, warmup_rounds=1)
    counted = combinatorial_bounds(instance)
    area = next(one.value for one in counted if one.name == "area")
    schedule = solve(instance, "gang-lpt").objective
    assert bound.value <= schedule
    found = {"area": area, "counted": counted[0].value, "bound": bound.value, "lpt": schedule}
    benchmark.extra_info.update({key: int(value) for key, value in found.items()})
