"""How plans, times and premises read, and what the figure of a curve shows."""

from decimal import Decimal
from typing import Any

import pytest

from ringyard.analysis.rental import (
    bend,
    counted_gpus,
    gpus_text,
    lease_premises,
    plan_text,
    premises,
    time_text,
)
from ringyard.analysis.rental.tables import CurvePoint, _tangent, curve_table, widths_of
from ringyard.instances import (
    Amdahl,
    Choice,
    Epoch,
    JobType,
    RentalInstance,
    SpeedTable,
    Stretch,
    TypePlan,
)
from ringyard.instances.speedup import SpeedPoint


def plan(*ways: tuple[str, list[tuple[int, str, str]]]) -> TypePlan:
    """Return a plan of choices: share, and (epoch, GPUs, part) of each stretch."""
    return TypePlan(
        type="a",
        choices=tuple(
            Choice(
                share=Decimal(share),
                stretches=tuple(
                    Stretch(epoch=e, gpus=Decimal(gpus), part=Decimal(part))
                    for e, gpus, part in stretches
                ),
            )
            for share, stretches in ways
        ),
    )


@pytest.mark.parametrize(
    ("ways", "text"),
    [
        ([("1", [(0, "6.00000000001", "1")])], "6"),
        ([("1", [(0, "4", "1"), (1, "4", "1")])], "4"),
        ([("1", [(0, "4", "1"), (1, "1234.5", "1")])], "4, 1,234.5"),
        ([("0.4", [(0, "6", "1")]), ("0.6", [(0, "9", "1")])], "6 (40 %) or 9 (60 %)"),
        ([("1", [(0, "4", "0.25"), (0, "5", "0.75")])], "4 for 25 %, 5 for 75 %"),
    ],
)
def test_a_plan_reads_as_what_jobs_hold(ways: list[Any], text: str) -> None:
    assert plan_text(plan(*ways)) == text


def test_widths_are_told_by_epoch_with_their_part_of_the_work() -> None:
    both = plan(("0.5", [(0, "2", "1"), (1, "4", "1")]), ("0.5", [(0, "2", "1"), (1, "8", "1")]))
    assert widths_of(both) == (((2.0, 1.0),), ((4.0, 0.5), (8.0, 0.5)))


@pytest.mark.parametrize(
    ("hours", "text"),
    [(1 / 3, "20 min"), (2, "2 h"), (1234.5678, "1,235 h"), (0.01, "36 s"), (0.0, "0 s")],
)
def test_times_have_the_unit_that_suits_them(hours: float, text: str) -> None:
    assert time_text(hours) == text


def test_gpus_have_three_decimals_at_most() -> None:
    assert [gpus_text(k) for k in (9.0, 2.4286, 10.0, 4000)] == ["9", "2.429", "10", "4,000"]
    assert [gpus_text(k) for k in (0.0139643, 2e-9, 0.0)] == ["0.01396", "2e-09", "0"]
    assert [counted_gpus(k) for k in (1.0, 2.0, 0.8)] == ["1 GPU", "2 GPUs", "0.8 GPUs"]


@pytest.mark.parametrize(
    ("points", "at"),
    [
        ([(1, "1"), (2, "1.8"), (4, "2.4")], None),
        ([(1, "1"), (2, "2"), (4, "4")], None),
        ([(1, "1"), (2, "2.1")], "1"),
        ([(1, "1"), (2, "1.2"), (4, "2.4")], "2"),
        ([(1, "1"), (2, "1.5"), (4, "1.4")], "2"),
        ([(1, "1")], None),
    ],
)
def test_where_a_table_is_not_concave(points: list[tuple[int, str]], at: str | None) -> None:
    assert bend(table(*points)) == at


def table(*points: tuple[int, str]) -> SpeedTable:
    return SpeedTable(
        points=tuple(SpeedPoint(gpus=Decimal(k), speed=Decimal(s)) for k, s in points)
    )


def instance(**other: Any) -> RentalInstance:
    epochs = (
        Epoch(work_h=Decimal(1), speedup=Amdahl(parallel=Decimal("0.8"))),
        Epoch(work_h=Decimal(1), speedup=table((1, "1"), (2, "1.2"), (4, "2.4"))),
    )
    one = JobType(name="a", rate_per_h=Decimal(1), epochs=epochs)
    return RentalInstance(name="x", types=(one,), budget_gpus=Decimal(4), **other)


def test_premises_say_why_they_are_not_met() -> None:
    found = {one.name: one.unmet for one in premises(instance(rescale_s=Decimal(30)))}
    assert found["concave speed-ups"].startswith("the table of 'a', epoch 1 falls, or rises faster")
    assert found["fractions of GPUs"] == ""
    assert found["free changes of width"].startswith("a width change pauses a job for 30 s")
    whole = {one.name: one.unmet for one in premises(instance(widths="whole"))}
    assert whole["fractions of GPUs"].startswith("widths are integers")
    assert whole["free changes of width"] == ""


def test_leases_of_single_gpus_by_the_tick_meet_all_premises() -> None:
    tick = Decimal(2)
    assert not any(one.unmet for one in lease_premises(Decimal(0), 1, tick, tick))
    late, lumps = lease_premises(Decimal(60), 8, Decimal(600), tick)
    assert late.unmet.startswith("they arrive 60 s after")
    assert lumps.unmet == "leased in nodes of 8 and billed by 600 s"


def points(*widths: float) -> list[CurvePoint]:
    return [
        CurvePoint(budget_gpus=b, spend_per_h=b, mean_jct_h=1 / b, saves_h=1 / b**2, widths=widths)
        for b in (1.0, 2.0, 4.0)
    ]


def test_the_tangent_touches_the_curve_and_stays_in_its_frame() -> None:
    every = points()
    (left, above), (right, below) = _tangent(every[1], every)
    assert (left, above) == (1.0, 0.75)
    assert (right, below) == (3.0, 0.25)


def test_a_level_curve_has_no_tangent() -> None:
    flat = CurvePoint(budget_gpus=2, spend_per_h=2, mean_jct_h=1, saves_h=0, widths=())
    assert _tangent(flat, points()) == ()


def test_a_curve_shows_widths_where_they_are_known() -> None:
    assert curve_table(points(3.0), ["a"], "").columns[-1].head == "a"
    assert curve_table(points(), ["a"], "").columns[-1].head == "saves, min"
    assert "left out: 5 epochs" in curve_table(points(), list("abcde"), "").notes[-1]
