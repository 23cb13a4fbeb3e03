"""SJF-BCO in plain Python, straight from its pseudo-code, with the judge as its clock.

Slow and simple: every list is sorted anew, every threshold and load limit is run.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache, reduce
from math import ceil, fsum, inf
from operator import add

from hypothesis import strategies as st

from ringyard.analysis.check import check
from ringyard.instances import Assignment, MakespanInstance, Schedule
from ringyard.instances.generate import generate
from ringyard.policies.makespan import sjf_bco
from ringyard.policies.makespan.baselines import GRID, estimates
from ringyard.policies.makespan.sjf_bco import ProvedOptions
from ringyard.simulation import build_model
from ringyard.simulation.makespan.evaluate import exact_start
from ringyard.simulation.progress import next_start, next_tick


class ClusterState:
    """Jobs that have started, and where; the judge knows when they end."""

    def __init__(self, instance: MakespanInstance) -> None:
        self.instance, self.model = instance, build_model(instance)
        self.names = [server.name for server in instance.cluster.servers]
        sizes = [server.gpus for server in instance.cluster.servers]
        self.server_of = [s for s, size in enumerate(sizes) for _ in range(size)]
        self.load = [0.0] * len(self.server_of)
        self.held: dict[int, list[int]] = {}
        self.started: tuple[Assignment, ...] = ()
        self.end: dict[str, float] = {}
        self.now = 0.0

    def on(self, server: int) -> list[int]:
        return [g for g, s in enumerate(self.server_of) if s == server]

    def running(self) -> list[int]:
        return [j for j in self.held if self._free_from(j) > self.now]

    def _free_from(self, job: int) -> float:
        end = self.end.get(self.instance.jobs[job].name, inf)
        return end if end == inf else float(next_start(self.model, end))

    def busy(self) -> set[int]:
        return {gpu for j in self.running() for gpu in self.held[j]}

    def start(self, job: int, gpus: list[int], work: float) -> None:
        for gpu in gpus:
            self.load[gpu] += work
        self.held[job] = gpus
        where = [self.server_of[gpu] for gpu in gpus]
        pieces = tuple(sorted((self.names[s], where.count(s)) for s in set(where)))
        name, start = self.instance.jobs[job].name, exact_start(self.instance, self.now)
        self.started += (Assignment(job=name, start_slot=start, gpus=pieces),)
        self.end = ends(self.instance, self.started)

    def next_end(self) -> float:
        """Return when the next running job ends, infinity if none ever does."""
        names = [self.instance.jobs[j].name for j in self.running()]
        return min((self.end.get(name, inf) for name in names), default=inf)

    def release(self, job: int) -> float:
        return float(next_tick(self.model, float(self.instance.jobs[job].release_slot)))

    def advance(self) -> bool:
        """Move to the next end; say whether there is one."""
        if self.next_end() == inf:
            return False
        self.now = next_start(self.model, self.next_end())
        return True

    def assignments(self) -> tuple[Assignment, ...]:
        given = {item.job: item for item in self.started}
        return tuple(given[job.name] for job in self.instance.jobs)


@lru_cache(maxsize=20_000)
def ends(instance: MakespanInstance, started: tuple[Assignment, ...]) -> dict[str, float]:
    """Return the ends of the jobs that have started and complete, if no other job starts."""
    schedule = Schedule(instance=instance.name, assignments=started)
    return {name: float(end) for name, end in check(instance, schedule).ends.items()}


def in_order(instance: MakespanInstance, work: list[float], ties: str) -> list[int]:
    sign = {"longest": -1, "shortest": 1, "listed": 0}[ties]
    jobs = range(len(instance.jobs))
    return sorted(jobs, key=lambda j: (instance.jobs[j].gpus, sign * work[j], j))


def fa_ffp(state: ClusterState, eligible: list[int], need: int, mode: str) -> list[int]:
    """Choose among enough eligible GPUs."""
    by_load = sorted(eligible, key=lambda g: (state.load[g], g))
    if mode == "least_exec":
        return by_load[:need]
    chosen: list[int] = []
    busy = {state.server_of[g] for g in state.busy()}
    while len(chosen) < need:
        rest = need - len(chosen)
        offers = {
            s: [g for g in by_load if state.server_of[g] == s]
            for s in sorted(
                {state.server_of[g] for g in by_load} - {state.server_of[g] for g in chosen}
            )
        }
        whole = [s for s in offers if len(offers[s]) >= rest]
        among = [s for s in (whole or offers) if s in busy] or whole or list(offers)
        fit = min if whole else max
        server = fit(among, key=lambda s: len(offers[s]))
        chosen += offers[server][:rest]
    return chosen


def pool_of(state: ClusterState, gpus: int, lam: Fraction) -> set[int]:
    """Return the shortest prefix of the servers by average load with lambda times the GPUs."""
    servers = range(len(state.names))
    average = {
        s: reduce(add, (state.load[g] for g in state.on(s))) / len(state.on(s)) for s in servers
    }
    pool: set[int] = set()
    for server in sorted(servers, key=lambda s: (average[s], s)):
        pool.update(state.on(server))
        if len(pool) >= lam * gpus:
            break
    return pool


def published(
    instance: MakespanInstance, theta: float, kappa: int, options: sjf_bco.Options
) -> tuple[ClusterState, bool]:
    """Run the loop once; say whether every job was placed."""
    state, everywhere = ClusterState(instance), set(range(len(ClusterState(instance).load)))
    work = estimates(instance, options.estimate).tolist()
    for j in in_order(instance, work, options.ties):
        need = instance.jobs[j].gpus
        while state.now < state.release(j):
            if state.next_end() > state.release(j):
                state.now = state.release(j)
            else:
                state.advance()
        while True:
            small = need <= kappa
            pool = everywhere if small else pool_of(state, need, Fraction(options.lam))
            idle = pool - state.busy()
            eligible = sorted(g for g in idle if state.load[g] <= theta - work[j])
            if len(eligible) >= need:
                break
            if not state.advance():
                return state, False
        state.start(
            j, fa_ffp(state, eligible, need, options.mode if small else "least_exec"), work[j]
        )
    return state, all(job.name in state.end for job in instance.jobs)


def proved(instance: MakespanInstance, options: ProvedOptions) -> ClusterState:
    """Assign, then let each job start once its GPUs are free."""
    state, work = ClusterState(instance), estimates(instance, options.estimate).tolist()
    waiting = {}
    for j in in_order(instance, work, options.ties):
        gpus = sorted(range(len(state.load)), key=lambda g: (state.load[g], g))
        waiting[j] = gpus[: instance.jobs[j].gpus]
        for gpu in waiting[j]:
            state.load[gpu] += work[j]
    return run_assigned(state, waiting)


def run_assigned(state: ClusterState, waiting: dict[int, list[int]]) -> ClusterState:
    """Let each job start once its GPUs are free, the first to be assigned first."""
    while waiting:
        for j in list(waiting):
            if state.release(j) <= state.now and not state.busy() & set(waiting[j]):
                state.start(j, waiting.pop(j), 0.0)
        moments = [state.release(j) for j in waiting if state.release(j) > state.now]
        soonest = next_start(state.model, state.next_end()) if state.running() else inf
        state.now = min([soonest, *moments])
        assert not waiting or state.now < inf
    return state


def published_ahead(
    instance: MakespanInstance, theta: float, kappa: int, options: sjf_bco.Options
) -> ClusterState | None:
    """Choose as SJF-BCO does, but all GPUs at the beginning; None if the limit is too low."""
    state, everywhere = ClusterState(instance), set(range(len(ClusterState(instance).load)))
    work = estimates(instance, options.estimate).tolist()
    waiting: dict[int, list[int]] = {}
    for j in in_order(instance, work, options.ties):
        need = instance.jobs[j].gpus
        small = need <= kappa
        pool = everywhere if small else pool_of(state, need, Fraction(options.lam))
        eligible = sorted(g for g in pool if state.load[g] <= theta - work[j])
        if len(eligible) < need:
            return None
        waiting[j] = fa_ffp(state, eligible, need, options.mode if small else "least_exec")
        for gpu in waiting[j]:
            state.load[gpu] += work[j]
    return run_assigned(state, waiting)


class Sweep:
    """The whole of SJF-BCO: all load limits, all thresholds, the best schedule."""

    def __init__(self, instance: MakespanInstance, options: sjf_bco.Options) -> None:
        self.instance, self.options = instance, options
        self.best: tuple[Assignment, ...] | None = None
        self.makespan = inf
        largest = max(job.gpus for job in instance.jobs)
        self.kappas = range(1, largest + 1) if options.kappa is None else [options.kappa]

    def run(self) -> tuple[Assignment, ...] | None:
        work = estimates(self.instance, self.options.estimate)
        top = min(self.instance.horizon_slots or 10**9, ceil(work.sum() * (1 + 1e-9)) + 1)
        if self.options.theta == "none":
            self.attempt(inf)
        if self.options.theta == "grid":
            for theta in self.grid(top, work.tolist()):
                self.attempt(theta)
        if self.options.theta != "none":
            self.bisect(top)
        return self.best

    def grid(self, top: int, work: list[float]) -> Iterator[float]:
        """Yield T, and limits between the least that any schedule needs and what T led to."""
        yield top
        runs = [self.makespan_at(top, kappa) for kappa in self.kappas]
        high = max((value for value in runs if value <= top), default=float(top))
        area = fsum(job.gpus * w for job, w in zip(self.instance.jobs, work, strict=True))
        low = max(area / len(ClusterState(self.instance).load), *work)
        for step in range(1, GRID):
            yield low + (high - low) * step / GRID

    def bisect(self, top: int) -> None:
        low, high, best = 1, top, inf
        while low <= high:
            theta = (low + high) // 2
            value = self.attempt(theta)
            if value < best:
                best, high = value, theta - 1
            else:
                low = theta + 1

    def attempt(self, theta: float) -> float:
        values = []
        for kappa in self.kappas:
            state, complete = published(self.instance, theta, kappa, self.options)
            last = max(state.end.values(), default=0.0)
            if complete and last < self.makespan:
                self.makespan, self.best = last, state.assignments()
            broken = last if self.options.infeasible == "partial" else inf
            values.append(last if complete else broken)
        return min(values)

    def makespan_at(self, theta: float, kappa: int) -> float:
        state, complete = published(self.instance, theta, kappa, self.options)
        return max(state.end.values()) if complete else inf


def crowded_instances(*, releases: bool = True) -> st.SearchStrategy[MakespanInstance]:
    """Draw instances with more jobs than others have, which wait for each other."""
    return st.builds(
        lambda seed, gangs, progress, late: generate(
            "small",
            seed=seed,
            jobs=14,
            servers=4,
            server_gpus=[2, 3, 5],
            gangs=gangs,
            progress=progress,
            release_slots=late,
        ),
        st.integers(0, 10**6),
        st.sampled_from(["small", "odd", "trace"]),
        st.sampled_from(["fractional", "continuous"]),
        st.sampled_from([0, 0, 12] if releases else [0]),
    )
