"""Methods that are functions in Python: one name for each, whatever options or values differ."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import ringyard
from ringyard import policy

INSTANCE = "hand-contend"


@policy("makespan")
def my_sched(waiting: Any, idle: Any, widest_first: bool = True, most: int = 9) -> Any:
    """Jobs by the number of their GPUs."""
    for job in sorted(waiting, key=lambda job: job.gpus, reverse=widest_first)[:most]:
        if pieces := idle.fit(job):
            yield job, pieces


def solved(*methods: Any) -> ringyard.Campaign:
    instance = ringyard.load(INSTANCE)
    return ringyard.collect([ringyard.solve(instance, method) for method in methods])


def closure(method: str) -> Callable[..., Any]:
    def mine(instance: Any) -> Any:
        return ringyard.solve(instance, method).schedule

    return mine


def other_code() -> Callable[..., Any]:
    def mine(instance: Any) -> Any:
        return ringyard.solve(instance, "first-fit", seed=1).schedule

    return mine


class Sched:
    """An object that is called."""

    def __init__(self, method: str, table: Any = ()) -> None:
        self.method, self.table = method, table

    def __call__(self, instance: Any) -> Any:
        return ringyard.solve(instance, self.method).schedule


def test_a_part_of_a_function_is_named_by_its_options() -> None:
    parts = [partial(my_sched, widest_first=w) for w in (False, True)]
    found = solved(*parts, partial(parts[0], most=2))
    names = ["no", "yes", "no:most=2"]
    assert [row["method"] for row in found] == [f"my_sched:widest_first={end}" for end in names]
    assert [row["options"] for row in found] == [f"widest_first={end}" for end in names]
    assert len(found.table("solvers").table.rows) == 3


def test_a_part_says_of_itself_what_the_function_says() -> None:
    answer = ringyard.solve(ringyard.load(INSTANCE), partial(my_sched, most=2))
    assert answer.method.about == "Jobs by the number of their GPUs"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (closure("gang-lpt"), closure("first-fit")),
        (closure("first-fit"), other_code()),
        (Sched("gang-lpt"), Sched("first-fit")),
        (Sched("gang-lpt", [1]), Sched("gang-lpt", [2])),
        (Sched("gang-lpt", ringyard.load("hand-lpt")), Sched("gang-lpt", ringyard.load(INSTANCE))),
    ],
)
def test_two_methods_of_one_name_are_refused(one: Any, other: Any) -> None:
    with pytest.raises(ringyard.InputError, match="differ in their code or values"):
        solved(one, other)


@pytest.mark.parametrize(
    "make",
    [
        partial(closure, "gang-lpt"),
        other_code,
        partial(Sched, "gang-lpt", {"a": [1]}),
        partial(partial, my_sched, most=2),
    ],
)
def test_the_same_code_and_values_are_repetitions(make: Callable[[], Any]) -> None:
    assert [row["repetition"] for row in solved(make(), make())] == [0, 1]
