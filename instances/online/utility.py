"""What a job is worth by the slots from its arrival to the slot in which it completes.

A utility never grows with time. `at` is its exact meaning: what is not rational is rounded to
twelve decimals, so that all sums of utilities use the same numbers.
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Annotated, Literal

from ..reading.vocabulary import Amount, NonEmpty, Positive, Whole

_EXACT = Context(prec=50, rounding=ROUND_HALF_EVEN, traps=[])
_TWELVE = Decimal("1e-12")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sigmoid:
    """``value / (1 + e^(steepness (n - midpoint_slots)))`` after n slots; constant at 0."""

    model: Annotated[Literal["sigmoid"], "which utility this is"] = "sigmoid"
    value: Annotated[Positive, "priority (gamma_1)"]
    steepness: Annotated[Amount, "how critical time is (gamma_2)"]
    midpoint_slots: Annotated[Amount, "slots after which half of it is gone (gamma_3)"]

    def at(self, slots: int) -> Decimal:
        """Return the utility after the given slots."""
        power = _EXACT.exp(_EXACT.multiply(self.steepness, slots - self.midpoint_slots))
        worth = _EXACT.divide(self.value, _EXACT.add(1, power))
        return _EXACT.quantize(worth, _TWELVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """All of it up to `slots` slots, nothing later."""

    model: Annotated[Literal["deadline"], "which utility this is"] = "deadline"
    value: Annotated[Positive, "what it is worth in time"]
    slots: Annotated[Whole, "slots from its arrival up to which it is in time"]

    def at(self, slots: int) -> Decimal:
        """Return the utility after the given slots."""
        return self.value if slots <= self.slots else Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    """It falls by the same in every slot, to `least` and no further."""

    model: Annotated[Literal["linear"], "which utility this is"] = "linear"
    value: Annotated[Positive, "what it is worth at once"]
    loss_per_slot: Annotated[Amount, "what a slot costs"]
    least: Annotated[Amount, "what is left in the end, at most value"] = Decimal(0)

    def at(self, slots: int) -> Decimal:
        """Return the utility after the given slots."""
        return max(self.least, _EXACT.fma(self.loss_per_slot, -slots, self.value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A stretch of constant utility."""

    until_slot: Annotated[Whole, "last slot from the arrival at which it holds"]
    value: Annotated[Amount, "utility up to there"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Levels one after the other, nothing after the last."""

    model: Annotated[Literal["step"], "which utility this is"] = "step"
    levels: Annotated[tuple[Level, ...], NonEmpty(), "later levels end later and are lower"]

    def at(self, slots: int) -> Decimal:
        """Return the utility after the given slots."""
        reached = (level.value for level in self.levels if slots <= level.until_slot)
        return next(reached, Decimal(0))


Utility = Sigmoid | Deadline | Linear | Step
