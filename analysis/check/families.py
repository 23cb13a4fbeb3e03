"""Which judge a schedule goes to: each problem family has its own."""

from typing import overload

from ...instances.coded.instance import CodedInstance
from ...instances.coded.schedule import CodedPlan
from ...instances.errors import InputError, Problem
from ...instances.fleet.instance import FleetInstance
from ...instances.fleet.schedule import FleetLog
from ...instances.makespan.instance import MakespanInstance
from ...instances.makespan.schedule import Schedule
from ...instances.online.instance import OnlineInstance
from ...instances.online.schedule import OnlineSchedule
from ...instances.reading.files import AnySchedule, Instance
from ...instances.rental.instance import RentalInstance
from ...instances.rental.schedule import RentalPlan
from ...instances.reserved.instance import ReservedInstance
from ...instances.reserved.schedule import ReservedSchedule
from ...instances.shuffle.instance import ShuffleInstance
from ...instances.shuffle.schedule import ShufflePlan
from ...instances.trace.instance import TraceInstance
from ...instances.trace.schedule import TraceSchedule
from ...instances.transfers.instance import TransfersInstance
from ...instances.transfers.schedule import TransferPlan
from .coded.judge import CodedVerdict, check_coded
from .coded.rules import RULES as CODED_RULES
from .fleet.judge import FleetVerdict, check_fleet
from .fleet.rules import RULES as FLEET_RULES
from .makespan.judge import check_makespan
from .makespan.rules import RULES as MAKESPAN_RULES
from .online.judge import OnlineVerdict, check_online
from .online.rules import RULES as ONLINE_RULES
from .rental.judge import RentalVerdict, check_rental
from .rental.rules import RULES as RENTAL_RULES
from .reserved.judge import ReservedVerdict, check_reserved
from .reserved.rules import RULES as RESERVED_RULES
from .shuffle.judge import ShuffleVerdict, check_shuffle
from .shuffle.rules import RULES as SHUFFLE_RULES
from .trace.judge import TraceVerdict, check_trace
from .trace.rules import RULES as TRACE_RULES
from .transfers.judge import TransfersVerdict, check_transfers
from .transfers.rules import RULES as TRANSFERS_RULES
from .verdict import Verdict

AnyVerdict = (
    Verdict
    | OnlineVerdict
    | ReservedVerdict
    | TraceVerdict
    | RentalVerdict
    | FleetVerdict
    | CodedVerdict
    | ShuffleVerdict
    | TransfersVerdict
)

RULES: dict[str, dict[str, str]] = {
    "makespan": MAKESPAN_RULES,
    "online": ONLINE_RULES,
    "reserved": RESERVED_RULES,
    "trace": TRACE_RULES,
    "rental": RENTAL_RULES,
    "fleet": FLEET_RULES,
    "coded": CODED_RULES,
    "shuffle": SHUFFLE_RULES,
    "transfers": TRANSFERS_RULES,
}
"""What each rule says, by problem family and name."""


@overload
def check(instance: MakespanInstance, schedule: Schedule) -> Verdict: ...
@overload
def check(instance: OnlineInstance, schedule: OnlineSchedule) -> OnlineVerdict: ...
@overload
def check(instance: ReservedInstance, schedule: ReservedSchedule) -> ReservedVerdict: ...
@overload
def check(instance: TraceInstance, schedule: TraceSchedule) -> TraceVerdict: ...
@overload
def check(instance: RentalInstance, schedule: RentalPlan) -> RentalVerdict: ...
@overload
def check(instance: FleetInstance, schedule: FleetLog) -> FleetVerdict: ...
@overload
def check(instance: CodedInstance, schedule: CodedPlan) -> CodedVerdict: ...
@overload
def check(instance: ShuffleInstance, schedule: ShufflePlan) -> ShuffleVerdict: ...
@overload
def check(instance: TransfersInstance, schedule: TransferPlan) -> TransfersVerdict: ...
@overload
def check(instance: Instance, schedule: AnySchedule) -> AnyVerdict: ...
def check(instance: Instance, schedule: AnySchedule) -> AnyVerdict:
    """Hold a schedule against its instance, recomputing everything from the raw data.

    Raises:
        InputError: If the schedule answers another family's instances.
    """
    if isinstance(instance, MakespanInstance) and isinstance(schedule, Schedule):
        return check_makespan(instance, schedule)
    if isinstance(instance, OnlineInstance) and isinstance(schedule, OnlineSchedule):
        return check_online(instance, schedule)
    if isinstance(instance, ReservedInstance) and isinstance(schedule, ReservedSchedule):
        return check_reserved(instance, schedule)
    if isinstance(instance, TraceInstance) and isinstance(schedule, TraceSchedule):
        return check_trace(instance, schedule)
    if isinstance(instance, RentalInstance) and isinstance(schedule, RentalPlan):
        return check_rental(instance, schedule)
    if isinstance(instance, FleetInstance) and isinstance(schedule, FleetLog):
        return check_fleet(instance, schedule)
    if isinstance(instance, CodedInstance) and isinstance(schedule, CodedPlan):
        return check_coded(instance, schedule)
    if isinstance(instance, ShuffleInstance) and isinstance(schedule, ShufflePlan):
        return check_shuffle(instance, schedule)
    if isinstance(instance, TransfersInstance) and isinstance(schedule, TransferPlan):
        return check_transfers(instance, schedule)
    expected = f"the schedule of {instance.kind!r} instances: {instance.kind}-schedule"
    problem = Problem("kind", schedule.kind, expected, "name another file")
    raise InputError(schedule.instance, [problem])
