"""List rules for rigid jobs in plain Python, each over the factor that is proved of it.

A rule returns its makespan over factor x bound, at most 1 if the theorem is true, or None where
it says nothing. The bound is what the proofs need of the best schedule and no more.
"""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import NamedTuple


class Job(NamedTuple):
    """GPUs held for so many slots, from `release` on."""

    gpus: int
    slots: int
    release: int = 0


class Case(NamedTuple):
    """Servers by their GPUs, and jobs in the order of a list."""

    sizes: tuple[int, ...]
    jobs: tuple[Job, ...]


def drawn(rng: Random) -> Case:
    """Return a case of up to four servers and ten jobs."""
    sizes = tuple(rng.randint(1, 5) for _ in range(rng.randint(1, 4)))
    if rng.random() < 0.5:
        sizes = (sizes[0],) * len(sizes)
    late = rng.choice((0, 0, 9))
    jobs = (random_job(rng, sum(sizes), late) for _ in range(rng.randint(2, 10)))
    return Case(sizes, tuple(jobs))


def random_job(rng: Random, gpus: int, late: int) -> Job:
    """Return a job of up to nine slots, released by `late`."""
    return Job(rng.randint(1, gpus), rng.randint(1, 9), rng.randint(0, late))


def bound(case: Case) -> Fraction:
    """Return the longest job and, at each release, what must be left of all jobs."""
    total = sum(case.sizes)
    found = [Fraction(job.release + job.slots) for job in case.jobs]
    for at in {job.release for job in case.jobs}:
        left = (j.gpus * max(0, j.slots - max(0, at - j.release)) for j in case.jobs)
        found.append(at + Fraction(sum(left), total))
    return max(found)


def served(sizes: tuple[int, ...], jobs: list[Job], overtake: bool) -> int:
    """Return the makespan: at every event, first to last, a job goes where it leaves least idle."""
    free, ends, waiting, now = list(sizes), list[tuple[int, int, int]](), list(jobs), 0
    while waiting:
        for end, server, gpus in [one for one in ends if one[0] <= now]:
            ends.remove((end, server, gpus))
            free[server] += gpus
        for job in list(waiting):
            fits = [s for s, idle in enumerate(free) if idle >= job.gpus]
            if fits and job.release <= now:
                server = min(fits, key=lambda s: free[s])
                free[server] -= job.gpus
                ends.append((now + job.slots, server, job.gpus))
                waiting.remove(job)
            elif not overtake:
                break
        later = [end for end, _, _ in ends] + [j.release for j in waiting if j.release > now]
        last = max((end for end, _, _ in ends), default=now)
        now = min(later, default=now)
    return max(last, now)


def _factor(case: Case) -> Fraction:
    return 2 - Fraction(1, sum(case.sizes) - min(job.gpus for job in case.jobs) + 1)


def _released_at_once(case: Case) -> bool:
    return all(job.release == 0 for job in case.jobs)


def any_order(case: Case) -> Fraction | None:
    """Whoever fits overtakes, in the order of the list."""
    return served((sum(case.sizes),), list(case.jobs), True) / (_factor(case) * bound(case))


def ascending(case: Case) -> Fraction | None:
    """By GPUs, ascending, ties by the list; nobody overtakes."""
    if not _released_at_once(case):
        return None
    jobs = sorted(case.jobs, key=lambda job: job.gpus)
    return served((sum(case.sizes),), jobs, False) / (_factor(case) * bound(case))


def loads(case: Case) -> Fraction | None:
    """The largest load if each job, ascending, is assigned the least loaded GPUs."""
    if not _released_at_once(case):
        return None
    load = [0] * sum(case.sizes)
    for job in sorted(case.jobs, key=lambda job: job.gpus):
        load.sort()
        load[: job.gpus] = [work + job.slots for work in load[: job.gpus]]
    return max(load) / (_factor(case) * bound(case))


def widest_inside(case: Case) -> Fraction | None:
    """Whoever fits into one server overtakes, the widest first, ties by the list."""
    if not _released_at_once(case) or max(j.gpus for j in case.jobs) > min(case.sizes):
        return None
    total = sum(case.sizes)
    held = {j.gpus: sum(max(j.gpus, o + 1 - j.gpus) for o in case.sizes) for j in case.jobs}
    factor = 1 + max(Fraction(total - gpus, busy) for gpus, busy in held.items())
    jobs = sorted(case.jobs, key=lambda job: -job.gpus)
    return served(case.sizes, jobs, True) / (factor * bound(case))


def whole_servers(case: Case) -> Fraction | None:
    """Jobs larger than a server use idle servers, the widest first, then the others inside."""
    count, size = len(case.sizes), case.sizes[0]
    if not _released_at_once(case) or set(case.sizes) != {size}:
        return None
    jobs = sorted(case.jobs, key=lambda job: -job.gpus)
    rings = [job for job in jobs if job.gpus > size]
    needs = [-(-job.gpus // size) for job in rings]
    crossing = sum((k - 1) * job.slots for k, job in zip(needs, rings, strict=True))
    least = max(bound(case), Fraction(crossing, max(1, count - 1)))
    factors = {job.gpus: factor_of_whole_servers(case, job.gpus) for job in jobs}
    return on_whole_servers(case.sizes, jobs) / (max(factors.values()) * least)


def factor_of_whole_servers(case: Case, gpus: int) -> Fraction:
    """Return the factor for schedules in which a job of `gpus` GPUs ends last."""
    count, size = len(case.sizes), case.sizes[0]
    if gpus > size:
        crossing = -(-gpus // size) - 1
        return Fraction(count - 1, count // 2) + max(0, 1 - Fraction(crossing, count // 2))
    busy = count * max(gpus, size + 1 - gpus)
    if all(job.gpus <= size for job in case.jobs):
        return 1 + Fraction(count * size - gpus, busy)
    lost = Fraction(count - 1, count // 2)
    return 1 + lost + (size - gpus - lost) / busy


def whole_server_batches(case: Case) -> Fraction | None:
    """The same in batches: jobs that come meanwhile wait until all others have ended."""
    count, size = len(case.sizes), case.sizes[0]
    if set(case.sizes) != {size}:
        return None
    crossing = sum((-(-job.gpus // size) - 1) * job.slots for job in case.jobs)
    least = max(bound(case), Fraction(crossing, max(1, count - 1)))
    return in_batches(case) / (factor_of_batches(case) * least)


def factor_of_batches(case: Case) -> Fraction:
    """Return the factor of the list in batches, with or without rings."""
    count, size = len(case.sizes), case.sizes[0]
    inside = Fraction(2 * size, size + 1)
    if all(job.gpus <= size for job in case.jobs):
        return 2 + inside
    return 2 + Fraction(count - 1, count // 2) + inside / count


def in_batches(case: Case) -> int:
    """Return the makespan of the list, the widest first, ties by slots, batch by batch."""
    left, now = sorted(case.jobs, key=lambda job: (-job.gpus, -job.slots)), 0
    while left:
        now = max(now, min(job.release for job in left))
        here = [job for job in left if job.release <= now]
        left = [job for job in left if job.release > now]
        now += on_whole_servers(case.sizes, here)
    return now


def on_whole_servers(sizes: tuple[int, ...], jobs: list[Job]) -> int:
    """Return the makespan of jobs in their order, rings first."""
    free, alone, now = list(sizes), [False] * len(sizes), 0
    ends, waiting = list[tuple[int, dict[int, int]]](), list(jobs)
    while True:
        for one in [one for one in ends if one[0] <= now]:
            ends.remove(one)
            for s, gpus in one[1].items():
                free[s], alone[s] = free[s] + gpus, False
        for job in list(waiting):
            ring = job.gpus > sizes[0]
            room = [s for s in range(len(sizes)) if free[s] >= min(job.gpus, sizes[0])]
            room = sorted((s for s in room if not alone[s]), key=lambda s: free[s])
            room = room[: -(-job.gpus // sizes[0])]
            if len(room) * sizes[0] < job.gpus:
                if ring:
                    break
                continue
            rest, held = job.gpus, dict[int, int]()
            for s in room:
                held[s] = min(rest, sizes[0])
                rest, free[s], alone[s] = rest - held[s], free[s] - held[s], ring
            ends.append((now + job.slots, held))
            waiting.remove(job)
        if not waiting:
            return max((end for end, _ in ends), default=now)
        now = min(end for end, _ in ends)


RULES: dict[str, Callable[[Case], Fraction | None]] = {
    "any-order": any_order,
    "ascending": ascending,
    "assign-then-dispatch": loads,
    "widest-inside": widest_inside,
    "whole-servers": whole_servers,
    "whole-server-batches": whole_server_batches,
}
"""By the theorem that speaks of it; of the third, the part about loads."""
