"""What work costs at least at a price of GPUs, against the cost at many widths."""

from decimal import Decimal
from fractions import Fraction

import pytest

from ringyard.analysis.check.certificates.rental import least
from ringyard.instances.speedup import (
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
@pytest.mark.parametrize("price", ["1/7", "1/2", "1", "10"])
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
