"""The simulation of GPUs that are rented for jobs that arrive."""

from .pool import NEVER
from .result import FleetResult, to_log
from .simulate import simulate, simulate_decider
from .stream import MILLI, JobStream, Terms, stream_from, stream_of
from .views import FleetDecider, FleetDecision, FleetHistory, FleetSetting, FleetView, Reviser

__all__ = [
    "MILLI",
    "NEVER",
    "FleetDecider",
    "FleetDecision",
    "FleetHistory",
    "FleetResult",
    "FleetSetting",
    "FleetView",
    "JobStream",
    "Reviser",
    "Terms",
    "simulate",
    "simulate_decider",
    "stream_from",
    "stream_of",
    "to_log",
]
