"""The three jobs of Tiresias' worked example, policy by policy, tick by tick."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from policies.trace.played import ends, example, mean_jct, turns

GITTINS = "2d-gittins:interval_s=1"


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("srsf", (2, 10, 16)),
        ("srtf", (2, 16, 8)),
        (f"{GITTINS}:index=figure20", (2, 12, 16)),
        ("2d-las:interval_s=1", (5, 14, 16)),
        (GITTINS, (2, 10, 16)),
        ("tiresias-l:thresholds=[3]", (2, 12, 16)),
        ("tiresias-l:thresholds=[4]", (2, 12, 16)),
        (f"{GITTINS}:index=simulator:ahead_s=8", (2, 12, 16)),
        (f"{GITTINS}:index=simulator:ahead_s=12", (2, 12, 16)),
        (f"{GITTINS}:index=simulator:ahead_s=16", (2, 12, 16)),
        ("sjf", (2, 16, 8)),
        ("sjf:size=gpus", (10, 8, 16)),
        ("sjf:size=gpu-time", (2, 10, 16)),
        ("fifo", (2, 10, 16)),
    ],
)
def test_jobs_end_as_in_the_worked_example(method: str, expected: tuple[int, ...]) -> None:
    assert tuple(ends(example(), method).values()) == expected


def test_who_runs_when_under_2d_las() -> None:
    order = "J1 J2 J3 J2 J1 J2 J3 J2 J2 J3 J2 J2 J3 J2 J3 J3"
    assert turns(example(), "2d-las:interval_s=1") == order.split()


def test_who_runs_when_with_the_index_of_the_slides() -> None:
    order = ["J1"] * 2 + ["J2"] * 4 + ["J3"] * 2 + ["J2"] * 4 + ["J3"] * 4
    assert turns(example(), f"{GITTINS}:index=figure20") == order


@pytest.mark.parametrize(
    ("quantum", "mean"),
    [("0.5", Fraction(73, 6)), ("1", Fraction(35, 3)), ("2", Fraction(32, 3))],
)
def test_the_quantum_of_2d_las(quantum: str, mean: Fraction) -> None:
    instance = replace(example(), tick_s=Decimal("0.5"))
    assert mean_jct(instance, f"2d-las:interval_s={quantum}") == mean
