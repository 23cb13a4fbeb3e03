"""What is a problem, what is an answer? The nouns, their files, generators, the catalogue."""

from .cluster import Cluster, Server
from .coded import CodedInstance
from .coded_schedule import CodedPlan
from .contention import FluidLinks, Leaf, ServerUplink
from .encode import digest
from .errors import InputError, MissingError, RefusedError, RingyardError
from .files import AnySchedule, Instance, load_instance, load_schedule, save, validate
from .fleet import FleetInstance, FleetJob
from .fleet_schedule import FleetJobRuns, FleetLog, FleetRun, Lease
from .gain import Gain
from .makespan import MakespanInstance, RingJob
from .online import Machine, OnlineInstance, TrainingJob
from .online_schedule import Admission, OnlineSchedule, SlotPlan
from .outcome import NO_LIMITS, Bound, BoundKind, Glimpse, Left, Limits, Outcome, Stop
from .rental import Epoch, JobType, RentalInstance
from .rental_schedule import Choice, RentalPlan, Stretch, TypePlan
from .reserved import LinkedMachine, Rack, ReservedInstance, ReservedRing
from .reserved_schedule import ReservedSchedule, RingPlan, RingSlot
from .schedule import Assignment, Schedule
from .shuffle import CachingWorker, ShuffleInstance
from .shuffle_schedule import Message, ShufflePlan
from .speedup import Amdahl, PowerLaw, SpeedPoint, SpeedTable, Speedup
from .straggling import Bimodal, MeasuredTimes, ParetoTime, ShiftedExponential, TaskTime
from .trace import LossCurve, RackLinks, RackServer, TraceInstance, TraceJob, Width
from .trace_schedule import JobRuns, TraceRun, TraceSchedule
from .transfers import NetworkLink, TransfersInstance, Update
from .transfers_schedule import Send, TransferPlan
from .utility import Deadline, Level, Linear, Sigmoid, Step

__all__ = [
    "NO_LIMITS",
    "Admission",
    "Amdahl",
    "AnySchedule",
    "Assignment",
    "Bimodal",
    "Bound",
    "BoundKind",
    "CachingWorker",
    "Choice",
    "Cluster",
    "CodedInstance",
    "CodedPlan",
    "Deadline",
    "Epoch",
    "FleetInstance",
    "FleetJob",
    "FleetJobRuns",
    "FleetLog",
    "FleetRun",
    "FluidLinks",
    "Gain",
    "Glimpse",
    "InputError",
    "Instance",
    "JobRuns",
    "JobType",
    "Leaf",
    "Lease",
    "Left",
    "Level",
    "Limits",
    "Linear",
    "LinkedMachine",
    "LossCurve",
    "Machine",
    "MakespanInstance",
    "MeasuredTimes",
    "Message",
    "MissingError",
    "NetworkLink",
    "OnlineInstance",
    "OnlineSchedule",
    "Outcome",
    "ParetoTime",
    "PowerLaw",
    "Rack",
    "RackLinks",
    "RackServer",
    "RefusedError",
    "RentalInstance",
    "RentalPlan",
    "ReservedInstance",
    "ReservedRing",
    "ReservedSchedule",
    "RingJob",
    "RingPlan",
    "RingSlot",
    "RingyardError",
    "Schedule",
    "Send",
    "Server",
    "ServerUplink",
    "ShiftedExponential",
    "ShuffleInstance",
    "ShufflePlan",
    "Sigmoid",
    "SlotPlan",
    "SpeedPoint",
    "SpeedTable",
    "Speedup",
    "Step",
    "Stop",
    "Stretch",
    "TaskTime",
    "TraceInstance",
    "TraceJob",
    "TraceRun",
    "TraceSchedule",
    "TrainingJob",
    "TransferPlan",
    "TransfersInstance",
    "TypePlan",
    "Update",
    "Width",
    "digest",
    "load_instance",
    "load_schedule",
    "save",
    "validate",
]
