"""Stretches of time with too many GPUs in use, on one of two servers of 2 GPUs."""

from typing import Any

import pytest
from check.cases import breaches, job, make_instance, plan

from ringyard.analysis.check import check

Row = tuple[Any, int, int]


def crowd(*rows: Row, **fields: Any) -> list[tuple[str, Any]]:
    """Return where and by how much rows of (start, length, GPUs) exceed the capacity."""
    jobs = [job(f"j{i}", gpus, length) for i, (_, length, gpus) in enumerate(rows)]
    entries = [(f"j{i}", start, {"s0": gpus}) for i, (start, _, gpus) in enumerate(rows)]
    found = breaches(check(make_instance(jobs, [2, 2], **fields), plan(*entries)))
    assert all(rule == "capacity" for rule, _, _ in found)
    return [(where.removeprefix("server s0, slots "), amount) for _, where, amount in found]


@pytest.mark.parametrize(
    ("rows", "excess"),
    [
        ([(0, 3, 2), (3, 3, 2)], []),
        ([(0, 3, 1), (0, 3, 1), (3, 1, 2)], []),
        ([(0, 3, 1), (2, 3, 2)], [("[2, 3)", 1)]),
        ([(2, 3, 2), (0, 3, 2)], [("[2, 3)", 2)]),
        ([(0, 2, 3)], [("[0, 2)", 1)]),
        ([(0, 9, 1), (1, 1, 2), (5, 2, 2)], [("[1, 2)", 1), ("[5, 7)", 1)]),
        ([(0, 9, 2), (1, 4, 1), (2, 1, 2)], [("[1, 5)", 3)]),
        ([(0, 9, 2), (1, 1, 2), (2, 1, 1)], [("[1, 3)", 2)]),
        ([(0, 9, 2), (1, 1, 1), (2, 1, 1)], [("[1, 3)", 1)]),
        ([(0, 9, 2), (1, 1, 3), (4, 1, 1)], [("[1, 2)", 3), ("[4, 5)", 1)]),
    ],
)
def test_stretches_with_too_many_gpus_are_found_with_their_excess(
    rows: list[Row], excess: list[tuple[str, int]]
) -> None:
    assert crowd(*rows) == excess


def test_every_server_is_told_apart() -> None:
    instance = make_instance([job("a", 3, 2), job("b", 3, 4), job("c", 1, 1)], [2, 2, 2])
    schedule = plan(("a", 0, {"s0": 3}), ("b", 1, {"s2": 3}), ("c", 0, {"s1": 1}))
    assert breaches(check(instance, schedule)) == [
        ("capacity", "server s0, slots [0, 2)", 1),
        ("capacity", "server s2, slots [1, 5)", 1),
    ]


def test_moments_inside_slots() -> None:
    rows: list[Row] = [("0.5", 1, 2), ("1.25", 1, 1)]
    assert crowd(*rows, progress="continuous") == [("[5/4, 3/2)", 1)]
    # Slots of 0.3 seconds: a job of one iteration of a second takes 10/3 slots.
    assert crowd((0, 1, 3), progress="continuous", slot_s="0.3") == [("[0, 10/3)", 1)]


def test_long_fractions_are_shown_rounded() -> None:
    short = crowd(("0.0000016", 1, 3), progress="continuous")
    assert short == [("[1/625000, 625001/625000)", 1)]
    long = crowd(("0.000001", 1, 3), progress="continuous")
    assert long == [("[about 0.000001, about 1.000001)", 1)]
    longer = crowd(("0.0000036", 1, 3), progress="continuous")
    assert longer == [("[about 0.000004, about 1.000004)", 1)]
