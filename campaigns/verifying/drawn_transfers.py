"""Random tiny `transfers` instances over all that a method may depend on."""

from decimal import Decimal
from typing import Any

from numpy.random import Generator, default_rng

from ...instances import TransfersInstance
from ...instances.generate import generate

SIMPLE = 0.4
"""Share of instances on which one link decides, as theorems about orders want it."""

FREE: dict[str, Any] = {
    "racks": 1,
    "slow": Decimal(0),
    "worker_gb_s": Decimal(3),
    "server_gb_s": Decimal("0.7"),
    "oversubscription": Decimal("0.5"),
    "ready_s": Decimal(0),
    "due_s": None,
    "aggregators": 0,
    "divergence": None,
    "goal": "mean",
}


def random_transfers(seed: int, index: int) -> TransfersInstance:
    """Return instance number `index` of a campaign."""
    rng = default_rng((seed, index))
    name = f"transfers-{seed}-{index}"
    found: TransfersInstance = generate("transfers", seed=index, name=name, **_options(rng))
    return found


def _options(rng: Generator) -> dict[str, Any]:
    workers = int(rng.integers(1, 7))
    most = _one_of(rng, 0, 0, 3)
    due = _one_of(rng, None, None, "1", "4")
    divergence = _one_of(rng, None, "0", "1", "2.5")
    free = FREE if rng.random() < SIMPLE else {}
    return {
        "workers": workers,
        "racks": int(rng.integers(1, min(3, workers) + 1)),
        "worker_gb_s": Decimal(_one_of(rng, "0.5", "1.25", "3")),
        "slow": Decimal(_one_of(rng, "0", "0.3")),
        "server_gb_s": Decimal(_one_of(rng, "0.7", "5")),
        "oversubscription": Decimal(_one_of(rng, "0.5", "1", "4")),
        "sizes": _one_of(rng, "equal", "spread"),
        "ready_s": Decimal(_one_of(rng, "0", "0", "1")),
        "behind": most,
        "staleness": _one_of(rng, None, most, most + 2),
        "due_s": None if due is None else Decimal(due),
        "aggregators": _one_of(rng, 0, 1, 2),
        "aggregator_gb_s": Decimal(_one_of(rng, "1", "5")),
        "divergence": None if divergence is None else Decimal(divergence),
        "norms": _one_of(rng, "equal", "spread"),
        "drop_s": _one_of(rng, None, Decimal(2)),
        "goal": _one_of(rng, "mean", "last"),
        **free,
    }


def _one_of(rng: Generator, *choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]
