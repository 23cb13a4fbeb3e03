"""How long a worker takes for the whole of a task: laws that have stragglers."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..errors import Problem
from ..reading.vocabulary import Amount, NonEmpty, Positive, Range

Chance = Annotated[Decimal, Range(0, 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftedExponential:
    """``least_s + E``, with E exponential of rate ``rate_per_s``."""

    model: Annotated[Literal["shifted-exponential"], "which law this is"] = "shifted-exponential"
    least_s: Annotated[Amount, "what it takes at least"] = Decimal(1)
    rate_per_s: Annotated[Positive, "one over the mean of what comes on top (mu)"] = Decimal(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParetoTime:
    """Longer than t with chance ``(least_s / t) ** tail``."""

    model: Annotated[Literal["pareto"], "which law this is"] = "pareto"
    least_s: Annotated[Positive, "what it takes at least"] = Decimal(1)
    tail: Annotated[Positive, "the smaller, the heavier; the mean is finite above 1"] = Decimal(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bimodal:
    """Either fast or slow."""

    model: Annotated[Literal["bimodal"], "which law this is"] = "bimodal"
    fast_s: Annotated[Positive, "what it takes if all is well"] = Decimal(1)
    slow_s: Annotated[Positive, "what a straggler takes"] = Decimal(10)
    slow: Annotated[Chance, "chance of being a straggler"] = Decimal("0.1")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredTimes:
    """One of a list of measured times, each as likely as the others."""

    model: Annotated[Literal["measured"], "which law this is"] = "measured"
    times_s: Annotated[tuple[Positive, ...], NonEmpty(), "what was measured"]


TaskTime = ShiftedExponential | ParetoTime | Bimodal | MeasuredTimes


def law_problems(law: TaskTime, path: str) -> Iterator[Problem]:
    """Yield the faults of a law that show only when its fields are seen together."""
    if isinstance(law, Bimodal) and law.slow_s < law.fast_s:
        expected = f"at least fast_s, {law.fast_s}"
        yield Problem(f"{path}.slow_s", law.slow_s, expected, "exchange them")
