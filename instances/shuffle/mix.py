"""New `shuffle` instances: one generator, and the families that are its presets.

Only `random.Random.random` is used, so a seed names the same instance everywhere.
"""

from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Annotated, Any, ClassVar, Literal

from ..errors import InputError
from ..generate import generate
from ..reading.vocabulary import Count, Fraction01, Mix, Positive, Size
from ..sampled import seeded
from . import CachingWorker, ShuffleInstance

Wishes = Literal["epoch", "any"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleMix(Mix):
    """Options of the generator. A family is a set of defaults."""

    rows: Annotated[Size, "rows of data"] = 120
    workers: Annotated[Size, "number of workers"] = 5
    cache: Annotated[
        Count | None,
        ("rows in a cache, including a worker's batch, or null for twice the batch (epoch)"),
    ] = None
    multicast: Annotated[Positive, "cost of a message to several workers"] = Decimal(1)
    wishes: Annotated[
        Wishes, "epoch: batches of a random order, then of another, any: random rows"
    ] = "epoch"
    has: Annotated[Fraction01, "probability that a worker has a row (any)"] = Decimal("0.4")
    wants: Annotated[Fraction01, "probability that it wants one (any)"] = Decimal("0.3")

    SIZE: ClassVar = "{self.rows} rows and {self.workers} workers"
    TAG: ClassVar = "{self.rows}x{self.workers}"

    def build(self, seed: int, name: str) -> ShuffleInstance:
        """Return the instance of a seed."""
        rng = Random(seed)
        held = _epoch(self, rng) if self.wishes == "epoch" else _any(self, rng)
        return ShuffleInstance(
            name=name,
            rows=self.rows,
            workers=tuple(
                CachingWorker(name=f"w{k}", has=tuple(has), wants=tuple(wants))
                for k, (has, wants) in enumerate(held)
            ),
            multicast=self.multicast,
        )


Held = list[tuple[list[int], list[int]]]
"""Rows that each worker has, and rows that it needs."""


def _epoch(mix: ShuffleMix, rng: Random) -> Held:
    """Return caches of the last batch and random other rows, and the batches of a new order."""
    batch = -(-mix.rows // mix.workers)
    cache = min(mix.rows, 2 * batch) if mix.cache is None else mix.cache
    if not batch <= cache <= mix.rows:
        expected = f"from {batch}, a worker's batch, to {mix.rows}, all rows"
        raise InputError.of("options", "cache", cache, expected, "change cache, rows or workers")
    held = []
    for old, new in zip(_batches(mix, rng), _batches(mix, rng), strict=True):
        rest = sorted(set(range(mix.rows)).difference(old))
        held.append((sorted(old + _drawn(rest, cache - len(old), rng)), sorted(new)))
    return held


def _batches(mix: ShuffleMix, rng: Random) -> list[list[int]]:
    order = _drawn(list(range(mix.rows)), mix.rows, rng)
    return [order[k :: mix.workers] for k in range(mix.workers)]


def _drawn(rows: list[int], count: int, rng: Random) -> list[int]:
    """Draw the given number of rows, in random order."""
    for i in range(count):
        j = i + int((len(rows) - i) * rng.random())
        rows[i], rows[j] = rows[j], rows[i]
    return rows[:count]


def _any(mix: ShuffleMix, rng: Random) -> Held:
    def some(chance: Decimal) -> list[int]:
        return [row for row in range(mix.rows) if rng.random() < chance]

    return [(some(mix.has), some(mix.wants)) for _ in range(mix.workers)]


PRESETS: dict[str, tuple[str, Any]] = {
    "shuffle": ("a new epoch, with rows of the last one cached", ShuffleMix()),
    "tiny-shuffle": (
        "a few random rows had and wanted",
        ShuffleMix(rows=8, workers=4, wishes="any"),
    ),
    "shuffle-large": ("a new epoch of ten workers", ShuffleMix(rows=20_000, workers=10)),
}
"""Families by name: their descriptions, and their defaults."""


def random_shuffle(seed: int, index: int) -> ShuffleInstance:
    """Return instance number `index` of a campaign about `shuffle` methods."""
    rng = seeded(seed, index)
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
