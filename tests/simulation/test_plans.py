"""Schedules and plans turn into each other without loss."""

from hypothesis import given
from hypothesis import strategies as st
from strategies import makespan_instances, makespan_schedules

from ringyard.simulation import to_plan, to_schedule


@given(st.data())
def test_there_and_back(data: st.DataObject) -> None:
    instance = data.draw(makespan_instances())
    schedule = data.draw(makespan_schedules(instance))
    back = to_schedule(instance, to_plan(instance, schedule), "test")
    before = [(a.job, a.start_slot, a.gpus) for a in schedule.assignments]
    assert [(a.job, a.start_slot, a.gpus) for a in back.assignments] == before
