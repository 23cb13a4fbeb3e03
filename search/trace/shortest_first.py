"""A first schedule where GPUs are counted: the job with the least left goes first, past others."""

from collections.abc import Callable

from ...formulations.trace.counted import cost
from ...formulations.trace.demand import Demand, Mode, demands
from ...formulations.trace.pools import pools
from ...formulations.trace.stretches import ModeStretch, total
from ...instances import TraceInstance

Size = Callable[[int, Mode], int]


def shortest_first(instance: TraceInstance) -> list[ModeStretch]:
    """Return the better schedule of two: by ticks left, and by GPU-ticks left.

    Jobs have the GPUs that they ask for. Where running again costs nothing they are stopped for
    others.
    """
    sizes: tuple[Size, ...] = (lambda ticks, _: ticks, lambda ticks, mode: ticks * mode.halves)
    found = [_played(instance, size) for size in sizes]
    return min(found, key=lambda stretches: total(instance, stretches) or 0)


def _played(instance: TraceInstance, size: Size) -> list[ModeStretch]:
    jobs = demands(instance)
    modes = [_asked(job, own.gpus) for job, own in zip(jobs, instance.jobs, strict=True)]
    left = {
        i: -(-job.work // mode.rate) for i, (job, mode) in enumerate(zip(jobs, modes, strict=True))
    }
    within = _within(instance)
    now, running, found = min(job.release for job in jobs), list[int](), list[ModeStretch]()
    while left:
        present = [i for i in left if jobs[i].release <= now]
        present.sort(key=lambda i: size(left[i], modes[i]))
        kept = running if cost(instance) else []
        running, room = [], [pool.halves for pool in pools(instance)]
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


def _within(instance: TraceInstance) -> list[list[int]]:
    """Return for every job the pools, by number, outside of which it may not run."""
    found: list[list[int]] = [[] for _ in instance.jobs]
    for k, pool in enumerate(pools(instance)):
        for job in pool.jobs:
            found[job].append(k)
    return found


def _asked(job: Demand, gpus: int) -> Mode:
    return next(mode for mode in job.modes if (mode.gpus, mode.halves) == (gpus, 2 * gpus))


def _extend(found: list[ModeStretch], new: ModeStretch) -> None:
    """Add a stretch, to the one that it goes on from if there is one."""
    for place, old in enumerate(found):
        if (old.job, old.stop) == (new.job, new.start):
            found[place] = old._replace(stop=new.stop)
            return
    found.append(new)
