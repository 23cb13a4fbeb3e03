"""Is it legal, what does it cost? The judge: exact, and independent of every engine.

It knows the nouns of `instances/` and the standard library, nothing else. All arithmetic
is on `fractions.Fraction`; no tolerance appears anywhere.
"""

from .coded.judge import CodedVerdict
from .families import check
from .fleet.judge import FleetVerdict
from .online.judge import OnlineVerdict
from .rental.judge import RentalVerdict
from .reserved.judge import ReservedVerdict
from .shuffle.judge import ShuffleVerdict
from .trace.judge import TraceVerdict
from .transfers.judge import TransfersVerdict
from .verdict import AnyVerdict, Span, Verdict, Violation

__all__ = [
    "AnyVerdict",
    "CodedVerdict",
    "FleetVerdict",
    "OnlineVerdict",
    "RentalVerdict",
    "ReservedVerdict",
    "ShuffleVerdict",
    "Span",
    "TraceVerdict",
    "TransfersVerdict",
    "Verdict",
    "Violation",
    "check",
]
