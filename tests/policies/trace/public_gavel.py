"""The rounds of Gavel's simulator in our words, on GPUs of one kind.

After `simulate` and what it calls in `scheduler.py`, with `fifo.py`, `max_min_fairness.py` and
`finish_time_fairness.py`. Its programs are solved by other means than in the package: the least
level by sorting, and by finding a root.
"""

from collections.abc import Callable
from dataclasses import dataclass

from scipy.optimize import brentq

from ringyard.instances import TraceInstance


@dataclass(eq=False)
class Job:
    name: str
    gpus: int
    arrival: int
    left: int
    known: bool = False
    share: float = 0.0
    had: float = 0.0
    """Seconds that it had since shares were computed."""
    deficit: float = 0.0
    alone: float = 0.0
    """Seconds that what it has done took in its own part of the cluster."""
    before: tuple[int, float] | None = None


Rule = Callable[[list[Job], int, int], list[float]]


def fifo(here: list[Job], gpus: int, now: int) -> list[float]:
    """Return 1 for the jobs in front that fit together."""
    sums = [sum(job.gpus for job in here[: k + 1]) for k in range(len(here))]
    return [float(total <= gpus) for total in sums]


def las(here: list[Job], gpus: int, now: int) -> list[float]:
    """Return equal GPU-time for all, no more than a job can use: who can use least is first."""
    shares, left = {}, float(gpus)
    for k, job in enumerate(sorted(here, key=lambda job: job.gpus)):
        used = min(float(job.gpus), left / (len(here) - k))
        shares[job] = used / job.gpus
        left -= used
    return [shares[job] for job in here]


def fairness(here: list[Job], gpus: int, now: int) -> list[float]:
    """Return the shares of the least largest time to the end over that alone."""
    alone = []
    for job in here:
        speed = min(1.0, gpus / len(here) / job.gpus)
        if job.before is not None:
            job.alone += (job.before[0] - job.left) / job.before[1]
        job.before = job.left, speed
        alone.append(job.alone + job.left / speed)

    def share(k: int, rho: float) -> float:
        time = rho * alone[k] - (now - here[k].arrival)
        return min(1.0, here[k].left / time) if time > 0 else 1.0

    def over(rho: float) -> float:
        return sum(job.gpus * share(k, rho) for k, job in enumerate(here)) - gpus

    rho = 0.0 if over(0.0) <= 0 else brentq(over, 0.0, 1e6, xtol=1e-14, rtol=1e-15)
    return [share(k, rho) for k in range(len(here))]


RULES: dict[str, Rule] = {"fifo": fifo, "las": las, "fairness": fairness}


def turn(job: Job) -> tuple[float, float, float]:
    """Return who goes first; what differs by less than a billionth is equal."""
    first, second = job.share / (180 + job.had) * 360, job.deficit / 360
    return -round(first, 9), -round(second, 9), -round(job.share, 9)


def ends(
    instance: TraceInstance, rule: str, least: int = 1920, steps: dict[int, float] | None = None
) -> dict[str, int]:
    """Return when every job ends, in rounds of 360 seconds.

    Only whole steps of a round are counted, by number of GPUs; that they are a little less work
    is left out.
    """
    jobs = [
        Job(one.name, one.gpus, int(one.arrival_s), int(one.duration_s)) for one in instance.jobs
    ]
    jobs.sort(key=lambda job: job.arrival)
    now, over, last, changed = jobs[0].arrival, 0, 0, False
    ended: dict[str, int] = {}
    while len(ended) < len(jobs):
        here = [job for job in jobs if job.arrival <= now and job.left]
        changed |= any(not job.known for job in here)
        if changed and (last == 0 or now - last >= least):
            for job, share in zip(here, RULES[rule](here, instance.gpus, now), strict=True):
                job.deficit += job.share * (now - last) - job.had
                job.share, job.had = share, 0.0
            last, changed = now, False
        for job in here:
            job.known = True
        free, runs = instance.gpus, []
        for job in sorted((job for job in here if job.share > 0), key=turn):
            if job.gpus <= free:
                free -= job.gpus
                runs.append(job)
        if not runs:
            coming = [job.arrival for job in jobs if job.arrival > now]
            now, last = (min(coming), last) if coming else (now, 0)
            continue
        length = min(360, max(job.left for job in runs))
        for job in runs:
            worked = min(job.left, length)
            job.left -= worked
            job.had += now - over + worked
            if job.left and steps:
                job.had -= worked - int(worked / steps[job.gpus]) * steps[job.gpus]
            if not job.left:
                ended[job.name], changed = now + worked, True
        now = over = now + length
    return ended
