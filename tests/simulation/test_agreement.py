"""The engine agrees with the judge, over all options of the model."""

import pytest
from agreement import differences
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import makespan_instances, makespan_schedules

from ringyard.instances.generate import generate
from ringyard.simulation import make_plan, to_schedule


@settings(max_examples=100)
@given(st.data())
def test_engine_and_judge_agree(data: st.DataObject) -> None:
    instance = data.draw(makespan_instances())
    schedule = data.draw(makespan_schedules(instance, latest=12))
    assert differences(instance, schedule) == []


@pytest.mark.parametrize("contention", ["server_uplink", "fluid"])
def test_a_crowded_cluster_agrees(contention: str) -> None:
    """Hundreds of rings start at once on every server, far beyond its capacity."""
    instance = generate("tight", seed=3, jobs=120, servers=12, contention=contention)
    spots = [
        [((k * 7 + i) % 12, job.gpus // 4 or 1) for i in range(min(4, job.gpus))]
        for k, job in enumerate(instance.jobs)
    ]
    plan = make_plan([float(k % 9) for k in range(120)], spots)
    assert differences(instance, to_schedule(instance, plan, "test")) == []
