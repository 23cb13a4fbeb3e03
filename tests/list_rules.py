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


RULES: dict[str, Callable[[Case], Fraction | None]] = {
    "any-order": any_order,
    "ascending": ascending,
    "assign-then-dispatch": loads,
    "widest-inside": widest_inside,
}
"""By the theorem that speaks of it; of the third, the part about loads."""
