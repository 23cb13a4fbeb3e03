"""Random `coded` instances for campaigns."""

from decimal import Decimal

from numpy.random import default_rng

from ...instances import CodedInstance
from ...instances.generate import generate


def random_coded(seed: int, index: int) -> CodedInstance:
    """Return instance number `index` of a campaign about `coded` methods."""
    rng = default_rng((seed, index))
    law = ("shifted-exponential", "pareto", "bimodal", "measured")[int(rng.integers(4))]
    made: CodedInstance = generate(
        "coded",
        seed=index,
        name=f"coded-{seed}-{index}",
        workers=int(rng.integers(1, 41)),
        rows=None if rng.integers(2) else int(rng.integers(1, 200)),
        law=law,
        least_s=Decimal(int(rng.integers(1, 100))) / 10,
        rate_per_s=Decimal(int(rng.integers(1, 100))) / 10,
        tail=Decimal(int(rng.integers(11, 50))) / 10,
        slow_s=Decimal(int(rng.integers(10, 1000))),
        slow=Decimal(int(rng.integers(0, 101))) / 100,
        samples=int(rng.integers(1, 30)),
    )
    return made
