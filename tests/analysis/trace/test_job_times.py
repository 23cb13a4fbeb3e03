"""What became of each job, taken from a schedule and the judge's ends."""

from decimal import Decimal
from fractions import Fraction

from ringyard.analysis.trace import JobTimes, job_times
from ringyard.instances import JobRuns, RackServer, TraceInstance, TraceJob, TraceRun, TraceSchedule

S0, S1 = (("s0", 1),), (("s1", 1),)


def run(start: int, stop: int | None, gpus: tuple[tuple[str, int], ...]) -> TraceRun:
    stop_s = None if stop is None else Decimal(stop)
    return TraceRun(start_s=Decimal(start), stop_s=stop_s, gpus=gpus)


def test_times_of_a_job_that_was_stopped_and_moved() -> None:
    instance = TraceInstance(
        name="x",
        servers=(RackServer(name="s0", gpus=1), RackServer(name="s1", gpus=1)),
        jobs=tuple(
            TraceJob(name=name, arrival_s=Decimal(at), gpus=1, duration_s=Decimal(6))
            for name, at in (("open", 0), ("moved", 2), ("never", 3))
        ),
    )
    runs = (run(3, 5, S0), run(7, 9, S0), run(9, 99, S1))
    plans = (JobRuns(job="moved", runs=runs), JobRuns(job="open", runs=(run(0, None, S1),)))
    schedule = TraceSchedule(instance="x", jobs=plans)
    ends = {"open": Fraction(6), "moved": Fraction(11)}
    assert list(job_times(instance, schedule, ends)) == [
        JobTimes(
            job="open",
            gpus=1,
            arrival_s=Fraction(0),
            start_s=Fraction(0),
            end_s=Fraction(6),
            jct_s=Fraction(6),
            waiting_s=Fraction(0),
            preemptions=0,
            moves=0,
        ),
        JobTimes(
            job="moved",
            gpus=1,
            arrival_s=Fraction(2),
            start_s=Fraction(3),
            end_s=Fraction(11),
            jct_s=Fraction(9),
            waiting_s=Fraction(3),
            preemptions=2,
            moves=1,
        ),
    ]
