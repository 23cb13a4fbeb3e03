"""Rules that add up what jobs take of the cluster: docs/makespan/bounds.md has the proofs."""

from fractions import Fraction

from .....instances.makespan.instance import MakespanInstance
from ..steps import ProofStep, StepError
from .part import part_of


def longest_job(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """A job cannot end before its release and its least slots."""
    part, name = part_of(instance, step), step.text("job")
    for one in part.jobs:
        if one.job.name == name:
            return part.rounded(one.release + one.slots)
    raise StepError(f"there is no job {name!r} here")


def area(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """What is left to do at a moment needs GPUs behind it.

    A job of p slots released at r is at work for p - (t - r) slots or more behind t. If that is
    above 0 for one job, the schedule ends behind t.
    """
    part, since = part_of(instance, step), step.number("from")
    left = sum(
        one.job.gpus * max(Fraction(0), one.slots - max(Fraction(0), since - one.release))
        for one in part.jobs
    )
    if not left:
        raise StepError(f"at slot {since} nothing may be left to do")
    return part.rounded(since + left / part.gpus)


def exclusion(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """Jobs that run side by side weigh 1 at most; so weights times slots follow one another."""
    part, since, places = part_of(instance, step), step.number("from"), step.whole("places", 1)
    jobs = part.released(since)
    weighed = (weight(one.job.gpus, part.gpus, places) * one.slots for one in jobs)
    return part.rounded(since + sum(weighed))


def weight(gpus: int, total: int, places: int) -> Fraction:
    """Return what a job weighs if GPUs are counted in parts of which there are `places` + 1.

    Jobs that fill whole parts weigh what they fill. Others that fill n parts and more weigh n of
    `places`: together with m parts filled exactly no more than `places` - m fit.
    """
    parts = Fraction((places + 1) * gpus, total)
    return Fraction(gpus, total) if parts.denominator == 1 else Fraction(int(parts), places)
