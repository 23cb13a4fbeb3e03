"""New `coded` instances: laws with given numbers, or random times.

Only `random.Random.random` is used, so a seed names the same instance everywhere.
"""

from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Annotated, ClassVar, Literal

from ..draw import exact
from ..generate import generate
from ..reading.vocabulary import Count, Label, Mix, Positive, Range
from ..sampled import seeded
from ..trace import TraceInstance
from . import (
    Bimodal,
    Chance,
    CodedInstance,
    MeasuredTimes,
    ParetoTime,
    ShiftedExponential,
    TaskTime,
    Workers,
)

Law = Literal["shifted-exponential", "pareto", "bimodal", "measured"]
Samples = Annotated[int, Range(1, 10_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedMix(Mix):
    """Options of the generator. A family is a set of defaults."""

    workers: Annotated[Workers, "number of workers"] = 10
    rows: Annotated[
        Count | None, "rows of the matrix, or null for a number that every k divides"
    ] = None
    law: Annotated[Law, "law of one worker's time for all rows"] = "shifted-exponential"
    least_s: Annotated[Positive, "least time (approximate for measured times)"] = Decimal(1)
    rate_per_s: Annotated[Positive, "of shifted-exponential: 1 / mean extra time"] = Decimal(1)
    tail: Annotated[Positive, "of pareto: tail index, smaller for a heavier tail"] = Decimal(2)
    slow_s: Annotated[Positive, "of bimodal: time of a straggler"] = Decimal(10)
    slow: Annotated[Chance, "of bimodal: probability of a straggler"] = Decimal("0.1")
    times_s: Annotated[tuple[Positive, ...], "measured times, or empty for random ones"] = ()
    trace: Annotated[Label | None, "of measured: a trace, whose jobs' durations are sampled"] = None
    samples: Annotated[Samples, "of measured: number of sampled times"] = 20

    SIZE: ClassVar = "{self.workers} workers"
    TAG: ClassVar = "{self.workers}"

    def build(self, seed: int, name: str) -> CodedInstance:
        """Return the instance of a seed."""
        return CodedInstance(
            name=name, workers=self.workers, rows=self.rows, time=self._time(Random(seed))
        )

    def _time(self, rng: Random) -> TaskTime:
        if self.law == "pareto":
            return ParetoTime(least_s=self.least_s, tail=self.tail)
        if self.law == "bimodal":
            return Bimodal(fast_s=self.least_s, slow_s=self.slow_s, slow=self.slow)
        if self.law == "measured":
            return MeasuredTimes(times_s=self.times_s or self._drawn(rng))
        return ShiftedExponential(least_s=self.least_s, rate_per_s=self.rate_per_s)

    def _drawn(self, rng: Random) -> tuple[Decimal, ...]:
        """Sample durations of a trace, or times near the least with occasional stragglers."""
        if self.trace is not None:
            known = durations(self.trace)
            return tuple(known[int(len(known) * rng.random())] for _ in range(self.samples))
        found = []
        for _ in range(self.samples):
            time = float(self.least_s) * (1 + rng.random() / 5)
            if rng.random() < self.slow:
                time *= 2 + 8 * rng.random()
            found.append(max(exact(time, 3), Decimal("0.001")))
        return tuple(found)


def durations(trace: str) -> tuple[Decimal, ...]:
    """Return the durations of a trace's jobs at full speed."""
    from ..catalogue import load_as

    return tuple(job.duration_s for job in load_as(TraceInstance, trace).jobs)


PRESETS: dict[str, tuple[str, CodedMix]] = {
    "coded": ("a shifted exponential law of their times", CodedMix()),
    "coded-pareto": ("a Pareto law of their times", CodedMix(law="pareto")),
    "coded-bimodal": ("some straggle", CodedMix(law="bimodal")),
    "coded-measured": ("with measured times, here random", CodedMix(law="measured")),
}
"""Families by name: their descriptions, and their defaults."""


def random_coded(seed: int, index: int) -> CodedInstance:
    """Return instance number `index` of a campaign about `coded` methods."""
    rng = seeded(seed, index)
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
