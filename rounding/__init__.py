"""From a fractional point to a whole one, with what the theorems promise."""

from .best_of import BestRounding, best_of
from .block import RoundingBlock
from .dependent import round_dependently
from .derandomized import Derandomized, derandomize
from .gain import GainFactor, chernoff_gain, chosen_gain, delta_each, printed_gain
from .independent import round_independently
from .program import MixedProgram, Widths, check_point
from .repair import Repair, drop, fill, repair
from .trial import QUANTILES, Trial, run_trial

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
