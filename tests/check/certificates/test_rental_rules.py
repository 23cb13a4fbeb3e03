"""What work costs at least at a price of GPUs, against the cost at many widths."""

from decimal import Decimal
from fractions import Fraction

import pytest
from little import few

from ringyard.analysis.check.certificates.reading import ProofStep
from ringyard.analysis.check.certificates.rental import RULES, least
from ringyard.instances import Epoch, FleetInstance, FleetJob, JobType
from ringyard.instances.speedup import (
    MOST_GPUS,
    Amdahl,
    PowerLaw,
    SpeedPoint,
    SpeedTable,
    Speedup,
    speed_at,
)

CURVES = [
    *(Amdahl(parallel=Decimal(part)) for part in ("0", "0.5", "0.9", "1")),
    *(PowerLaw(exponent=Decimal(part)) for part in ("0.25", "0.5", "0.8", "1")),
    SpeedTable(
        points=tuple(
            SpeedPoint(gpus=Decimal(gpus), speed=Decimal(speed))
            for gpus, speed in (("1", "1"), ("2.5", "2"), ("6", "3.5"), ("9.5", "3.25"))
        )
    ),
]


@pytest.mark.parametrize("speedup", CURVES)
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("price", few(1, ["1/7", "1/2", "1", "10"]))
def test_no_width_is_cheaper_and_some_is_hardly_dearer(
    speedup: Speedup, whole: bool, price: str
) -> None:
    weight, nu, parts = Fraction(3), Fraction(price), 1 if whole else 8
    widths = [Decimal(k) / parts for k in range(parts, 100 * parts)]
    costs = [(weight + nu * Fraction(k)) / speed_at(speedup, k) for k in widths]
    said, best = least(speedup, weight, nu, whole), min(costs)
    # Powers have fifty digits here.
    assert said <= best * (1 + Fraction(1, 10**40))
    if best < costs[-1]:
        near = Fraction(1, 10**40) if whole else Fraction(1, 50)
        assert said >= best * (1 - near)


def table(*points: str) -> SpeedTable:
    """Return a table of points such as `2:1.5`: GPUs, and their speed."""
    pairs = [tuple(map(Decimal, point.split(":"))) for point in points]
    return SpeedTable(points=tuple(SpeedPoint(gpus=gpus, speed=speed) for gpus, speed in pairs))


HALF, MANY = Decimal("0.5"), Fraction(MOST_GPUS)


@pytest.mark.parametrize(
    ("speedup", "weight", "nu", "whole", "cheapest"),
    [
        # The best width is 16, where 16 GPUs are 8 times as fast.
        (PowerLaw(exponent=Decimal("0.75")), 16, 3, False, Fraction(16 + 48, 8)),
        # A GPU alone is best; its speed is 1 whatever the root.
        (PowerLaw(exponent=Decimal("0.12345")), 1, 9, False, Fraction(10)),
        (PowerLaw(exponent=Decimal("0.12345")), 1, 9, True, Fraction(10)),
        # All work is parallel: the most GPUs there may be are best.
        (Amdahl(parallel=Decimal(1)), 5, 2, True, (5 + 2 * MANY) / MANY),
        (Amdahl(parallel=Decimal(1)), 5, 2, False, (5 + 2 * MANY) / MANY),
        # Whole widths are 1, 2, 3 and 9: at 3 the speed is 2.5, as at the corner.
        (table("1:1", "2.5:2.5", "9:2.5"), 10, 1, True, Fraction(13) / Fraction("2.5")),
        (table("1:1", "2.5:2.5", "9:2.5"), 10, 1, False, Fraction(5)),
        (table("1:1"), 10, 1, True, Fraction(11)),
        (table("2:0.5"), 10, 1, False, Fraction(24)),
    ],
)
def test_the_cheapest_width_costs_exactly_that(
    speedup: Speedup, weight: int, nu: int, whole: bool, cheapest: Fraction
) -> None:
    assert least(speedup, Fraction(weight), Fraction(nu), whole) == cheapest


def test_between_one_gpu_and_two_a_part_is_cheapest() -> None:
    # (1 + k) (0.4 + 0.6 / k) is least where k k is 1.5; 2 is what one GPU costs.
    said = least(Amdahl(parallel=Decimal("0.6")), Fraction(1), Fraction(1), False)
    assert 0 <= 4 * Fraction("0.24") - (said - 1) ** 2 <= Fraction(1, 10**80)


def test_a_root_is_rounded_so_that_nothing_is_cheaper() -> None:
    # The best width is 2: the cost is 4 over the root of 2, and its square 8.
    said = least(PowerLaw(exponent=HALF), Fraction(2), Fraction(1), False)
    assert 0 < 8 - said**2 < Fraction(1, 10**50)


def rented(slowest: str) -> Fraction:
    """Return what follows for a job that has one GPU at that speed, if GPU-hours cost nothing."""
    epoch = Epoch(work_h=Decimal(1), speedup=table(f"1:{slowest}"))
    one = JobType(name="one", rate_per_h=Decimal(1), epochs=(epoch,))
    job = FleetJob(name="j", type="one", work_s=(Decimal(1),))
    fleet = FleetInstance(
        name="few", types=(one,), jobs=(job,), span_s=Decimal(3600), budget_gpus=Decimal(4)
    )
    return RULES["price of GPUs"](fleet, ProofStep(line=2, rule="", values={"gpu_hour": 0}))


@pytest.mark.parametrize(("slowest", "times"), [("0.5", "1.000001"), ("0.0000002", "5")])
def test_a_speed_in_millionths_counts_as_the_most_it_may_be(slowest: str, times: str) -> None:
    # A speed of 1 may have been 1.0000005; less than a millionth counts as a millionth.
    at_one = rented("1") * Fraction("1.0000005")
    assert rented(slowest) == at_one / Fraction(slowest) / Fraction(times)
