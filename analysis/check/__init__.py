"""Is it legal, what does it cost? The judge: exact, and independent of every engine.

It knows the nouns of `instances/` and the standard library, nothing else. All arithmetic
is on `fractions.Fraction`; no tolerance appears anywhere.
"""

from .families import RULES, AnyVerdict, check
from .fleet.judge import FleetVerdict
from .online.judge import OnlineVerdict
from .rental.judge import RentalVerdict
from .reserved.judge import ReservedVerdict
from .trace.judge import TraceVerdict
from .verdict import Span, Verdict, Violation

__all__ = [
    "RULES",
    "AnyVerdict",
    "FleetVerdict",
    "OnlineVerdict",
    "RentalVerdict",
    "ReservedVerdict",
    "Span",
    "TraceVerdict",
    "Verdict",
    "Violation",
    "check",
]
