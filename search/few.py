"""Where few jobs are there, several methods are asked and the best answer is kept.

No method is best on all instances. To ask others beside the default costs little as long as there
are few jobs; how few these are is said here for every family where it is done.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Any, TypeVar

from ..instances import InputError, RefusedError, RingyardError

FEW = {"makespan": 24, "fleet": 30, "trace": 3, "online": 3, "reserved": 3, "transfers": 3}
"""Jobs, or updates, at most. The portfolios of the first two families ask others by themselves; in
the other four the runner asks all methods if none is named."""

TICKS, PLACES = 30, 60
"""What else is small in these four: ticks that all jobs take; slots times machines times jobs."""

Answered = TypeVar("Answered")


def is_few(instance: Any) -> bool:
    """Say whether an instance has so few jobs that its default may ask others."""
    jobs = instance.updates if instance.kind == "transfers" else instance.jobs
    return len(jobs) <= FEW[instance.kind]


def is_small(instance: Any) -> bool:
    """Say whether the runner asks all methods of an instance for which none is named."""
    match instance.kind:
        case "trace":
            ticks = sum(job.duration_s for job in instance.jobs) / instance.tick_s
            return is_few(instance) and ticks <= TICKS
        case "online" | "reserved":
            places = len(instance.jobs) * len(instance.machines) * instance.horizon_slots
            return is_few(instance) and places <= PLACES
        case "transfers":
            return is_few(instance)
        case _:
            return False


def answers_of(
    asks: Iterable[Callable[[], Answered]], enough: Callable[[Answered], bool]
) -> Iterator[Answered]:
    """Ask in turn until one answer is enough; yield the answers.

    A refusal costs that answer only. Raises the last one if nobody answers.
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
    """Ask in turn until one answer is enough; return the best, by a choice between two."""
    return reduce(better, answers_of(asks, enough))
