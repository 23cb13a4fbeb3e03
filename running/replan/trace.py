"""Plans of traces are cut and repaired.

The judge plays the plan up to the cut, so the work that is left, the GPUs that jobs hold and the
restarts that they are paying for are exact.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any

from ...analysis.check.judge import Ticks
from ...analysis.check.trace import TraceVerdict
from ...analysis.check.trace_runs import GangLife, TraceHolding, lives_of
from ...instances import (
    JobRuns,
    Outage,
    RefusedError,
    TraceInstance,
    TraceJob,
    TraceRun,
    TraceSchedule,
    digest,
    validate,
)
from ...instances.errors import InputError, Problem, Words, raise_any
from ...instances.trace import WORK, work_left
from ...search.trace.follow import follow
from . import Change, Move, Rest, places_text

REST = "-rest"
"""The end of names of instances that are left."""

MOST_TOGGLED = 12
"""Hit jobs for which moving and waiting are compared one by one."""


def standing(instance: TraceInstance) -> TraceSchedule:
    """Return the plan that has only the runs of jobs that run at time 0."""
    out = {one.server for one in instance.outages if one.from_s == 0}
    return TraceSchedule(
        instance=instance.name,
        digest=digest(instance),
        method="standing",
        jobs=tuple(
            JobRuns(
                job=job.name,
                runs=(TraceRun(start_s=Decimal(0), gpus=job.held, share=job.held_share),),
            )
            for job in instance.jobs
            if job.held and not job.stopped and out.isdisjoint(name for name, _ in job.held)
        ),
    )


def completed(instance: TraceInstance, schedule: TraceSchedule) -> TraceSchedule | None:
    """Return a schedule in which the jobs that a valid one lacks wait behind it."""
    found = follow(instance, schedule, (), schedule.method or "completed")
    return found and found.schedule


def cut(instance: TraceInstance, schedule: TraceSchedule, change: Change) -> Rest:
    """Return what is left of a valid schedule.

    Raises:
        InputError: If a time is between two ticks, a late job has ended, or a job has no place on
            the servers that are left.
        RefusedError: If no job is left.
    """
    _refuse_times(instance, change)
    now = change.now
    past = _past(schedule, now)
    known = replace(instance, outages=_with_lost(instance, change))
    lives = {life.job.name: life for life in lives_of(known, past, Ticks(instance.tick_s))}
    ended = {name for name, life in lives.items() if life.end is not None}
    if gone := [name for name in change.late if name in ended]:
        found, place = Words(f"a job that has ended by {now}"), f"--late {gone[0]}"
        raise InputError.of("ringyard replan", place, found, "a job that is left", "leave it out")
    runs = {entry.job: _coming(entry, now) for entry in schedule.jobs if entry.job not in ended}
    if len(ended) == len(instance.jobs):
        raise RefusedError(f"all jobs have ended by {now}, so nothing is left to plan.")
    dropped = {server for server, back in change.lost.items() if back is None}
    _refuse_late_phases(instance, lives, change)
    jobs = tuple(
        _left(instance, job, lives.get(job.name), runs.get(job.name, ()), change)
        for job in instance.jobs
        if job.name not in ended
    )
    rest = replace(
        instance,
        name=f"{instance.name.removesuffix(REST)}{REST}"[-100:],
        servers=tuple(one for one in instance.servers if one.name not in dropped),
        jobs=jobs,
        outages=tuple(
            replace(one, from_s=max(Decimal(0), one.from_s - now), until_s=one.until_s - now)
            for one in known.outages
            if one.until_s > now and one.server not in dropped
        ),
    )
    if not rest.servers:
        raise RefusedError("all servers are lost, so nothing can be planned.")
    _validate(rest, sorted(dropped))
    plan = TraceSchedule(
        instance=rest.name,
        digest=digest(rest),
        method=schedule.method,
        jobs=tuple(JobRuns(job=job, runs=_shifted(own, now)) for job, own in runs.items() if own),
    )

    def wait() -> TraceSchedule | None:
        waited = follow(rest, plan, (), "waiting")
        return waited and waited.schedule

    return Rest(instance=rest, plan=plan, wait=None if dropped else wait)


def _validate(rest: TraceInstance, dropped: Sequence[str]) -> None:
    """Raise an error if a job has no place on the servers that are left."""
    try:
        validate(rest)
    except InputError as error:
        if not dropped:
            raise
        advice = f"say when it is back, as in --lost {dropped[0]}=+4h, or drop the job"
        problems = [replace(one, advice=advice) for one in error.problems]
        raise InputError(f"without {', '.join(dropped)}", problems, error.more) from None


def _refuse_times(instance: TraceInstance, change: Change) -> None:
    """Raise an error if a time is between two ticks."""
    times = {"--now": change.now}
    times |= {f"--lost {server}": back for server, back in change.lost.items() if back is not None}
    times |= {f"--late {job}": more for job, more in change.late.items()}
    tick = Fraction(instance.tick_s)
    expected = f"a multiple of tick_s ({instance.tick_s})"
    raise_any(
        "ringyard replan",
        [
            Problem(place, moment, expected, "round it")
            for place, moment in times.items()
            if (Fraction(moment) / tick).denominator > 1
        ],
    )


def _refuse_late_phases(
    instance: TraceInstance, lives: Mapping[str, GangLife], change: Change
) -> None:
    """Raise an error if a job has more work that has begun to go through phases."""
    for job in instance.jobs:
        life = lives.get(job.name)
        if job.type and job.name in change.late and (job.begun or (life and life.held)):
            found, place = Words(f"a job of type {job.type!r} that has begun"), f"--late {job.name}"
            expected = "one that has not: phases are shares of its work, and would move"
            raise InputError.of("ringyard replan", place, found, expected, "leave it out")


def _past(schedule: TraceSchedule, now: Decimal) -> TraceSchedule:
    """Return the runs that start before now. Those that last longer are stopped now."""
    entries = (
        replace(
            entry,
            end_s=None,
            runs=tuple(
                replace(run, stop_s=now if run.stop_s is None else min(now, run.stop_s))
                for run in entry.runs
                if run.start_s < now
            ),
        )
        for entry in schedule.jobs
    )
    return replace(
        schedule, digest="", mean_jct_s=None, jobs=tuple(one for one in entries if one.runs)
    )


def _with_lost(instance: TraceInstance, change: Change) -> tuple[Outage, ...]:
    """Return the outages, and those of lost servers. One that never ends is very long."""
    found = list(instance.outages)
    for server, back in change.lost.items():
        until = change.now + 10**9 * instance.tick_s if back is None else back
        own = [one for one in found if one.server == server and one.until_s > change.now]
        joined = [one for one in own if one.from_s <= until]
        if any(one.from_s <= change.now for one in joined):
            start = min(one.from_s for one in joined)
        else:
            start = change.now
        until = max([until, *(one.until_s for one in joined)])
        found = [one for one in found if one not in joined]
        found.append(Outage(server=server, from_s=start, until_s=until, known=back is not None))
    return tuple(found)


def _coming(entry: JobRuns, now: Decimal) -> tuple[TraceRun, ...]:
    """Return the runs of a job that last longer than until now."""
    return tuple(run for run in entry.runs if run.stop_s is None or run.stop_s > now)


def _shifted(runs: Sequence[TraceRun], now: Decimal) -> tuple[TraceRun, ...]:
    return tuple(
        replace(
            run,
            start_s=max(Decimal(0), run.start_s - now),
            stop_s=None if run.stop_s is None else run.stop_s - now,
        )
        for run in runs
    )


STOPPED: dict[str, Any] = {
    "held_s": Decimal(0),
    "unsaved_s": Decimal(0),
    "unsaved_done_s": Decimal(0),
    "stopped": True,
}
"""The fields of a job whose last run is over."""


def _left(
    instance: TraceInstance,
    job: TraceJob,
    life: GangLife | None,
    coming: Sequence[TraceRun],
    change: Change,
) -> TraceJob:
    """Return a job as it is now."""
    now, tick = change.now, instance.tick_s
    late = change.late.get(job.name, Decimal(0))
    if job.arrival_s > now:
        return replace(job, arrival_s=job.arrival_s + late - now)
    passed = now - job.arrival_s
    due = None if job.due_s is None else max(tick, job.due_s - passed)
    if life is not None and life.held:
        work = work_left(job, tick) - life.left
        done = job.done_s + (work * tick / WORK)
        job = replace(job, done_s=done.normalize(), **_held(life.held[-1], coming, change, tick))
    elif job.held is not None and now > 0:
        job = replace(job, **STOPPED)
    if not change.lost.keys().isdisjoint(name for name, _ in job.held or ()):
        gone = any(change.lost.get(name, now) is None for name, _ in job.held or ())
        held, done = () if gone else job.held, job.done_s - job.unsaved_done_s
        job = replace(job, held=held, done_s=done, **STOPPED)
    return replace(
        job,
        arrival_s=Decimal(0),
        duration_s=job.duration_s + late,
        due_s=due,
        waited_s=job.waited_s if not passed else None,
    )


def _held(
    last: TraceHolding, coming: Sequence[TraceRun], change: Change, tick: Decimal
) -> dict[str, Any]:
    """Return the fields about the last run of a job that has begun."""
    now = Fraction(change.now) / Fraction(tick)
    # The judge has stopped the run at the cut. It goes on if the plan has no stop there.
    runs = last.stop == now and any(run.start_s < change.now for run in coming)
    left = max(0, last.start + last.cost - int(now)) if runs else 0
    ticks, work = last.unsaved if runs else (0, 0)
    return {
        "held": tuple(sorted(last.run.pieces.items())),
        "held_share": "half" if last.run.half else "whole",
        "held_s": left * tick,
        "unsaved_s": ticks * tick,
        "unsaved_done_s": (work * tick / WORK).normalize(),
        "stopped": not runs,
    }


def repaired(rest: Rest) -> TraceSchedule | None:
    """Return a schedule that follows the plan, in which few jobs move.

    Either the jobs move whose servers are lost, or all that find their GPUs in use. Then each hit
    job is tried the other way.
    """
    instance, plan = rest.instance, rest.plan
    out = {outage.server for outage in instance.outages}
    there = {server.name for server in instance.servers} - out
    hit = [
        entry.job
        for entry in plan.jobs
        if any(name not in there for run in entry.runs for name, _ in run.gpus)
    ]
    every = [job.name for job in instance.jobs]
    best, chosen = None, list[str]()
    for movable in ([], hit, every):
        found = follow(instance, plan, movable, "repaired")
        if found is not None and (best is None or found.mean < best.mean):
            best, chosen = found, movable
    for job in hit[:MOST_TOGGLED]:
        movable = [name for name in chosen if name != job] if job in chosen else [*chosen, job]
        found = follow(instance, plan, movable, "repaired")
        if found is not None and best is not None and found.mean < best.mean:
            best, chosen = found, movable
    return best.schedule if best else None


def moved(before: TraceVerdict, after: TraceVerdict, rest: Rest) -> list[Move]:
    """Return the jobs that run on other GPUs than planned, or end at another time."""
    old, new = _by_job(before), _by_job(after)
    tick = Fraction(rest.instance.tick_s)
    found = []
    for job in rest.instance.jobs:
        planned, runs = old.get(job.name, []), new.get(job.name, [])
        ended, ends = before.ends.get(job.name), after.ends.get(job.name)
        if _places(planned) != _places(runs) or ended != ends:
            found.append(
                Move(
                    job=job.name,
                    before=_places(planned),
                    after=_places(runs),
                    ended=ended,
                    ends=ends,
                    cost=(_paid(runs) - _paid(planned)) * tick,
                )
            )
    return found


def _by_job(verdict: TraceVerdict) -> Mapping[str, list[TraceHolding]]:
    return {name: list(own) for name, own in groupby(verdict.held, lambda one: one.run.job.name)}


def _paid(runs: Sequence[TraceHolding]) -> int:
    return sum(one.works - one.start for one in runs)


def _places(runs: Sequence[TraceHolding]) -> str:
    """Write the GPUs of runs in turn, as ``s0:4, s1:4``."""
    return " then ".join(place for place, _ in groupby(_texts(runs)))


def _texts(runs: Sequence[TraceHolding]) -> Iterator[str]:
    for one in runs:
        half = " (halves)" if one.run.half else ""
        yield places_text(one.run.pieces) + half
