"""What the plans of a schedule are worth, in exact fractions."""

from fractions import Fraction

from ...instances import OnlineInstance, OnlineSchedule, TrainingJob
from ...instances.online.schedule import Admission


def worth_of(instance: OnlineInstance, schedule: OnlineSchedule) -> dict[str, Fraction]:
    """Return the utility of every job that goes through all its samples by its plan."""
    jobs = {job.name: job for job in instance.jobs}
    worths = {}
    for admission in schedule.admissions:
        job = jobs[admission.job]
        if _samples(instance, job, admission) >= job.work:
            last = max(entry.slot for entry in admission.plan)
            worths[job.name] = Fraction(job.utility.at(last - job.arrival_slot))
    return worths


def _samples(instance: OnlineInstance, job: TrainingJob, admission: Admission) -> Fraction:
    rate = {inside: job.rate(inside, instance.slot_s) for inside in (True, False)}
    return sum(
        (
            sum(count for _, count in entry.workers)
            * rate[len({name for name, _ in (*entry.workers, *entry.servers)}) == 1]
            for entry in admission.plan
        ),
        Fraction(0),
    )
