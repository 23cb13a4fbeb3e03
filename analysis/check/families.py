"""Which judge a schedule goes to: each problem family has its own."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

from ...families import family_of
from ...instances.errors import InputError, Problem
from ...instances.reading.files import AnySchedule, Instance
from .verdict import Violation


class AnyVerdict(Protocol):
    """What the verdicts of all families say; each says more."""

    @property
    def valid(self) -> bool: ...  # noqa: D102

    @property
    def violations(self) -> Sequence[Violation]: ...  # noqa: D102

    @property
    def objective(self) -> Fraction | None: ...  # noqa: D102


def check(instance: Instance, schedule: AnySchedule) -> Any:
    """Hold a schedule against its instance, recomputing everything from the raw data.

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
