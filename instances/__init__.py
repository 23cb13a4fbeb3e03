"""What is a problem, what is an answer? The nouns, their files, generators, the catalogue."""

from .cluster import Cluster, Server
from .contention import FluidLinks, Leaf, ServerUplink
from .encode import digest
from .errors import InputError, MissingError, RefusedError, RingyardError
from .files import AnySchedule, Instance, load_instance, load_schedule, save, validate
from .gain import Gain
from .makespan import MakespanInstance, RingJob
from .online import Machine, OnlineInstance, TrainingJob
from .online_schedule import Admission, OnlineSchedule, SlotPlan
from .outcome import Bound, BoundKind, Glimpse, Left, Limits, Outcome, Stop
from .reserved import LinkedMachine, Rack, ReservedInstance, ReservedRing
from .reserved_schedule import ReservedSchedule, RingPlan, RingSlot
from .schedule import Assignment, Schedule
from .trace import LossCurve, RackLinks, RackServer, TraceInstance, TraceJob, Width
from .trace_schedule import JobRuns, TraceRun, TraceSchedule
from .utility import Deadline, Level, Linear, Sigmoid, Step

__all__ = [
    "Admission",
    "AnySchedule",
    "Assignment",
    "Bound",
    "BoundKind",
    "Cluster",
    "Deadline",
    "FluidLinks",
    "Gain",
    "Glimpse",
    "InputError",
    "Instance",
    "JobRuns",
    "Leaf",
    "Left",
    "Level",
    "Limits",
    "Linear",
    "LinkedMachine",
    "LossCurve",
    "Machine",
    "MakespanInstance",
    "MissingError",
    "OnlineInstance",
    "OnlineSchedule",
    "Outcome",
    "Rack",
    "RackLinks",
    "RackServer",
    "RefusedError",
    "ReservedInstance",
    "ReservedRing",
    "ReservedSchedule",
    "RingJob",
    "RingPlan",
    "RingSlot",
    "RingyardError",
    "Schedule",
    "Server",
    "ServerUplink",
    "Sigmoid",
    "SlotPlan",
    "Step",
    "Stop",
    "TraceInstance",
    "TraceJob",
    "TraceRun",
    "TraceSchedule",
    "TrainingJob",
    "Width",
    "digest",
    "load_instance",
    "load_schedule",
    "save",
    "validate",
]
