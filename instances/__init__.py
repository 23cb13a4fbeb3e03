"""What is a problem, what is an answer? The nouns, their files, generators, the catalogue.

Each name is imported from its file when it is first used, so that a command loads the nouns of
its own family only. Checkers of types read the imports, Python the table; a test compares them.
"""

from typing import TYPE_CHECKING

from .late import late

if TYPE_CHECKING:
    from .cluster import Cluster as Cluster, Server as Server
    from .coded.instance import CodedInstance as CodedInstance
    from .coded.schedule import CodedPlan as CodedPlan
    from .coded.straggling import (
        Bimodal as Bimodal,
        MeasuredTimes as MeasuredTimes,
        ParetoTime as ParetoTime,
        ShiftedExponential as ShiftedExponential,
        TaskTime as TaskTime,
    )
    from .contention import FluidLinks as FluidLinks, Leaf as Leaf, ServerUplink as ServerUplink
    from .errors import (
        InputError as InputError,
        MissingError as MissingError,
        RefusedError as RefusedError,
        RingyardError as RingyardError,
    )
    from .fleet.instance import FleetInstance as FleetInstance, FleetJob as FleetJob
    from .fleet.schedule import (
        FleetJobRuns as FleetJobRuns,
        FleetLog as FleetLog,
        FleetRun as FleetRun,
        Lease as Lease,
    )
    from .makespan.instance import MakespanInstance as MakespanInstance, RingJob as RingJob
    from .makespan.schedule import Assignment as Assignment, Schedule as Schedule
    from .nouns import AnySchedule as AnySchedule, Instance as Instance, Mix as Mix
    from .online.instance import (
        Machine as Machine,
        OnlineInstance as OnlineInstance,
        TrainingJob as TrainingJob,
    )
    from .online.schedule import (
        Admission as Admission,
        OnlineSchedule as OnlineSchedule,
        SlotPlan as SlotPlan,
    )
    from .online.utility import (
        Deadline as Deadline,
        Level as Level,
        Linear as Linear,
        Sigmoid as Sigmoid,
        Step as Step,
    )
    from .outcome import (
        NO_LIMITS as NO_LIMITS,
        Bound as Bound,
        BoundKind as BoundKind,
        Glimpse as Glimpse,
        Left as Left,
        Limits as Limits,
        Outcome as Outcome,
        Stop as Stop,
    )
    from .reading.encode import digest as digest
    from .reading.files import (
        load_instance as load_instance,
        load_schedule as load_schedule,
        save as save,
        validate as validate,
    )
    from .rental.instance import (
        Epoch as Epoch,
        JobType as JobType,
        RentalInstance as RentalInstance,
    )
    from .rental.schedule import (
        Choice as Choice,
        RentalPlan as RentalPlan,
        Stretch as Stretch,
        TypePlan as TypePlan,
    )
    from .reserved.gain import Gain as Gain
    from .reserved.instance import (
        LinkedMachine as LinkedMachine,
        Rack as Rack,
        ReservedInstance as ReservedInstance,
        ReservedRing as ReservedRing,
    )
    from .reserved.schedule import (
        ReservedSchedule as ReservedSchedule,
        RingPlan as RingPlan,
        RingSlot as RingSlot,
    )
    from .shuffle.instance import CachingWorker as CachingWorker, ShuffleInstance as ShuffleInstance
    from .shuffle.schedule import Message as Message, ShufflePlan as ShufflePlan
    from .speedup import (
        Amdahl as Amdahl,
        PowerLaw as PowerLaw,
        SpeedPoint as SpeedPoint,
        SpeedTable as SpeedTable,
        Speedup as Speedup,
    )
    from .trace.instance import (
        LossCurve as LossCurve,
        RackLinks as RackLinks,
        RackServer as RackServer,
        TraceInstance as TraceInstance,
        TraceJob as TraceJob,
        Width as Width,
    )
    from .trace.schedule import (
        JobRuns as JobRuns,
        TraceRun as TraceRun,
        TraceSchedule as TraceSchedule,
    )
    from .transfers.instance import (
        NetworkLink as NetworkLink,
        TransfersInstance as TransfersInstance,
        Update as Update,
    )
    from .transfers.schedule import Send as Send, TransferPlan as TransferPlan
else:
    __getattr__, __dir__ = late(
        __name__,
        {
            "cluster": "Cluster Server",
            "coded.instance": "CodedInstance",
            "coded.schedule": "CodedPlan",
            "coded.straggling": "Bimodal MeasuredTimes ParetoTime ShiftedExponential TaskTime",
            "contention": "FluidLinks Leaf ServerUplink",
            "errors": "InputError MissingError RefusedError RingyardError",
            "fleet.instance": "FleetInstance FleetJob",
            "fleet.schedule": "FleetJobRuns FleetLog FleetRun Lease",
            "makespan.instance": "MakespanInstance RingJob",
            "makespan.schedule": "Assignment Schedule",
            "nouns": "AnySchedule Instance Mix",
            "online.instance": "Machine OnlineInstance TrainingJob",
            "online.schedule": "Admission OnlineSchedule SlotPlan",
            "online.utility": "Deadline Level Linear Sigmoid Step",
            "outcome": "NO_LIMITS Bound BoundKind Glimpse Left Limits Outcome Stop",
            "reading.encode": "digest",
            "reading.files": "load_instance load_schedule save validate",
            "rental.instance": "Epoch JobType RentalInstance",
            "rental.schedule": "Choice RentalPlan Stretch TypePlan",
            "reserved.gain": "Gain",
            "reserved.instance": "LinkedMachine Rack ReservedInstance ReservedRing",
            "reserved.schedule": "ReservedSchedule RingPlan RingSlot",
            "shuffle.instance": "CachingWorker ShuffleInstance",
            "shuffle.schedule": "Message ShufflePlan",
            "speedup": "Amdahl PowerLaw SpeedPoint SpeedTable Speedup",
            "trace.instance": "LossCurve RackLinks RackServer TraceInstance TraceJob Width",
            "trace.schedule": "JobRuns TraceRun TraceSchedule",
            "transfers.instance": "NetworkLink TransfersInstance Update",
            "transfers.schedule": "Send TransferPlan",
        },
    )
