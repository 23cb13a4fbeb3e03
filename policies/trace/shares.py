"""Shares of the time on GPUs of one kind, by which no job is worse off than it has to be.

A claim says how a job's share falls as the level of all rises: its work over what time is left for
it at that level, and 1 where that is too little. The level is the least at which all fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...simulation.trace import KnownJobView

HALVINGS = 100
"""Steps of the search for a level: enough for the last digit."""


@dataclass(frozen=True, slots=True)
class TimeClaim:
    """The share that a job has at a level, on so many GPUs."""

    gpus: int
    work: float = 1.0
    alone: float = 1.0
    """Time that is measured in levels."""
    age: float = 0.0
    """Time that is over."""

    def at(self, level: float) -> float:
        """Return the share."""
        return self.work / max(self.work, level * self.alone - self.age)


def shares_of(claims: Sequence[TimeClaim], gpus: int) -> list[float]:
    """Return the shares at the least level at which all claims fit, by halving an interval."""

    def fits(level: float) -> bool:
        return sum(claim.gpus * claim.at(level) for claim in claims) <= gpus

    low, high = 0.0, 1.0
    while not fits(high):
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return [claim.at(high) for claim in claims]


def attained_claims(jobs: Sequence[KnownJobView], _: float) -> list[TimeClaim]:
    """Return claims to GPU-time that is the same for all, as least attained service gives it."""
    return [TimeClaim(job.gpus, alone=job.gpus) for job in jobs]


@dataclass(slots=True)
class FinishTimes:
    """Claims by which the time until a job ends, over that in a part of its own, is the same.

    That part is the same number of GPUs for all that are there. What was done since the last
    computation counts as if it had been done in the part of then.
    """

    gpus: int
    spent: dict[int, float] = field(default_factory=dict)
    """Ticks in parts of its own, by number."""
    before: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Work left and speed alone at the last computation, by number."""

    def claims(self, jobs: Sequence[KnownJobView], now: float) -> list[TimeClaim]:
        """Return the claims, and remember what was left."""
        claims, after = [], {}
        for job in jobs:
            left, speed = job.remaining, min(1.0, self.gpus / len(jobs) / job.gpus)
            was, slow = self.before.get(job.number, (left, speed))
            spent = self.spent[job.number] = self.spent.get(job.number, 0.0) + (was - left) / slow
            claims.append(TimeClaim(job.gpus, left, spent + left / speed, now - job.arrival))
            after[job.number] = left, speed
        self.before = after
        return claims
