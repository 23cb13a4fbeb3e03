"""How many rows a new epoch sends on average, exactly.

q rows lie in n batches, one at each worker, which has s rows cached: its batch and a random part p
of all others. A new random order of the rows makes the new batches. Source: Lee et al. 2018 (arXiv
1512.02673); the sum over sets of workers is ours, and equal to what they print.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb


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


def coded_rate_by_sets(setting: Setting) -> Fraction:
    """Return the same as the sum of mean queue lengths over all sets of two workers or more."""
    sizes = range(2, setting.workers + 1)
    each = (comb(setting.workers, size) * queue_mean(setting, size) for size in sizes)
    return sum(each, Fraction(0))


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
