"""Which judge a schedule goes to: each problem family has its own."""

from typing import Any

from ...families import family_of
from ...instances.errors import InputError, Problem
from ...instances.reading.files import AnySchedule, Instance


def check(instance: Instance, schedule: AnySchedule) -> Any:
    """Check a schedule against its instance, recomputing everything from the raw data.

    Returns the verdict of the family's own judge.

    Raises:
        InputError: If the schedule answers another family's instances.
    """
    family = family_of(instance)
    if isinstance(schedule, family.schedule):
        return family.judge(instance, schedule)
    expected = f"the schedule of {instance.kind!r} instances: {instance.kind}-schedule"
    problem = Problem("kind", schedule.kind, expected, "name another file")
    raise InputError(schedule.instance, [problem])
