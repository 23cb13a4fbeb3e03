"""The exact program as a method: a first schedule, the solver from there, the best point read.

A job that ends late enough makes a schedule worse than the first, even with all other jobs at their
fastest. The program ends there. The bound rests on floating point, as its kind says.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import ceil

from ...formulations.catalogue import Formulation, find_formulation
from ...formulations.program import too_many
from ...formulations.trace.demand import Demand, Mode, cost, demands, pools_by_kind
from ...formulations.trace.stretches import ModeStretch, schedule_of, stretches_of, total
from ...instances import (
    Outcome,
    RefusedError,
    SolutionStatus,
    TraceInstance,
    TraceSchedule,
)
from ...policies.request import ProgramOptions, Request
from ..built import TOLERANCE, Best, solve_built
from .bounds import combinatorial_bounds, mean_of

Size = Callable[[int, Mode], int]


def shortest_first(instance: TraceInstance) -> list[ModeStretch]:
    """Return the better schedule of two: by ticks left, and by GPU-ticks left.

    Jobs have the GPUs that they request, of their fastest kind. If restarts are free they are
    stopped for other jobs.
    """
    sizes: tuple[Size, ...] = (lambda ticks, _: ticks, lambda ticks, mode: ticks * mode.halves)
    found = [_played(instance, size) for size in sizes]
    return min(found, key=lambda stretches: total(instance, stretches) or 0)


def _played(instance: TraceInstance, size: Size) -> list[ModeStretch]:
    jobs = demands(instance)
    modes = [_asked(job, one.gpus) for job, one in zip(jobs, instance.jobs, strict=True)]
    left = {
        i: -(-job.work // mode.rate) for i, (job, mode) in enumerate(zip(jobs, modes, strict=True))
    }
    own = pools_by_kind(instance)
    within = [
        [k for k, pool in enumerate(own) if (i, mode.kind) in pool.users]
        for i, mode in enumerate(modes)
    ]
    now, running, found = min(job.release for job in jobs), list[int](), list[ModeStretch]()
    while left:
        present = [i for i in left if jobs[i].release <= now]
        present.sort(key=lambda i: size(left[i], modes[i]))
        kept = running if cost(instance) else []
        running, room = [], [pool.halves for pool in own]
        for i in [*kept, *(i for i in present if i not in kept)]:
            if all(modes[i].halves <= room[k] for k in within[i]):
                running.append(i)
                for k in within[i]:
                    room[k] -= modes[i].halves
        moments = [now + left[i] for i in running]
        moments += [jobs[i].release for i in left if jobs[i].release > now]
        until = min(moments)
        for i in running:
            _extend(found, ModeStretch(i, modes[i], now, until))
            left[i] -= until - now
        left = {i: ticks for i, ticks in left.items() if ticks}
        running = [i for i in running if i in left]
        now = until
    return found


def _asked(job: Demand, gpus: int) -> Mode:
    """Return the mode on the requested number of GPUs, of the fastest kind."""
    whole = [mode for mode in job.modes if (mode.gpus, mode.halves) == (gpus, 2 * gpus)]
    return max(whole, key=lambda mode: mode.rate)


def _extend(found: list[ModeStretch], new: ModeStretch) -> None:
    """Add a stretch, joined to its predecessor if there is one."""
    for place, old in enumerate(found):
        if (old.job, old.stop) == (new.job, new.start):
            found[place] = old._replace(stop=new.stop)
            return
    found.append(new)


MOST = 5_000
"""Most pairs of a mode and a tick. Larger programs take too long."""


def refuses(instance: TraceInstance, options: ProgramOptions) -> str | None:
    """Return why the program cannot state `instance`, or None if it can."""
    reason = find_formulation(options.formulation).refuses(instance)
    if reason is not None:
        return reason
    jobs, last = demands(instance), latest_end(instance, _first_total(instance))
    size = sum(len(job.modes) * (last - job.release) for job in jobs)
    advice = "lengthen tick_s, or use a policy and `ringyard bound --time-limit`"
    return too_many(size, MOST, "pairs of a run mode and a tick", advice)


def latest_end(instance: TraceInstance, best: int) -> int:
    """Return the last tick at which a job ends in a schedule whose times add up to `best`."""
    jobs = demands(instance)
    spare = best - sum(job.ticks for job in jobs)
    return max(job.release + job.ticks for job in jobs) + spare


def _first_total(instance: TraceInstance) -> int:
    found = total(instance, shortest_first(instance))
    assert found is not None
    return found


def root_horizon(instance: TraceInstance) -> int:
    """Return the last tick at which a job ends in a schedule as good as one by a quick policy."""
    return latest_end(instance, _first_total(instance))


def root_worth(instance: TraceInstance, _: Formulation, value: Fraction, horizon: int) -> Fraction:
    """Return the bound on the mean. It needs all jobs of a best schedule to end by the horizon."""
    if horizon < (last := root_horizon(instance)):
        late = f"jobs of a best schedule may end at tick {last}, give no earlier --horizon"
        raise RefusedError(f"{instance.name}: {late}")
    return mean_of(instance, ceil(value))


def run(instance: TraceInstance, request: Request[ProgramOptions]) -> Outcome:
    """Return the best schedule that the solver finds in the program, with its bound."""
    program = find_formulation(request.options.formulation)
    best = Best[TraceSchedule](request.limits)

    def offer(schedule: TraceSchedule) -> None:
        ticks = total(instance, stretches_of(instance, schedule))
        if ticks is not None:  # All jobs end.
            own = replace(schedule, method=program.name)
            best.offer(own, mean_of(instance, ticks), ticks)

    offer(schedule_of(instance, shortest_first(instance), program.name))
    if request.start is not None:
        offer(request.start)
    last, first = latest_end(instance, best.cost), best.plan
    solved = solve_built(program, lambda: program.build(instance, last), request, first, offer)
    known = combinatorial_bounds(instance)[0]
    name = request.options.name
    found = solved.bound(program, name, lambda low: mean_of(instance, ceil(low - TOLERANCE)))
    found = found if program.exact else None
    bound = max(known, found or known, key=lambda bound: bound.value)
    return solved.outcome(
        best, bound, SolutionStatus.OPTIMAL if bound.value == best.value else None
    )
