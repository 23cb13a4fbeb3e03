"""Explanations why no schedule ends by a slot: numeric arguments, or a smallest set of jobs.

The arguments come from `bounds/counting.py`, each with the need and the capacity until the slot.
If no argument applies, jobs are left out one after the other while the remaining jobs still cannot
end in time. The final set is a minimal conflict.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from ...instances import FluidLinks, MakespanInstance, RingJob
from ...instances.reading.encode import fraction_text
from ...simulation.makespan.evaluate import extremes, never_ends
from .bounds.counting import combinatorial_bounds

Needs = Sequence[tuple[RingJob, Fraction]]
"""Jobs, each with the least slots it can take."""

MOST_NAMED = 6
"""Jobs that a reason names one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """The reason why jobs cannot end by the slot. `earliest` is their possible end, or None."""

    name: str
    earliest: Fraction | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Jobs that cannot all end by the slot. If `minimal`, any proper subset can."""

    jobs: tuple[str, ...]
    minimal: bool


def reasons(instance: MakespanInstance, horizon: int) -> list[Reason]:
    """Return every simple reason why no schedule ends by slot `horizon`, the sharpest first."""
    stuck = [
        Reason(name="standstill", earliest=None, text=reason)
        for job in instance.jobs
        if (reason := never_ends(replace(instance, jobs=(job,)))) is not None
    ]
    if stuck:
        return stuck
    total = sum(server.gpus for server in instance.cluster.servers)
    least = [extreme.least_slots or Fraction(0) for extreme in extremes(instance)]
    needs = list(zip(instance.jobs, least, strict=True))
    found = [
        *_longest(needs, horizon),
        *_area(needs, total, horizon),
        *_exclusion(needs, total, horizon),
    ]
    for bound in combinatorial_bounds(instance):
        known = [reason.earliest or 0 for reason in found if reason.name == bound.name]
        if bound.value > max([horizon, *map(ceil, known)]):
            text = f"{bound.argument}, so not before slot {fraction_text(bound.value)}"
            found.append(Reason(name=bound.name, earliest=bound.value, text=text))
    return _sharpest_first(found)


def _longest(needs: Needs, horizon: int) -> Iterator[Reason]:
    for job, slots in needs:
        earliest = Fraction(job.release_slot) + slots
        if earliest > horizon:
            text = (
                f"job {job.name!r} ({job.gpus} GPU{'s' * (job.gpus > 1)}) takes at least "
                f"{fraction_text(slots)} slots from slot {job.release_slot} "
                f"and cannot end by {horizon}"
            )
            yield Reason(name="longest job", earliest=earliest, text=text)


def _area(needs: Needs, total: int, horizon: int) -> list[Reason]:
    """Area: jobs released at r or later need more GPU-slots than exist after r, for the best r."""
    found = []
    for release, late in _released(needs, horizon):
        need = sum((job.gpus * slots for job, slots in late), Fraction(0))
        room = total * (horizon - release)
        if need > room:
            text = (
                f"{_who(late, needs, release)} need {fraction_text(need)} GPU-slots; {total} GPUs "
                f"{_between(release, horizon)} offer only {fraction_text(room)}"
            )
            found.append(Reason(name="area", earliest=release + need / total, text=text))
    return _sharpest_first(found)[:1]


def _exclusion(needs: Needs, total: int, horizon: int) -> list[Reason]:
    """Exclusion: jobs of more than half the GPUs each follow one another, for the best r."""
    big = [(job, slots) for job, slots in needs if 2 * job.gpus > total]
    found = []
    for release, late in _released(big, horizon):
        need = sum((slots for _, slots in late), Fraction(0))
        if len(late) > 1 and need > horizon - release:
            text = (
                f"{_names(late)} need more than half of {total} GPUs each, so in sequence "
                f"they take {fraction_text(need)} slots; {_between(release, horizon)} "
                f"only {fraction_text(horizon - release)} are available"
            )
            found.append(Reason(name="exclusion", earliest=release + need, text=text))
    return _sharpest_first(found)[:1]


def _released(needs: Needs, horizon: int) -> Iterator[tuple[Fraction, Needs]]:
    """Yield each release before the horizon, with the jobs released then or later."""
    for release in sorted({Fraction(job.release_slot) for job, _ in needs}):
        if release < horizon:
            yield release, [(job, slots) for job, slots in needs if job.release_slot >= release]


def _sharpest_first(found: list[Reason]) -> list[Reason]:
    return sorted(found, key=lambda reason: -(reason.earliest or 0))


def _who(late: Needs, needs: Needs, release: Fraction) -> str:
    if len(late) == len(needs):
        return "all jobs"
    return f"the {len(late)} jobs released at slot {fraction_text(release)} or later"


def _names(needs: Needs) -> str:
    if len(needs) > MOST_NAMED:
        return f"{len(needs)} jobs"
    return "jobs " + ", ".join(repr(job.name) for job, _ in needs)


def _between(release: Fraction, horizon: int) -> str:
    start = f"from slot {fraction_text(release)} " if release else ""
    return f"{start}until slot {horizon}"


def irreducible(
    instance: MakespanInstance, possible: Callable[[MakespanInstance], bool | None]
) -> Conflict:
    """Return jobs that cannot all end in time, from an instance whose jobs cannot.

    `possible` returns whether all jobs of an instance can, or None if that stays open, which keeps
    the job. One pass is enough if a job only ever hinders other jobs. Under fair sharing a ring can
    help another by holding back a third, so passes repeat until one leaves out no job.
    """
    size = {
        job.name: job.gpus * (extreme.least_slots or 0)
        for job, extreme in zip(instance.jobs, extremes(instance), strict=True)
    }
    jobs, minimal, again = instance.jobs, True, True
    while again:
        again, minimal = False, True
        for job in sorted(jobs, key=lambda job: size[job.name]):
            rest = tuple(other for other in jobs if other.name != job.name)
            can = not rest or possible(replace(instance, jobs=rest))
            if can is None:
                minimal = False
            elif not can:
                jobs, again = rest, isinstance(instance.contention, FluidLinks)
    return Conflict(jobs=tuple(job.name for job in jobs), minimal=minimal)
