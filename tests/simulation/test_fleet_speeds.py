"""Rates of a fleet's jobs fit the engine's whole numbers, however fast a table says they are."""

from decimal import Decimal

from ringyard.instances import Epoch, FleetInstance, FleetJob, JobType, SpeedTable, validate
from ringyard.instances.speedup import SpeedPoint
from ringyard.run import solve


def test_jobs_of_absurd_speed_take_a_tick() -> None:
    points = (
        SpeedPoint(gpus=Decimal(1), speed=Decimal(1)),
        SpeedPoint(gpus=Decimal(2), speed=Decimal("1e15")),
    )
    epoch = Epoch(work_h=Decimal(1), speedup=SpeedTable(points=points))
    instance = FleetInstance(
        name="absurd",
        types=(JobType(name="a", rate_per_h=Decimal(1), epochs=(epoch,)),),
        jobs=(FleetJob(name="j", type="a", work_s=(Decimal(3600),)),),
        span_s=Decimal(3600),
        budget_gpus=Decimal(4),
    )
    validate(instance)
    answer = solve(instance, "boa")
    assert answer.valid
    assert answer.verdict is not None
    assert answer.verdict.objective * 3600 == 1
