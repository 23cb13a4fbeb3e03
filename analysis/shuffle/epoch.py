"""A new epoch: who has which rows and gets which, how long queues are, exact rates on average.

q rows lie in n batches, one at each worker, which has s rows cached: its batch and a random part p
of all others. A new random order of the rows makes the new batches. Source: Lee et al. 2018 (arXiv
1512.02673); the sum over sets of workers is ours, and equal to what they print.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...instances import CachingWorker, ShuffleInstance


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How many rows and workers there are, and how many rows each of them has."""

    rows: int
    workers: int
    cache: int

    @property
    def excess(self) -> Fraction:
        """The part p of the rows of others that a worker has; 0 if there are no others."""
        batch = Fraction(self.rows, self.workers)
        others = self.rows - batch
        return (self.cache - batch) / others if others else Fraction(0)


def uncoded_rate(setting: Setting) -> Fraction:
    """Return the rows sent if each goes by itself: q (1 - 1/n) (1 - p) = q - s."""
    return Fraction(setting.rows - setting.cache)


def coded_rate(setting: Setting) -> Fraction:
    """Return the sums sent: q (1 - p) (np - 1 + (1 - p)^n) / (np)^2, if lengths are their means."""
    q, n, p = setting.rows, setting.workers, setting.excess
    if not p:
        return Fraction(q * (n - 1), 2 * n)
    return q * (1 - p) * (n * p - 1 + (1 - p) ** n) / (n * p) ** 2


def queue_mean(setting: Setting, size: int) -> Fraction:
    """Return the mean length of a queue of a set of `size` workers.

    Of its rows, one of the others is the owner until now; the rest of them have it, and no
    other worker.
    """
    n, p = setting.workers, setting.excess
    owners = Fraction(setting.rows, n) * Fraction(size - 1, n)
    return owners * p ** (size - 2) * (1 - p) ** (n - size + 1)


def ratio(setting: Setting) -> Fraction | None:
    """Return R_u / R_c = n (n - 1) p^2 / (np - 1 + (1 - p)^n); 2 if p is 0, n if it is 1.

    None if there is one worker: nothing is ever sent.
    """
    n, p = setting.workers, setting.excess
    if n == 1:
        return None
    if not p:
        return Fraction(2)
    return n * (n - 1) * p**2 / (n * p - 1 + (1 - p) ** n)


def asymptotic_ratio(setting: Setting) -> Fraction:
    """Return np + 1, which the ratio comes to, in proportion, as np grows without end.

    Times gamma(n) / n it is the published gain, (p + 1/n) gamma(n).
    """
    return setting.workers * setting.excess + 1


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
