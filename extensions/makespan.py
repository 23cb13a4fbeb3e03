"""User-defined functions and policies for `makespan`: starts and GPUs by server.

A function gives ``{job: (start, {server: gpus})}``. A policy is called at each arrival or end while
jobs wait, and gives ``(job, {server: gpus})`` for jobs that start at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite
from typing import Any

from ..instances import (
    Assignment,
    MakespanInstance,
    Outcome,
    Schedule,
    SolutionStatus,
    TerminationReason,
    digest,
)
from ..instances.cluster import tightest_fit
from ..instances.errors import MethodError
from ..instances.makespan import RingJob
from ..instances.regions import may_run
from ..policies.request import Request
from ..simulation import build_model, make_plan, to_schedule
from ..simulation.makespan.evaluate import MakespanSteps, exact_start
from .calling import Call

PLAN = "{job: (start, {server: gpus})}"
START = "a pair of a waiting job and {server: gpus}"

POLICY = {
    "now": "the slot, from 0",
    "waiting": "jobs that have arrived and have not started, in the order of the file",
    "idle": "idle GPUs by server. `idle.fit(job)` is the best place for a ring, or None",
    "running": "running jobs, each with its GPUs by the name of the server",
    "alone": "slots of a job inside one server, by its name",
}
"""Further parameters of a policy."""

TRAITS: dict[str, Any] = {}

SKELETON = '''
@policy("makespan")
def NAME(waiting, idle, widest_first: bool = True):
    """Jobs by the number of their GPUs, each where its ring fits best."""
    for job in sorted(waiting, key=lambda job: job.gpus, reverse=widest_first):
        pieces = idle.fit(job)  # {server: gpus}, or None: it waits
        if pieces:
            yield job, pieces
'''


class IdleGpus(dict[str, int]):
    """Idle GPUs by the name of the server, without GPUs of jobs that were just started."""

    def __init__(self, instance: MakespanInstance) -> None:
        """Begin with all GPUs."""
        super().__init__({server.name: server.gpus for server in instance.cluster.servers})
        self._servers = {server.name: server for server in instance.cluster.servers}
        self._kinds = instance.kinds

    def kinds_of(self, names: Iterable[str]) -> set[str | None]:
        """Return the kinds of GPUs of some servers."""
        return {self._servers[name].gpu for name in names}

    def open_to(self, job: RingJob) -> dict[str, int]:
        """Return the GPUs on servers that a job may use."""
        if job.allowed_regions is None and len(self._kinds) == 1:
            return dict(self)
        return {
            name: free
            for name, free in self.items()
            if may_run(job, self._servers[name])
            and job.speed_on(self._servers[name].gpu) is not None
        }

    def fit(self, job: RingJob) -> dict[str, int] | None:
        """Return the tightest server that fits a job, or else the fewest servers, or None.

        They are of the fastest kind of GPUs that has room for it.
        """
        open_to = self.open_to(job)
        for kind in sorted(self._kinds, key=lambda kind: -(job.speed_on(kind) or 0)):
            found = tightest_fit(
                {n: g for n, g in open_to.items() if self.kinds_of([n]) == {kind}}, job.gpus
            )
            if found is not None:
                return found
        return None


LISTED = ". `idle` reflects earlier yields, but not earlier items of a list"


def schedule(instance: MakespanInstance, given: Any, call: Call) -> Schedule:
    """Return the schedule of a function's plan. The judge checks it."""
    found = []
    for job, rest in call.pairs(given, PLAN):
        if not isinstance(rest, tuple | list) or len(rest) != 2 or isinstance(rest[1], str):
            raise call.error(rest, f"(start, {{server: gpus}}) for job {name_of(job)!r}")
        start, pieces = rest
        gpus = tuple(sorted(pieces_of(pieces, call).items()))
        exact = decimal_of(start)
        if exact is None or exact < 0:
            raise call.error(start, f"a start of 0 or more for job {name_of(job)!r}")
        if instance.progress == "continuous":
            exact = exact_start(instance, float(exact)) if isinstance(start, float) else exact
        elif exact != exact.to_integral():
            raise call.error(start, f"a whole slot as the start of job {name_of(job)!r}")
        found.append(Assignment(job=name_of(job), start_slot=exact, gpus=gpus))
    return Schedule(
        instance=instance.name, digest=digest(instance), method=call.label, assignments=tuple(found)
    )


def decimal_of(number: Any) -> Decimal | None:
    """Return a number of any type exactly, or None if it is invalid or not finite."""
    if isinstance(number, Decimal):
        return number if number.is_finite() else None
    if hasattr(number, "__index__"):
        return Decimal(int(number))
    if isinstance(number, Fraction):
        return Decimal(number.numerator) / Decimal(number.denominator)
    if hasattr(number, "__float__") and not isinstance(number, str) and isfinite(number):
        return Decimal(repr(float(number)))
    return None


def name_of(thing: Any) -> str:
    """Return the name of a job or server, which may be the object itself."""
    return thing if isinstance(thing, str) else str(getattr(thing, "name", thing))


def pieces_of(pieces: Any, call: Call) -> dict[str, int]:
    """Return GPUs by the names of servers."""
    found = {}
    for server, count in call.pairs(pieces, "{server: gpus}"):
        whole = int(count) if hasattr(count, "__index__") else count
        if not isinstance(whole, int) or whole < 0:
            raise call.error(count, f"a number of GPUs on server {name_of(server)!r}")
        if whole:
            found[name_of(server)] = whole
    return found


def run_policy(
    instance: MakespanInstance, request: Request[Any], call: Call, seen: dict[str, Any]
) -> Outcome:
    """Run a policy: call it at every event, until all jobs have ended."""
    run = _CourseOfEvents(instance, call, seen, request.options)
    while (now := run.next()) < inf:
        run.go_to(now)
        run.ask()
        if request.limits.over() and run.waiting:
            return Outcome(
                schedule=None,
                termination=TerminationReason.TIME_LIMIT,
                status=SolutionStatus.NOTHING,
            )
    run.refuse_standstill()
    plan = make_plan(run.starts, run.pieces)
    schedule = to_schedule(instance, plan, call.label)
    return Outcome(
        schedule=schedule, termination=TerminationReason.DONE, status=SolutionStatus.FEASIBLE
    )


class _CourseOfEvents:
    """A cluster under a user-defined policy."""

    def __init__(
        self, instance: MakespanInstance, call: Call, seen: Mapping[str, Any], options: Any
    ) -> None:
        self._jobs, self._call, self._options = instance.jobs, call, options
        self._names = [server.name for server in instance.cluster.servers]
        self._number = {name: s for s, name in enumerate(self._names)}
        self._by_name = {job.name: j for j, job in enumerate(instance.jobs)}
        self._steps = MakespanSteps(build_model(instance))
        self._coming = sorted(range(len(self._jobs)), key=self._steps.release.__getitem__)
        self.waiting: dict[int, RingJob] = {}
        self._running: dict[int, dict[str, int]] = {}
        self.starts = [0.0] * len(self._jobs)
        self.pieces: list[Sequence[tuple[int, int]]] = [()] * len(self._jobs)
        self._idle = IdleGpus(instance)
        alone = dict(zip(self._by_name, self._steps.alone, strict=True))
        self._seen = {**seen, "idle": self._idle, "alone": alone}
        self._now = -1.0

    def next(self) -> float:
        """Return the time of the next event."""
        arrival = self._steps.release[self._coming[0]] if self._coming else inf
        return min(arrival, self._steps.next_end())

    def go_to(self, now: float) -> None:
        """Process ends and arrivals of jobs."""
        self._now = now
        for job in self._steps.go_to(now):
            for name, count in self._running.pop(job).items():
                self._idle[name] += count
        while self._coming and self._steps.release[self._coming[0]] <= now:
            job = self._coming.pop(0)
            self.waiting[job] = self._jobs[job]

    def ask(self) -> None:
        """Start the jobs that the policy chooses, if any can start."""
        for job in [job for job, one in self.waiting.items() if one.held is not None]:
            self._begin(job, dict(self._jobs[job].held or ()))
        if not self.waiting or not any(self._idle.values()):
            return
        given = self._call(
            {
                **self._seen,
                "now": int(self._now) if self._now == int(self._now) else self._now,
                "waiting": [self.waiting[job] for job in sorted(self.waiting)],
                "running": {self._jobs[job]: dict(own) for job, own in self._running.items()},
            },
            self._options,
        )
        for begun, (job, pieces) in enumerate(self._call.pairs(given, START)):
            self._start(job, pieces, begun)

    def _start(self, given: Any, pieces: Any, begun: int) -> None:
        call, name = self._call, name_of(given)
        job = self._by_name.get(name)
        if job is None or job not in self.waiting:
            raise call.error(name, "a waiting job, at most once")
        if pieces is None:
            raise call.error(None, f"GPUs for job {name!r} (leave the job out if it does not fit)")
        held = pieces_of(pieces, call)
        if missing := [server for server in held if server not in self._number]:
            raise call.error(held, f"servers of the cluster, which has no {missing[0]!r}")
        idle = self._idle.open_to(self._jobs[job])
        if any(idle.get(server, 0) < count for server, count in held.items()):
            there = {server: idle.get(server, 0) for server in held}
            at = f"at slot {self._now:g} (idle there: {there}){LISTED if begun else ''}"
            raise call.error(held, f"GPUs that are idle, and allowed for job {name!r}, {at}")
        if len(kinds := self._idle.kinds_of(held)) > 1:
            raise call.error(held, f"servers of one kind of GPUs, not {', '.join(map(str, kinds))}")
        if sum(held.values()) != self._jobs[job].gpus:
            raise call.error(held, f"{self._jobs[job].gpus} GPUs for job {name!r}")
        self._begin(job, held)

    def _begin(self, job: int, held: dict[str, int]) -> None:
        own = sorted((self._number[server], count) for server, count in held.items())
        self._steps.start(job, own, self._now)
        for server, count in held.items():
            self._idle[server] -= count
        self.starts[job], self.pieces[job] = self._now, own
        self._running[job] = held
        del self.waiting[job]

    def refuse_standstill(self) -> None:
        """Raise an error if a policy starts no job and there are no further events."""
        if self.waiting:
            names = ", ".join(repr(job.name) for job in list(self.waiting.values())[:3])
            more = ", .." if len(self.waiting) > 3 else ""
            raise MethodError(
                f"{self._call.label} starts none of {len(self.waiting)} waiting jobs "
                f"({names}{more}) at slot {self._now:g}, although no job runs or will arrive"
            )
