"""What the progress of a preemptible ring is worth: concave, growing, nothing for nothing.

`at` is the exact meaning, rounded to twelve decimals, so that all sums of gains use
the same numbers.
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Annotated, Literal

from ..reading.vocabulary import Positive

_EXACT = Context(prec=80, rounding=ROUND_HALF_EVEN, traps=[])
_TWELVE = Decimal("1e-12")

Shape = Literal["root", "log", "saturating", "capped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """``value f(progress / scale)``, f(x) being sqrt x, ln(1 + x), 1 - e^-x or min(1, x)."""

    shape: Annotated[Shape, "root, log, saturating or capped, in the order of these forms of f"]
    value: Annotated[Positive, "what f is multiplied by"]
    scale: Annotated[Positive, "progress at which x is 1"] = Decimal(1)

    def at(self, progress: Decimal, times: int = 1) -> Decimal:
        """Return the gain of `times` as much progress."""
        x = _EXACT.divide(_EXACT.multiply(progress, times), self.scale)
        match self.shape:
            case "root":
                part = _EXACT.sqrt(x)
            case "log":
                part = _EXACT.ln(_EXACT.add(1, x))
            case "saturating":
                part = _EXACT.subtract(1, _EXACT.exp(_EXACT.minus(x)))
            case "capped":
                part = min(Decimal(1), x)
        return _EXACT.quantize(_EXACT.multiply(self.value, part), _TWELVE)
