"""The data model: instances and schedules, their files, generators, and the catalogue.

Each name is imported at its first use, so that a command loads only the entities of its own
family.
"""

from typing import TYPE_CHECKING

from .late import late

if TYPE_CHECKING:
    from .cluster import (
        Cluster as Cluster,
        FluidLinks as FluidLinks,
        Leaf as Leaf,
        Server as Server,
        ServerUplink as ServerUplink,
    )
    from .coded import (
        Bimodal as Bimodal,
        CodedInstance as CodedInstance,
        CodedPlan as CodedPlan,
        MeasuredTimes as MeasuredTimes,
        ParetoTime as ParetoTime,
        ShiftedExponential as ShiftedExponential,
        TaskTime as TaskTime,
    )
    from .errors import (
        InputError as InputError,
        MissingError as MissingError,
        RefusedError as RefusedError,
        RingyardError as RingyardError,
    )
    from .fleet import (
        FleetInstance as FleetInstance,
        FleetJob as FleetJob,
        FleetJobRuns as FleetJobRuns,
        FleetLog as FleetLog,
        FleetRun as FleetRun,
        Lease as Lease,
    )
    from .makespan import (
        Assignment as Assignment,
        KindSpeed as KindSpeed,
        MakespanInstance as MakespanInstance,
        RingJob as RingJob,
        Schedule as Schedule,
    )
    from .online import (
        Admission as Admission,
        Machine as Machine,
        OnlineInstance as OnlineInstance,
        OnlineSchedule as OnlineSchedule,
        SlotPlan as SlotPlan,
        TrainingJob as TrainingJob,
    )
    from .online import (
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
        Incumbent as Incumbent,
        SolutionStatus as SolutionStatus,
        Limits as Limits,
        Outcome as Outcome,
        BoundEvidence as BoundEvidence,
        TerminationReason as TerminationReason,
    )
    from .reading.encode import digest as digest
    from .reading.files import (
        load_instance as load_instance,
        load_schedule as load_schedule,
        save as save,
        validate as validate,
    )
    from .reading.vocabulary import AnySchedule as AnySchedule, Instance as Instance, Mix as Mix
    from .rental import (
        Choice as Choice,
        Epoch as Epoch,
        JobType as JobType,
        RentalInstance as RentalInstance,
        RentalPlan as RentalPlan,
        Stretch as Stretch,
        TypePlan as TypePlan,
    )
    from .reserved import (
        Gain as Gain,
        LinkedMachine as LinkedMachine,
        Rack as Rack,
        ReservedInstance as ReservedInstance,
        ReservedRing as ReservedRing,
        ReservedSchedule as ReservedSchedule,
        RingPlan as RingPlan,
        RingSlot as RingSlot,
    )
    from .shuffle import (
        CachingWorker as CachingWorker,
        Message as Message,
        ShuffleInstance as ShuffleInstance,
        ShufflePlan as ShufflePlan,
    )
    from .speedup import (
        Amdahl as Amdahl,
        PowerLaw as PowerLaw,
        SpeedPoint as SpeedPoint,
        SpeedTable as SpeedTable,
        Speedup as Speedup,
    )
    from .trace import (
        JobGroup as JobGroup,
        JobRuns as JobRuns,
        LossCurve as LossCurve,
        Outage as Outage,
        Phase as Phase,
        RackLinks as RackLinks,
        RackServer as RackServer,
        TraceInstance as TraceInstance,
        TraceJob as TraceJob,
        TraceRun as TraceRun,
        TraceSchedule as TraceSchedule,
        TraceType as TraceType,
        Width as Width,
    )
    from .transfers import (
        NetworkLink as NetworkLink,
        Send as Send,
        TransferPlan as TransferPlan,
        TransfersInstance as TransfersInstance,
        Update as Update,
    )
else:
    __getattr__, __dir__ = late(__name__, __file__)
