"""From a fractional point to a whole one, with what the theorems promise."""

from .gain import GainFactor, chernoff_gain, chosen_gain, delta_each, printed_gain
from .program import MixedProgram, Widths, check_point
from .randomized import (
    QUANTILES,
    BestRounding,
    Derandomized,
    RoundingBlock,
    Trial,
    best_of,
    derandomize,
    round_dependently,
    round_independently,
    run_trial,
)
from .repair import Repair, drop, fill, repair

__all__ = [
    "QUANTILES",
    "BestRounding",
    "Derandomized",
    "GainFactor",
    "MixedProgram",
    "Repair",
    "RoundingBlock",
    "Trial",
    "Widths",
    "best_of",
    "check_point",
    "chernoff_gain",
    "chosen_gain",
    "delta_each",
    "derandomize",
    "drop",
    "fill",
    "printed_gain",
    "repair",
    "round_dependently",
    "round_independently",
    "run_trial",
]
