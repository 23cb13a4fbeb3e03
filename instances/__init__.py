"""What is a problem, what is an answer? The nouns, their files, generators, the catalogue."""

from .cluster import Cluster, Server
from .contention import FluidLinks, Leaf, ServerUplink
from .encode import digest
from .errors import InputError, MissingError, RefusedError, RingyardError
from .files import load_instance, load_schedule, save, validate
from .makespan import MakespanInstance, RingJob
from .outcome import Bound, BoundKind, Glimpse, Left, Limits, Outcome, Stop
from .schedule import Assignment, Schedule

__all__ = [
    "Assignment",
    "Bound",
    "BoundKind",
    "Cluster",
    "FluidLinks",
    "Glimpse",
    "InputError",
    "Leaf",
    "Left",
    "Limits",
    "MakespanInstance",
    "MissingError",
    "Outcome",
    "RefusedError",
    "RingJob",
    "RingyardError",
    "Schedule",
    "Server",
    "ServerUplink",
    "Stop",
    "digest",
    "load_instance",
    "load_schedule",
    "save",
    "validate",
]
