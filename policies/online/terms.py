"""The options of PD-ORS."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ...instances.reading.vocabulary import Count, Fraction01, Positive, Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of PD-ORS."""

    prices: Annotated[Literal["published", "corrected"], "which tariff"] = "published"
    relaxation: Annotated[Literal["lp", "hull"], "of a slot across machines"] = "lp"
    gain: Annotated[Positive, "gain factor G_delta before rounding"] = Decimal(1)
    tries: Annotated[Count, "roundings of a plan, the cheapest is kept"] = 8
    repair: Annotated[Literal["greedy", "none"], "what happens to plans that do not fit"] = "greedy"
    quanta: Annotated[Annotated[int, Range(1, 1000)], "parts of a job's work"] = 64
    misjudged: Annotated[Positive, "factor on the range of prices"] = Decimal(1)
    share: Annotated[Fraction01, "most of a machine that a job takes (corrected)"] = Decimal("0.5")
    chi: Annotated[Positive, "plans cost at most so often the cheapest (corrected)"] = Decimal(2)
