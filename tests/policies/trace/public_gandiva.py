"""The gandiva of Tiresias' public simulator in our words: when each job is seen to have ended.

After ``run_sim.py`` with ``--scheme=gandiva --schedule=gandiva``. In every step it compares widths,
lets jobs work for the time since the last step, then lets new ones in.
"""

from dataclasses import dataclass, field

from policies.trace.public_simulator import Job

from ringyard.instances import TraceInstance

WIDTHS = [16, 1, 2, 4, 24, 32, 8, 64, 12]
"""As a table with these keys is walked in Python 2."""


@dataclass(eq=False)
class Set:
    servers: list[int]
    side_by_side: int
    jobs: list[Job] = field(default_factory=list)
    util: int = 0


class ClusterState:
    """Servers in sets by width, and those of none."""

    def __init__(self, servers: int, size: int) -> None:
        self.free, self.size, self.gpus = list(range(servers)), size, servers * size
        self.sets = {width: [] for width in WIDTHS}
        self.pending, self.ends = [], {}

    def put(self, where: list[Set], one: Set, job: Job) -> None:
        one.jobs.append(job)
        one.util += 1
        where.sort(key=lambda one: one.util)

    def opened(self, width: int) -> Set | None:
        count = (width + self.size - 1) // self.size
        if count > len(self.free):
            return None
        taken = [self.free.pop(0) for _ in range(count)]
        return Set(taken, count * self.size // width)

    def place(self, job: Job) -> bool:
        where = self.sets[job.gpus]
        if where:
            where.append(where.pop(0))
            if where[-1].util + 1 < where[-1].side_by_side:
                self.put(where, where[-1], job)
                return True
        new = self.opened(job.gpus)
        if new:
            where.append(new)
            self.put(where, new, job)
        elif where:
            where.append(where.pop(0))
            self.put(where, where[-1], job)
        else:
            return False
        return True

    def compare(self) -> None:
        want = {width: width * sum(len(one.jobs) for one in self.sets[width]) for width in WIDTHS}
        hold = {width: sum(len(one.servers) for one in self.sets[width]) for width in WIDTHS}
        for width in WIDTHS:
            if want[width]:
                plan = int(want[width] / sum(want.values()) * self.gpus)
                short = min(plan, want[width]) - hold[width] * self.size
                sets = -(-abs(short) // width)
                self.grow(width, sets) if short > 0 else self.shrink(width, sets)

    def grow(self, width: int, sets: int) -> None:
        where, deal = self.sets[width], 0
        for turn in range(1, sets + 1):
            deal, new = turn, self.opened(width)
            if new:
                where.append(new)
                deal = len(new.servers) - 1
        if deal:
            jobs = [job for one in where for job in one.jobs]
            for one in where:
                one.jobs, one.util = [], 0
            for job in jobs:
                self.put(where, where[0], job)

    def shrink(self, width: int, sets: int) -> None:
        where = self.sets[width]
        gone = [where.pop(0) for _ in range(min(sets, len(where) - 1))]
        for one in gone:
            self.free += one.servers
        for job in [job for one in gone for job in one.jobs]:
            self.put(where, where[0], job)

    def work(self, now: int, step: int) -> bool:
        empty = []
        for width in WIDTHS:
            for one in self.sets[width]:
                working, waiting = one.jobs[: one.side_by_side], one.jobs[one.side_by_side :]
                for job in working:
                    job.left -= step
                    if job.left <= 0:
                        self.ends[job.name] = now
                if now % 60 == 0:
                    one.jobs = waiting + working
                one.jobs = [job for job in one.jobs if job.left > 0]
                empty += [] if one.jobs else [one]
            self.free += [
                server for one in self.sets[width] if one in empty for server in one.servers
            ]
            self.sets[width] = [one for one in self.sets[width] if one not in empty]
        return bool(empty)

    def step(self, now: int, step: int, come: list[Job]) -> None:
        self.compare()
        freed = self.work(now, step)
        self.pending += [job for job in come if not self.place(job)]
        if freed:
            for job in self.pending:
                if self.place(job):
                    self.pending.remove(job)


def seen_ends(instance: TraceInstance) -> dict[str, int]:
    """Return the step at which each job is seen to have ended."""
    state = ClusterState(len(instance.servers), instance.servers[0].gpus)
    jobs = [
        Job(one.name, one.gpus, int(one.arrival_s), int(one.duration_s)) for one in instance.jobs
    ]
    jobs.sort(key=lambda job: job.arrival)
    now, step = jobs[0].arrival, 0
    while len(state.ends) < len(instance.jobs):
        come = [job for job in jobs if job.arrival == now]
        state.step(now, step, come)
        step = min([10, *(job.arrival - now for job in jobs if job.arrival > now)])
        now += step
    return state.ends
