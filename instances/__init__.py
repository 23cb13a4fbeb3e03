"""What is a problem, what is an answer? The nouns, their files, generators, the catalogue."""

from .cluster import Cluster, Server
from .coded.instance import CodedInstance
from .coded.schedule import CodedPlan
from .coded.straggling import Bimodal, MeasuredTimes, ParetoTime, ShiftedExponential, TaskTime
from .contention import FluidLinks, Leaf, ServerUplink
from .errors import InputError, MissingError, RefusedError, RingyardError
from .fleet.instance import FleetInstance, FleetJob
from .fleet.schedule import FleetJobRuns, FleetLog, FleetRun, Lease
from .makespan.instance import MakespanInstance, RingJob
from .makespan.schedule import Assignment, Schedule
from .nouns import AnySchedule, Instance, Mix
from .online.instance import Machine, OnlineInstance, TrainingJob
from .online.schedule import Admission, OnlineSchedule, SlotPlan
from .online.utility import Deadline, Level, Linear, Sigmoid, Step
from .outcome import NO_LIMITS, Bound, BoundKind, Glimpse, Left, Limits, Outcome, Stop
from .reading.encode import digest
from .reading.files import load_instance, load_schedule, save, validate
from .rental.instance import Epoch, JobType, RentalInstance
from .rental.schedule import Choice, RentalPlan, Stretch, TypePlan
from .reserved.gain import Gain
from .reserved.instance import LinkedMachine, Rack, ReservedInstance, ReservedRing
from .reserved.schedule import ReservedSchedule, RingPlan, RingSlot
from .shuffle.instance import CachingWorker, ShuffleInstance
from .shuffle.schedule import Message, ShufflePlan
from .speedup import Amdahl, PowerLaw, SpeedPoint, SpeedTable, Speedup
from .trace.instance import LossCurve, RackLinks, RackServer, TraceInstance, TraceJob, Width
from .trace.schedule import JobRuns, TraceRun, TraceSchedule
from .transfers.instance import NetworkLink, TransfersInstance, Update
from .transfers.schedule import Send, TransferPlan

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
    "Mix",
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
