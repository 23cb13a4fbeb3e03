"""The `coded` family: a matrix-vector product on workers that may straggle.

The matrix is cut into k parts of equally many rows. Every worker multiplies one combination of
them. The product is known as soon as the finished combinations determine it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

from ..building import built
from ..errors import Problem
from ..reading.vocabulary import Amount, AnySchedule, Count, Instance, NonEmpty, Positive, Range

Chance = Annotated[Decimal, Range(0, 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftedExponential:
    """``least_s + E``, with E exponential of rate ``rate_per_s``."""

    model: Annotated[Literal["shifted-exponential"], "the law"] = "shifted-exponential"
    least_s: Annotated[Amount, "least time"] = Decimal(1)
    rate_per_s: Annotated[Positive, "1 divided by the mean extra time (mu)"] = Decimal(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParetoTime:
    """Longer than t with probability ``(least_s / t) ** tail``."""

    model: Annotated[Literal["pareto"], "the law"] = "pareto"
    least_s: Annotated[Positive, "least time"] = Decimal(1)
    tail: Annotated[
        Positive, "tail index: smaller means a heavier tail, and the mean is finite above 1"
    ] = Decimal(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bimodal:
    """Fast, or slow with some probability."""

    model: Annotated[Literal["bimodal"], "the law"] = "bimodal"
    fast_s: Annotated[Positive, "time of a normal worker"] = Decimal(1)
    slow_s: Annotated[Positive, "time of a straggler"] = Decimal(10)
    slow: Annotated[Chance, "probability of a straggler"] = Decimal("0.1")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredTimes:
    """A uniform draw from a list of measured times."""

    model: Annotated[Literal["measured"], "the law"] = "measured"
    times_s: Annotated[tuple[Positive, ...], NonEmpty(), "measured times"]


TaskTime = ShiftedExponential | ParetoTime | Bimodal | MeasuredTimes


def law_problems(law: TaskTime, path: str) -> Iterator[Problem]:
    """Yield the problems of a law that involve several fields."""
    if isinstance(law, Bimodal) and law.slow_s < law.fast_s:
        expected = f"at least fast_s, {law.fast_s}"
        yield Problem(f"{path}.slow_s", law.slow_s, expected, "exchange them")


Workers = Annotated[int, Range(1, 20_000)]
"""Most measured times. With more, exact expectations take too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedInstance(Instance):
    """Workers and the law of their times. The objective is the expected time to the product.

    Each worker draws its time for the whole matrix from ``time``, independently of other workers.
    One of k parts takes 1/k of this time. With ``rows``, each part has the same number of rows,
    rounded up, so it takes slightly more.

    * `slow_s` is at least `fast_s`.
    """

    kind: Annotated[Literal["coded"], "the problem family"] = "coded"
    workers: Annotated[Workers, "number of workers, each with one task (n)"]
    time: Annotated[TaskTime, "time of one worker for all rows"]
    rows: Annotated[
        Count | None, "rows of the matrix, or null for a number that every k divides"
    ] = None

    def share(self, parts: int) -> Fraction:
        """Return a part as a fraction of all rows."""
        if self.rows is None:
            return Fraction(1, parts)
        return Fraction(-(-self.rows // parts), self.rows)

    def problems(self) -> Iterator[Problem]:
        """Yield every problem that involves several fields."""
        yield from law_problems(self.time, "time")


Point = Annotated[Decimal, Range(-(10**6), 10**6)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedPlan(AnySchedule):
    """A code: the parts of the matrix, and each worker's combination of them.

    Without ``points``, worker w, numbered from 0, has part w modulo ``parts``. With ``points``, it
    has the sum of all parts, where part i, numbered from 0, is multiplied by the i-th power of the
    worker's point. Any k workers with different points determine all k parts.

    * A plan has no points, or one for each worker. In floating point, points lose accuracy.
    """

    kind: Annotated[Literal["coded-schedule"], "the kind of file"] = "coded-schedule"
    expected_s: Annotated[Decimal | None, "claimed expected time to the product"] = None
    parts: Annotated[Count, "parts of the matrix (k)"]
    points: Annotated[
        tuple[Point, ...],
        ("one point per worker, all different, or empty if workers get parts, not sums"),
    ] = ()


USUAL = ShiftedExponential()
"""Default law: 1 s plus an exponential time of mean 1 s."""


def coded(
    workers: int,
    time: TaskTime | Iterable[Any] = USUAL,
    *,
    name: str = "coded",
    **more: Any,
) -> CodedInstance:
    """Return an instance of a matrix product on workers that may straggle.

    Args:
        workers: Number of workers.
        time: Time of a worker for all rows: a law of the format, or a list of measured seconds. By
            default 1 s plus an exponential time of mean 1 s.
        name: Name of the instance.
        **more: Other fields of the format: `rows`, `title`, ..

    Raises:
        InputError: With all problems, as for a file.
    """
    law: Any = time
    if isinstance(time, Iterable) and not isinstance(time, dict | str):
        law = {"model": "measured", "times_s": list(time)}
    made: CodedInstance = built("coded", name=name, workers=workers, time=law, **more)
    return made
