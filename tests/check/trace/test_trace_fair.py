"""Fair sharing of links, as the judge fills them, against rings that rise together."""

from fractions import Fraction
from random import Random

import pytest
from check.trace.naive import fair

from ringyard.analysis.check.contention import max_min_rates


@pytest.mark.parametrize("seed", range(40))
def test_rates_are_those_of_rings_that_rise_together(seed: int) -> None:
    rng = Random(seed)
    width = {f"link {i}": Fraction(rng.randint(1, 9), rng.randint(1, 3)) for i in range(6)}
    routes = {ring: rng.sample(list(width), rng.randint(1, 4)) for ring in range(8)}
    assert max_min_rates(routes, width) == fair(routes, width)
