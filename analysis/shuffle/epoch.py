"""A new epoch: who has which rows, who gets which, and how long the queues are."""

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...instances import CachingWorker, ShuffleInstance
from .rates import Setting

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShuffleEpoch:
    """Rows in batches until now, one worker's after the other's, and from now on."""

    setting: Setting
    cached: Ints
    """The workers that have each row, as bits."""
    owner: Ints
    """The worker that gets each row."""

    @property
    def lacked(self) -> NDArray[np.bool_]:
        """Whether the worker that gets a row has it not."""
        lacked: NDArray[np.bool_] = (self.cached >> self.owner & 1) == 0
        return lacked


def epoch_of(setting: Setting, seed: int, number: int) -> ShuffleEpoch:
    """Return one of the epochs that a seed gives."""
    return drawn(setting, np.random.default_rng((seed, number)))


def drawn(setting: Setting, rng: Generator) -> ShuffleEpoch:
    """Draw caches beside the batches, and a new order of the rows."""
    q, n = setting.rows, setting.workers
    batch = q // n
    cached = np.int64(1) << np.repeat(np.arange(n), batch)
    for k in range(n):
        chosen = rng.choice(q - batch, setting.cache - batch, replace=False)
        chosen[chosen >= k * batch] += batch  # The worker's own batch is not drawn from.
        cached[chosen] |= 1 << k
    owner = np.empty(q, dtype=np.int64)
    owner[rng.permutation(q)] = np.repeat(np.arange(n), batch)
    return ShuffleEpoch(setting=setting, cached=cached, owner=owner)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """How many messages an epoch takes."""

    uncoded: int
    mean: float
    """If a set of workers took as many sums as its queues are long on average."""
    padded: int
    """As many as its longest queue is long."""


def counted(epoch: ShuffleEpoch) -> Sent:
    """Count the messages of the published scheme; sets of workers without rows are never seen."""
    lacked = epoch.lacked
    owner = epoch.owner[lacked]
    sets, place = np.unique(epoch.cached[lacked] | np.int64(1) << owner, return_inverse=True)
    n = epoch.setting.workers
    queues = np.bincount(place * n + owner, minlength=len(sets) * n).reshape(-1, n)
    return Sent(
        uncoded=len(owner),
        mean=float((queues.sum(axis=1) / np.bitwise_count(sets)).sum()),
        padded=int(queues.max(axis=1, initial=0).sum()),
    )


def instance_of(epoch: ShuffleEpoch, multicast: Decimal) -> ShuffleInstance:
    """Return the epoch as an instance."""
    setting = epoch.setting
    workers = tuple(
        CachingWorker(
            name=f"w{k}",
            has=tuple(np.flatnonzero(epoch.cached >> k & 1).tolist()),
            wants=tuple(np.flatnonzero(epoch.owner == k).tolist()),
        )
        for k in range(setting.workers)
    )
    name = f"epoch-{setting.rows}x{setting.workers}x{setting.cache}"
    return ShuffleInstance(name=name, rows=setting.rows, workers=workers, multicast=multicast)
