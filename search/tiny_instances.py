"""On tiny instances, run every method and keep the best answer.

No method is best on all instances, and on a tiny one the other methods cost little compared with
the default. Two portfolios run other methods by themselves. If no method is named, the runner runs
all methods on instances that the records of families call small.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Any, TypeVar

from ..instances import InputError, RefusedError, RingyardError

JOBS = 3
"""Most jobs, or updates, for which the runner runs all methods if none is named."""

TICKS, PLACES = 30, 60
"""Other limits of these: ticks of all jobs. Slots times machines times jobs."""

Answered = TypeVar("Answered")


def few_ticks(instance: Any) -> bool:
    """Return True if there are few jobs with few ticks."""
    ticks = sum(job.duration_s for job in instance.jobs) / instance.tick_s
    return len(instance.jobs) <= JOBS and bool(ticks <= TICKS)


def few_slots(instance: Any) -> bool:
    """Return True if there are few jobs, with few slots and machines."""
    places = len(instance.jobs) * len(instance.machines) * instance.horizon_slots
    return len(instance.jobs) <= JOBS and bool(places <= PLACES)


def answers_of(
    asks: Iterable[Callable[[], Answered]], enough: Callable[[Answered], bool]
) -> Iterator[Answered]:
    """Run methods in turn until one answer is enough. Yield the answers.

    A refusal costs that answer only. Raises the last one if no method answers.
    """
    answered, refused = False, list[RingyardError]()
    for ask in asks:
        try:
            answer = ask()
        except (RefusedError, InputError) as error:
            refused.append(error)
            continue
        answered = True
        yield answer
        if enough(answer):
            break
    if not answered:
        raise refused[-1]


def best_of(
    asks: Iterable[Callable[[], Answered]],
    better: Callable[[Answered, Answered], Answered],
    enough: Callable[[Answered], bool],
) -> Answered:
    """Run methods in turn until one answer is enough. Return the best, by a choice between two."""
    return reduce(better, answers_of(asks, enough))
