"""The rules of Tiresias' public simulator in our words: who runs, counting GPUs only.

After ``run_sim.py`` with ``--scheme=count``; its gandiva is in `public_gandiva.py`. Whatever
happens at a second is dealt with in this order: jobs end, jobs come, what running jobs have done is
added up, GPUs are given out. Jobs are stopped and run again at no cost.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, inf

from ringyard.instances import TraceInstance


@dataclass(eq=False)
class Job:
    name: str
    gpus: int
    arrival: int
    left: int
    runs: bool = False
    worked: int = 0
    """Seconds since it came to the first queue last."""
    waited: int = 0
    queue: int = 0
    had: int = 0
    """Seconds of work in all."""


class InTurn:
    """`fifo` and `fjf`: nobody is stopped; in the first nobody is overtaken."""

    def __init__(self, overtaking: bool) -> None:
        self.overtaking = overtaking

    def serve(self, here: list[Job], gpus: int, now: int) -> float:
        free = gpus - sum(job.gpus for job in here if job.runs)
        for job in here:
            if not job.runs and job.gpus <= free:
                job.runs = True
                free -= job.gpus
            elif not job.runs and not self.overtaking:
                break
        return inf


class Skipping:
    """`lpjf`: as `fifo`, but a list that shrinks while it is walked loses who stands next."""

    def serve(self, here: list[Job], gpus: int, now: int) -> float:
        free = gpus - sum(job.gpus for job in here if job.runs)
        waiting = [job for job in here if not job.runs]
        for job in waiting:
            if job.gpus > free:
                break
            job.runs = True
            free -= job.gpus
            waiting.remove(job)
        return inf


class Expected:
    """`shortest-expected`: what is expected of who runs is noted for who came last."""

    def __init__(self, law: list[int]) -> None:
        self.law, self.noted, self.last = sorted(law), {}, None

    def serve(self, here: list[Job], gpus: int, now: int) -> float:
        for job in here:
            if job.name not in self.noted:
                self.noted[job.name] = self.mean(0)
                self.last = job
        for job in here:
            if job.runs:
                self.noted[self.last.name] = self.mean(job.had)
        here.sort(key=lambda job: self.noted[job.name])
        fill(here, gpus)
        return inf

    def mean(self, had: int) -> float:
        more = [amount for amount in self.law if amount > had]
        if len(more) == 1:
            return more[0]
        return round(sum(more[:-1]) / (len(more) - 1), 2) if more else 0


class Sorted:
    """`sjf`, `shortest`, `shortest-gpu`: all are sorted by a key, and those run that fit."""

    def __init__(self, key: Callable[[Job], int]) -> None:
        self.key = key

    def serve(self, here: list[Job], gpus: int, now: int) -> float:
        here.sort(key=self.key)
        fill(here, gpus)
        return inf


class Queued:
    """`dlas`, `dlas-gpu` and with a number or `gittins` behind it: queues by what jobs have had."""

    def __init__(
        self, by_gpus: bool, promote: float, limits: tuple[int, ...], law: list[int] | None = None
    ) -> None:
        self.by_gpus, self.promote, self.limits, self.law = by_gpus, promote, limits, law
        self.queues: list[list[Job]] = [[] for _ in range(len(limits) + 1)]

    def serve(self, here: list[Job], gpus: int, now: int) -> float:
        self.change_queues(here)
        if self.law is not None:
            for queue in self.queues:
                queue.sort(key=lambda job: (-index(self.law, job.worked * job.gpus), job.arrival))
        fill([job for queue in self.queues for job in queue], gpus)
        for queue in self.queues:
            queue[:] = [j for j in queue if j.runs] + [j for j in queue if not j.runs]
        return min((self.change(job) for job in here), default=inf)

    def change_queues(self, here: list[Job]) -> None:
        known = [job for queue in self.queues for job in queue]
        self.queues = [[job for job in queue if job in here] for queue in self.queues]
        self.queues[0] += [job for job in here if job not in known]
        for job in here:
            if job.runs and job.queue < len(self.limits):
                if job.worked * self.unit(job) >= self.limits[job.queue]:
                    self.move(job, job.queue + 1)
            elif self.tired(job):
                job.worked = job.waited = 0
                self.move(job, 0)

    def tired(self, job: Job) -> bool:
        """Return True if a job has waited for long enough to come back to the first queue."""
        able = self.promote and not job.runs and job.queue and job.worked
        return bool(able) and job.waited >= int(job.worked * self.promote)

    def change(self, job: Job) -> float:
        """Return in how many seconds a job is expected to change its queue."""
        if job.runs:
            if job.queue == len(self.limits):
                return inf
            return (self.limits[job.queue] - job.worked) // self.unit(job)
        left = int(job.worked * self.promote - job.waited)
        return left if job.queue and left > 0 else inf

    def unit(self, job: Job) -> int:
        return job.gpus if self.by_gpus else 1

    def move(self, job: Job, queue: int) -> None:
        self.queues[job.queue].remove(job)
        self.queues[queue].append(job)
        job.queue = queue


def index(law: list[int], had: int) -> float:
    """Return the index of `dlas-gpu-gittins`: of the next longer amount, as far as 3250 ahead.

    Python 2 divides whole numbers without a rest.
    """
    longer = [amount for amount in law if amount > had]
    if not longer:
        return 0.0
    just = min(longer) - 1
    left = [amount for amount in law if amount > just]
    soon = [amount for amount in left if amount <= just + 3250]
    if just + 3250 > max(law) - 1:
        soon = sorted(left)[:-1]
    mean = (sum(soon) + 3250 * (len(left) - len(soon))) // len(left)
    return round(round(len(soon) / len(left), 5) * 1000000 / mean, 4)


def fill(order: list[Job], gpus: int) -> None:
    """Let those run that fit, in this order."""
    for job in order:
        job.runs = job.gpus <= gpus
        gpus -= job.gpus * job.runs


class ByWidth:
    """`multi-dlas-gpu`: `dlas-gpu` of two queues for each width, on GPUs dealt out every 600 s."""

    def __init__(self) -> None:
        self.own, self.dealt = {}, {}

    def serve(self, here: list[Job], gpus: int, now: int) -> float:
        jump = self.each(here, now)
        if now and now % 600 == 0:
            self.deal(here, gpus)
            jump = self.each(here, now)
        return min(jump, 600 - now % 600)

    def each(self, here: list[Job], now: int) -> float:
        jump = inf
        for width in {job.gpus for job in here}:
            own = self.own.setdefault(width, Queued(by_gpus=True, promote=0, limits=(3600,)))
            jobs = [job for job in here if job.gpus == width]
            jump = min(jump, own.serve(jobs, self.dealt.get(width, 0), now))
        return jump

    def deal(self, here: list[Job], gpus: int) -> None:
        wants, has = {}, {}
        for job in here:
            wants[job.gpus] = wants.get(job.gpus, 0) + job.gpus
            has[job.gpus] = has.get(job.gpus, 0) + job.gpus * job.runs
        left = gpus - sum(has.values())
        for width, want in sorted(wants.items(), key=lambda one: (one[1], one[0])):
            cents = (200 * want + sum(wants.values())) // (2 * sum(wants.values()))
            share = min(want, floor(cents / 100 * gpus / width) * width)
            more = max(0, min(share - has[width], left // width * width))
            has[width] += more
            left -= more
        while any(has[w] < wants[w] and w <= left for w in wants):
            for width in sorted(wants):
                if has[width] < wants[width] and width <= left:
                    has[width] += width
                    left -= width
        self.dealt = has


Rules = InTurn | Skipping | Expected | Sorted | Queued | ByWidth


def rules(schedule: str, law: list[int]) -> Rules:
    """Return the rules of a schedule by its name there."""
    limits = (3250, 7200)
    plain = {
        "fifo": InTurn(overtaking=False),
        "fjf": InTurn(overtaking=True),
        "lpjf": Skipping(),
        "shortest-expected": Expected(law),
        "sjf": Sorted(lambda job: job.gpus),
        "shortest": Sorted(lambda job: job.left),
        "shortest-gpu": Sorted(lambda job: job.left * job.gpus),
        "dlas": Queued(by_gpus=False, promote=0, limits=limits),
        "dlas-gpu": Queued(by_gpus=True, promote=0, limits=limits),
        "dlas-gpu-05": Queued(by_gpus=True, promote=0.5, limits=limits),
        "dlas-gpu-2": Queued(by_gpus=True, promote=2, limits=limits),
        "dlas-gpu-gittins": Queued(by_gpus=True, promote=0, limits=limits, law=law),
        "multi-dlas-gpu": ByWidth(),
    }
    return plain[schedule]


def ends(instance: TraceInstance, schedule: str) -> dict[str, int]:
    """Return when every job ends."""
    ahead = [
        Job(job.name, job.gpus, int(job.arrival_s), int(job.duration_s)) for job in instance.jobs
    ]
    ahead.sort(key=lambda job: job.arrival)
    law = [int(size) for size in instance.law] or [job.gpus * job.left for job in ahead]
    queues, here, over = rules(schedule, law), [], {}
    now, change = 0, inf
    while ahead or here:
        moments = [now + job.left for job in here if job.runs] + [job.arrival for job in ahead[:1]]
        step = int(min([*moments, now + change])) - now
        now += step
        for job in here:
            if job.runs:
                job.left -= step
                job.worked += step
                job.had += step
            elif job.worked:
                job.waited += step
        over |= {job.name: now for job in here if not job.left}
        here[:] = [job for job in here if job.left]
        while ahead and ahead[0].arrival <= now:
            here.append(ahead.pop(0))
        change = queues.serve(here, instance.gpus, now)
    return over
