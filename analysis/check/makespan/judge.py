"""From instance and schedule to the verdict."""

from fractions import Fraction

from ....instances.makespan.instance import MakespanInstance, Schedule
from ..judge import violations_of
from .rules import ALL, MakespanCase
from .runs import Verdict, runs_of
from .timeline import timeline


def check_makespan(instance: MakespanInstance, schedule: Schedule) -> Verdict:
    """Check a schedule against its instance, recomputing everything from the raw data.

    The judge goes on after a violation: time and capacity are computed from the first usable
    entry of every job, whatever is wrong with it or elsewhere. The instance must be one that
    the reader accepts.

    Ends are exact. Under continuous progress their denominators grow with every event that
    bears on them, so 1,000 jobs under contention take seconds (`server_uplink`) or many
    minutes (`fluid`), where whole slots take well under ten seconds for 20,000.
    """
    runs = runs_of(instance, schedule)
    course = timeline(instance, runs)
    ends = {run.job.name: end for run, end in course.ends.items()}
    total = len(instance.jobs)
    complete = len(ends) == total
    makespan = max(ends.values()) if complete else None
    mean = sum(ends.values(), Fraction(0)) / total if complete else None
    case = MakespanCase(
        instance=instance, schedule=schedule, runs=runs, timeline=course, makespan=makespan
    )
    return Verdict(
        violations=violations_of(case, ALL),
        ends=ends,
        makespan=makespan,
        mean_completion=mean,
        spans=course.spans,
    )
