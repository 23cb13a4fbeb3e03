"""Random tiny instances of the family `shuffle`."""

from decimal import Decimal
from typing import Any

from numpy.random import default_rng

from ...instances import ShuffleInstance
from ...instances.generate import generate


def random_shuffle(seed: int, index: int) -> ShuffleInstance:
    """Return instance number `index` of a campaign about `shuffle` methods."""
    rng = default_rng((seed, index))
    workers = int(rng.integers(1, 7))
    options: dict[str, Any] = {
        "rows": int(rng.integers(workers, 4 * workers + 1)),
        "workers": workers,
        "multicast": Decimal(str(rng.choice(["0.5", "1", "1", "1.5", "2", "3"]))),
        "wishes": str(rng.choice(["epoch", "any", "any"])),
        "has": Decimal(str(rng.choice(["0.2", "0.5", "0.8"]))),
        "wants": Decimal(str(rng.choice(["0.2", "0.5"]))),
    }
    name = f"shuffle-{seed}-{index}"
    made: ShuffleInstance = generate("tiny-shuffle", seed=index, name=name, **options)
    return made
