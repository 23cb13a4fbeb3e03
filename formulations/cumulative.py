"""The makespan question without servers: can all jobs end by a slot on one pool of GPUs?

Each job holds its GPUs for a known number of slots without a break. With the fewest slots that a
job needs anywhere, every schedule that ends in time has such starts, so that an answer that there
are none is a bound on the makespan.
"""

from dataclasses import dataclass
from itertools import accumulate

from .program import Floats


@dataclass(frozen=True, slots=True)
class CumulativeQuestion:
    """GPUs, slots and releases of jobs, the GPUs of the pool, and the slot by which all end."""

    gpus: tuple[int, ...]
    slots: tuple[int, ...]
    releases: tuple[int, ...]
    pool: int
    end: int

    @property
    def hopeless(self) -> bool:
        """Whether a job has no room, or no time, even alone."""
        times = zip(self.releases, self.slots, strict=True)
        return any(late + slots > self.end for late, slots in times) or max(self.gpus) > self.pool

    def latest(self) -> list[int]:
        """Return the last slot in which each job can start."""
        return [self.end - slots for slots in self.slots]

    def holds(self, starts: Floats) -> bool:
        """Say whether jobs that start then are released, end in time and fit into the pool."""
        whole = [int(start) for start in starts]
        if len(whole) != len(self.gpus) or any(a != b for a, b in zip(whole, starts, strict=True)):
            return False
        ranges = zip(self.releases, whole, self.latest(), strict=True)
        if not all(release <= start <= last for release, start, last in ranges):
            return False
        changes = [0] * (self.end + 1)
        for start, slots, gpus in zip(whole, self.slots, self.gpus, strict=True):
            changes[start] += gpus
            changes[start + slots] -= gpus
        return max(accumulate(changes)) <= self.pool
