"""Every rule of the engine on a case small enough to be worked out by hand."""

from decimal import Decimal

import numpy as np
import pytest
from check.fleet.logs import fleet, job
from rental_small import power, stream
from simulation.fleet.hand import played, rows, stages, widths

from ringyard.instances import (
    Choice,
    PowerLaw,
    RentalPlan,
    SpeedPoint,
    SpeedTable,
    Stretch,
    TypePlan,
)
from ringyard.simulation.fleet.stream import rate

LINEAR = power(1)
ONE = stream("a", 1, (1, LINEAR))
TWO = stream("a", 1, (1, LINEAR), (1, LINEAR))


def table(speed: str) -> SpeedTable:
    points = (("1", "1"), ("2", speed))
    return SpeedTable(
        points=tuple(SpeedPoint(gpus=Decimal(k), speed=Decimal(s)) for k, s in points)
    )


@pytest.mark.parametrize(
    ("speed", "units"),
    [
        ("1.0000005", 1_000_000),
        ("1.0000015", 1_000_002),
        ("1.00000050001", 1_000_001),
        ("0.0000001", 1),
    ],
)
def test_rates_are_rounded_to_the_nearest_and_halves_to_even(speed: str, units: int) -> None:
    assert rate(table(speed), 2000) == units


def test_rates_between_points_and_behind_the_last() -> None:
    assert rate(table("1.5"), 1500) == 1_250_000
    assert rate(table("1.5"), 9000) == 1_500_000
    assert rate(PowerLaw(exponent=Decimal("0.5")), 2000) == 1_414_214


def test_the_rest_of_a_tick_is_lost_where_an_epoch_ends() -> None:
    """Three ticks of work at double speed take two ticks, twice."""
    got = played(fleet([TWO], job("j", "a", 3, 3)), widths(a=stages(2, 2)))
    assert got.end.tolist() == [4]
    assert rows(got.runs) == [(0, 0, 4, 2000)]


def test_a_job_stands_still_when_its_gpus_change_and_holds_the_new_ones() -> None:
    instance = fleet([TWO], job("j", "a", 4, 4), rescale_s=5)
    got = played(instance, widths(a=stages(1, 2)))
    assert rows(got.runs) == [(0, 0, 4, 1000), (0, 4, 11, 2000)]
    assert got.held.tolist() == [4 * 1000 + 7 * 2000]
    assert played(instance, widths(a=stages(2, 2))).end.tolist() == [4]


def test_a_job_changes_its_gpus_within_an_epoch() -> None:
    """Three tenths of ten ticks alone, the rest by seven."""
    parts = [Stretch(gpus=Decimal(k), part=Decimal(p)) for k, p in ((1, "0.3"), (7, "0.7"))]
    got = played(fleet([ONE], job("j", "a", 10)), widths(a=tuple(parts)))
    assert rows(got.runs) == [(0, 0, 3, 1000), (0, 3, 4, 7000)]


def test_gpus_are_paid_for_while_they_are_provided() -> None:
    got = played(fleet([ONE], job("j", "a", 4, arrival=2), provision_s=5), widths(a=1))
    assert (got.first.tolist(), got.end.tolist()) == ([7], [11])
    assert rows(got.leases) == [(1000, 2, 11)]
    assert got.paid == 9000
    assert got.held.tolist() == [4000]


def test_the_newest_are_given_back_first_and_those_on_their_way_are_not_waited_for() -> None:
    """`b` asks for a GPU at 12 that would come at 18; at 16 it gets the one of `a`."""
    jobs = job("a", "a", 10), job("b", "a", 3, arrival=12)
    got = played(fleet([ONE], *jobs, provision_s=6), widths(a=1))
    assert (got.first.tolist(), got.end.tolist()) == ([6, 16], [16, 19])
    assert rows(got.leases) == [(1000, 0, 19), (1000, 12, 16)]
    assert got.paid == 23_000


def test_a_lease_may_be_given_back_in_parts() -> None:
    """Both arrive at once, on one lease of 5 GPUs; 2 of them go when the first job ends."""
    types = [stream("a", 1, (1, LINEAR)), stream("b", 1, (1, LINEAR))]
    jobs = job("a", "a", 4), job("b", "b", 30)
    got = played(fleet(types, *jobs), widths(a=2, b=3))
    assert rows(got.leases) == [(2000, 0, 2), (3000, 0, 10)]


def test_nodes_are_leased_as_a_whole_and_shared() -> None:
    types = [stream("a", 1, (1, LINEAR)), stream("b", 1, (1, LINEAR))]
    jobs = job("a", "a", 30), job("b", "b", 2, arrival=1)
    got = played(fleet(types, *jobs, node_gpus=4), widths(a=3, b=1))
    assert rows(got.leases) == [(4000, 0, 10)]
    assert got.first.tolist() == [0, 1]
    wider = played(fleet(types, *jobs, node_gpus=4), widths(a=3, b=2))
    assert rows(wider.leases) == [(4000, 0, 10), (4000, 1, 2)]


def test_what_is_paid_for_is_kept_until_the_period_ends() -> None:
    """`b` arrives when `a` is gone, and uses what is left of its ten ticks."""
    jobs = job("a", "a", 4), job("b", "a", 3, arrival=6)
    got = played(fleet([ONE], *jobs, billing_s=10), widths(a=1))
    assert rows(got.leases) == [(1000, 0, 10)]
    assert got.paid == 10_000
    longer = job("a", "a", 4), job("b", "a", 5, arrival=6)
    got = played(fleet([ONE], *longer, billing_s=10), widths(a=1))
    assert rows(got.leases) == [(1000, 0, 20)]
    assert got.paid == 20_000


def test_gpus_of_a_job_that_ends_are_there_for_one_that_comes_at_that_tick() -> None:
    jobs = job("a", "a", 3), job("b", "a", 2, arrival=3)
    got = played(fleet([ONE], *jobs), widths(a=1))
    assert rows(got.leases) == [(1000, 0, 5)]


def test_nobody_passes_a_job_that_waits() -> None:
    """A kept GPU would be enough for `b` from 9 on, but `a` came first and waits for two."""
    types = [stream(name, 1, (1, LINEAR)) for name in "cab"]
    jobs = job("c", "c", 2), job("a", "a", 20, arrival=8), job("b", "b", 1, arrival=9)
    got = played(fleet(types, *jobs, provision_s=5, billing_s=100), widths(c=1, a=2, b=1))
    assert got.first.tolist() == [5, 13, 14]


def test_marks_are_the_integrals_of_what_is_rented_and_held() -> None:
    jobs = job("a", "a", 4), job("b", "a", 4, arrival=2)
    got = played(fleet([ONE], *jobs, provision_s=3), widths(a=1), marks=np.array([0, 2, 4, 9]))
    assert got.first.tolist() == [3, 5]
    assert got.marks.tolist() == [
        [0, 0, 0],
        [2, 2000, 0],
        [4, 4000 + 2000, 1000],
        [9, 7000 + 7000, 4000 + 4000],
    ]


def test_a_type_with_two_choices_draws_by_their_shares() -> None:
    instance = fleet([ONE], *(job(f"j{i}", "a", 6) for i in range(2000)))
    choices = tuple(
        Choice(share=Decimal(share), stretches=stages(k)) for share, k in (("0.25", 1), ("0.75", 3))
    )
    plan = RentalPlan(instance="small", types=(TypePlan(type="a", choices=choices),))
    got = played(instance, plan, seed=3)
    assert set(got.end.tolist()) == {6, 2}
    assert abs((got.end == 6).sum() - 500) < 5 * np.sqrt(2000 * 0.25 * 0.75)
    assert got.end.tolist() == played(instance, plan, seed=3).end.tolist()
    assert got.end.tolist() != played(instance, plan, seed=4).end.tolist()
