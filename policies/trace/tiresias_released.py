"""Schedules of Tiresias' public simulator, so that every job ends when it does there.

After ``run_sim.py`` of https://github.com/SymbioticLab/Tiresias. Its rules for Tiresias-L differ
from those in the paper, and from `tiresias-l`. They follow, then the rules of `groups=width`, and
the rules without queues.

The queues of Tiresias' public simulator, of all jobs or of the jobs of one width.
- In a queue running jobs go first, in their previous order, then waiting jobs. A job that enters a
  queue goes to its end. A job is therefore stopped for jobs of its own queue only when it enters.
- Queues are checked when a job comes or ends, and when one is expected to leave its queue. If
  service is GPUs times time, that moment is (missing service - seconds of work so far) / GPUs. It
  is too early, and is then recomputed. A job enters the next queue, even with enough service for
  the one after it.
- With `order=entry`, as in the simulator of Pollux, all jobs of a queue stay in the order in which
  they entered it, whether they run or not.
- With an index all jobs of a queue are sorted by it, and then by arrival, at every check, whether
  they run or not.
- `promote` uses the time that a job waits after it has worked. This time does not grow while the
  job is in the first queue without having worked there.

`multi-dlas-gpu` of Tiresias' public simulator: each width has separate GPUs and queues.
GPUs are allocated every 600 s, the first time after 600 s. Running jobs keep their GPUs. Widths get
GPUs in proportion to the requests of their jobs, the smallest demand first and at most the demand.
The remaining GPUs go round, a job at a time, narrow jobs first.

`lpjf` and `shortest-expected` of Tiresias' public simulator, which do not match their names.
- `lpjf`, the longest pending first: waiting times are never updated, so that jobs stay in order of
  arrival. No job is stopped, and no job passes one that does not fit. When a job starts, the next
  one is skipped until the next event.
- `shortest-expected`: a job starts with the mean of the law. At every event the expectation of the
  last running job in the list is written to the job that arrived last. Most jobs are therefore
  served by arrival. Jobs that came while another job ran go behind or before them.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from math import ceil, floor, inf
from typing import Annotated, Literal

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Amount, Positive
from ...simulation.trace.views import (
    DISTRIBUTION,
    FOREVER,
    NONE,
    ClusterView,
    GrantedGpus,
    JobView,
    LiveJobs,
    TraceDecider,
    TraceSetting,
)
from ..request import Request
from .serve import ClusterRoom, ServiceOptions, refuses_groups_and_kinds, room_of, serve
from .tiresias import ReleasedTable

AHEAD_S = 3250
"""GPU-seconds that the index looks ahead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """The queues, and the measure of service."""

    interval_s: Annotated[Positive, "time between two checks of events, 1 s in the release"] = (
        Decimal(1)
    )
    thresholds: Annotated[
        tuple[Positive, ...], "service in seconds at which a job leaves each queue but the last"
    ] = (Decimal(3250), Decimal(7200))
    order: Annotated[
        Literal["running", "entry", "gittins", "pending", "expected"],
        "order within a queue: `gittins` as in `dlas-gpu-gittins`, `entry` as in the simulator of "
        "Pollux. In one list instead of queues: `pending` as in `lpjf`, `expected` as in "
        "`shortest-expected`",
    ] = "running"
    service: Annotated[Literal["gpu-time", "time"], "`dlas-gpu` or `dlas` there"] = "gpu-time"
    promote: Annotated[
        Amount,
        "return to the first queue after waiting this many times the run time, or 0 for never",
    ] = Decimal(0)
    groups: Annotated[
        Literal["none", "width"],
        "whether each width has separate GPUs and queues: `multi-dlas-gpu`",
    ] = "none"


class TiresiasReleased(TraceDecider):
    """Keeps the queues, and looks at them when something happens."""

    def __init__(self, options: Options) -> None:
        """Choose the queues."""
        self._options = options
        self.information = DISTRIBUTION if options.order == "gittins" else NONE

    def begin(self, setting: TraceSetting) -> None:
        """Count the thresholds in ticks."""
        self._setting, self._room = setting, room_of(setting)
        indexed, options = self._options.order == "gittins", self._options
        rules = QueueRules(
            thresholds=[float(t) / setting.tick_s for t in sorted(options.thresholds)],
            by_gpus=options.service == "gpu-time",
            promote=float(options.promote),
            index=ReleasedTable(setting.law, AHEAD_S / setting.tick_s) if indexed else None,
            first_in=options.order == "entry",
        )
        self._grants: dict[int, GrantedGpus] = {}
        self._queues: WidthGroups | ReleasedQueues = (
            WidthGroups(rules, setting) if options.groups == "width" else ReleasedQueues(rules)
        )

    def decide(self, jobs: LiveJobs, _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return who runs."""
        now = self._setting.now
        if now >= self.again or jobs.arrived or jobs.ended:
            jump = self._queues.look(jobs, now, self._room.copy())
            self.again = max(ceil(jump), now + 1) if jump < FOREVER else FOREVER
            self._grants = {place.job.number: place.grant for place in self._queues.running}
        return self._grants


refuses = refuses_groups_and_kinds


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule (deterministic)."""
    lists = {"pending": PendingList, "expected": ExpectedList}
    order = request.options.order
    policy = lists[order]() if order in lists else TiresiasReleased(request.options)
    return serve(instance, request.limits, "tiresias-released", policy, request.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRules:
    """When jobs change their queues, in ticks."""

    thresholds: Sequence[float]
    by_gpus: bool
    promote: float = 0.0
    index: ReleasedTable | None = None
    first_in: bool = False
    """True if running jobs do not go first in a queue."""


class QueuePlace:
    """Position of a job, and its work since it entered the first queue."""

    __slots__ = ("before", "done", "grant", "job", "looked", "queue", "runs", "unit", "waited")

    def __init__(self, job: JobView, unit: int) -> None:
        """Put a job without work into the first queue. A tick of its work is `unit` of service."""
        self.job, self.unit, self.grant = job, unit, GrantedGpus(job.gpus)
        self.queue, self.runs = 0, False
        self.before, self.waited = 0, 0
        """The ticks that it had worked by then, and that it has waited since."""
        self.looked = self.done = 0
        """When it was looked at last, and the ticks that it had worked then."""

    @property
    def worked(self) -> int:
        """The ticks that it has worked since then."""
        return self.job.executed - self.before


def _by_arrival(place: QueuePlace) -> tuple[int, int]:
    return place.job.arrival, place.job.number


class ReleasedQueues:
    """Queues, and who of them runs."""

    def __init__(self, rules: QueueRules) -> None:
        """Start with empty queues."""
        self._rules = rules
        self._queues: list[list[QueuePlace]] = [[] for _ in range(len(rules.thresholds) + 1)]
        self._places: dict[int, QueuePlace] = {}
        self.running: list[QueuePlace] = []

    def look(self, jobs: LiveJobs, now: int, room: ClusterRoom, most: float = inf) -> float:
        """Update leaving, arriving and requeued jobs; then run those that fit, queue by queue.

        `room` is the number of GPUs left, and `most` the GPUs that they may have together. Return
        the tick at which a job is expected to change its queue.
        """
        self._update(jobs)
        self._requeue(now)
        self.running = []
        for queue in self._queues:
            if self._rules.index is not None:
                queue.sort(key=self._turn)
            most -= self._fill(queue, room, most)
        if self._rules.promote:
            return min([self._expected(p, now) for p in self._places.values()], default=FOREVER)
        leaves, jump = self._rules.thresholds, FOREVER
        for place in self.running:
            if place.queue < len(leaves):
                worked = place.done if place.looked == now else place.worked
                jump = min(jump, now + (leaves[place.queue] - worked) // place.unit)
        return jump

    def _requeue(self, now: int) -> None:
        """Move jobs to the next queue, or back to the first, in order of arrival."""
        if not self._rules.promote:
            leaves, enough = self._rules.thresholds, list[QueuePlace]()
            for place in self.running:
                if place.queue < len(leaves):
                    place.looked, place.done = now, place.worked
                    if place.done * place.unit >= leaves[place.queue]:
                        enough.append(place)
            for place in sorted(enough, key=_by_arrival):
                self._move(place, place.queue + 1)
            return
        for place in sorted(self._places.values(), key=_by_arrival):
            self._count(place, now)
        for place in self.running:
            place.runs = False

    def _update(self, jobs: LiveJobs) -> None:
        """Drop jobs that have ended, and put new ones into the first queue."""
        for number in jobs.ended:
            place = self._places.pop(number)
            self._queues[place.queue].remove(place)
            self.running.remove(place)
        for job in jobs.arrived:
            place = QueuePlace(job, job.gpus if self._rules.by_gpus else 1)
            self._places[job.number] = place
            self._queues[0].append(place)

    def _fill(self, queue: list[QueuePlace], room: ClusterRoom, most: float) -> int:
        """Let the jobs of a queue that fit run, move them to its front, and return their GPUs.

        With `first_in`, they keep their places.
        """
        runs, waits, used = list[QueuePlace](), list[QueuePlace](), 0
        left, one_set = min(most, room.left[0]), len(room.left) == 1
        for place in queue:
            if left <= 0:
                break
            gpus = place.grant.width
            if gpus <= left and (one_set or room.admit(place.job.reach, gpus)):
                used += gpus
                left = left - gpus if one_set else min(most - used, room.left[0])
                place.runs = True
                runs.append(place)
            else:
                waits.append(place)
        if one_set:
            room.take(0, used)
        if not self._rules.first_in:
            queue[: len(runs) + len(waits)] = runs + waits
        self.running += runs
        return used

    def _count(self, place: QueuePlace, now: int) -> None:
        """Add a job's work since the last check, and change its queue."""
        worked = place.done = place.worked
        if place.runs:
            enough = self._rules.thresholds[place.queue : place.queue + 1]
            if enough and worked * place.unit >= enough[0]:
                self._move(place, place.queue + 1)
        elif worked > 0:
            place.waited += now - place.looked
            if place.queue > 0 and place.waited >= int(worked * self._rules.promote):
                place.before, place.waited, place.done = place.job.executed, 0, 0
                self._move(place, 0)
        place.looked = now

    def _expected(self, place: QueuePlace, now: int) -> float:
        """Return when a job is expected to change its queue."""
        worked = place.done if place.looked == now else place.worked
        if place.runs:
            if place.queue == len(self._rules.thresholds):
                return FOREVER
            return now + (self._rules.thresholds[place.queue] - worked) // place.unit
        left = int(worked * self._rules.promote - place.waited) if place.queue > 0 else 0
        return now + left if left > 0 else FOREVER

    def _turn(self, place: QueuePlace) -> tuple[float, int]:
        """Return the place in a queue by the index of a job's service."""
        assert self._rules.index is not None
        return -self._rules.index.at(place.worked * place.unit), place.job.arrival

    def _move(self, place: QueuePlace, queue: int) -> None:
        self._queues[place.queue].remove(place)
        self._queues[queue].append(place)
        place.queue = queue


PERIOD_S = 600
"""Duration of an allocation of GPUs."""


class WidthGroups:
    """The queues of every width, and its GPUs."""

    def __init__(self, rules: QueueRules, setting: TraceSetting) -> None:
        """Begin without GPUs."""
        self._rules, self._gpus = rules, setting.gpus
        self._period = max(1, round(PERIOD_S / setting.tick_s))
        self._queues: dict[int, ReleasedQueues] = {}
        self._reserved: dict[int, int] = {}
        self._widths: dict[int, int] = {}
        """The widths of the jobs that are there."""

    @property
    def running(self) -> list[QueuePlace]:
        """Who runs."""
        return [place for own in self._queues.values() for place in own.running]

    def look(self, jobs: LiveJobs, now: int, room: ClusterRoom) -> float:
        """Check all queues, and reallocate GPUs if it is time, and return the next check."""
        jump = self._looks(self._by_width(jobs), now, room.copy())
        if now > 0 and now % self._period == 0 and jobs:
            counts = Counter(self._widths.values())
            asked = {width: width * count for width, count in counts.items()}
            used = {width: width * len(self._queues[width].running) for width in counts}
            self._reserved = shared_out(self._gpus, asked, used)
            jump = self._looks({}, now, room.copy())
        return min(jump, now - now % self._period + self._period)

    def _by_width(self, jobs: LiveJobs) -> dict[int, LiveJobs]:
        """Return what changed for every width."""
        changes = defaultdict[int, LiveJobs](LiveJobs)
        for number in jobs.ended:
            changes[self._widths.pop(number)].ended.append(number)
        for job in jobs.arrived:
            self._widths[job.number] = job.gpus
            changes[job.gpus].arrived.append(job)
        return changes

    def _looks(self, changes: Mapping[int, LiveJobs], now: int, room: ClusterRoom) -> float:
        for width in changes.keys() - self._queues.keys():
            self._queues[width] = ReleasedQueues(self._rules)
        same = LiveJobs()
        jumps = [
            own.look(changes.get(width, same), now, room, self._reserved.get(width, 0))
            for width, own in sorted(self._queues.items())
        ]
        return min(jumps, default=FOREVER)


def shared_out(gpus: int, asked: Mapping[int, int], used: Mapping[int, int]) -> dict[int, int]:
    """Return the GPUs of every width. Shares are rounded to per cent."""
    left, total, reserved = gpus - sum(used.values()), sum(asked.values()), dict(used)
    for width in sorted(asked, key=lambda width: (asked[width], width)):
        exact = Decimal(asked[width] / total)
        share = float(exact.quantize(Decimal("0.01"), ROUND_HALF_UP))
        goal = min(asked[width], floor(share * gpus / width) * width)
        more = max(0, goal - used[width])
        more = more if more <= left else left // width * width
        reserved[width] += more
        left -= more
    widths = sorted(asked)
    while wanting := [w for w in widths if reserved[w] < asked[w] and w <= left]:
        for width in wanting:
            if width <= left:
                reserved[width] += width
                left -= width
    return reserved


class PendingList(TraceDecider):
    """Starts jobs in the order of arrival, and passes every second one over."""

    information = NONE

    def __init__(self) -> None:
        """Start with empty queues."""
        self._waiting: list[JobView] = []

    def begin(self, setting: TraceSetting) -> None:
        """Count GPUs."""
        self._room = room_of(setting)

    def decide(self, jobs: LiveJobs, _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return who runs."""
        if jobs.arrived or jobs.ended:
            self._waiting += jobs.arrived
            self._start(jobs)
        waiting = {job.number for job in self._waiting}
        return {job.number: GrantedGpus(job.gpus) for job in jobs if job.number not in waiting}

    def _start(self, jobs: Sequence[JobView]) -> None:
        room, waiting = self._room.copy(), {job.number for job in self._waiting}
        for job in jobs:
            if job.number not in waiting:
                room.take(job.reach, job.gpus)
        at = 0
        while at < len(self._waiting):
            if not room.admit(self._waiting[at].reach, self._waiting[at].gpus):
                break
            del self._waiting[at]
            at += 1


class ExpectedList(TraceDecider):
    """Serves jobs by their recorded expectation."""

    information = DISTRIBUTION

    def __init__(self) -> None:
        """Start with empty queues."""
        self._list: list[JobView] = []
        self._runs = set[int]()
        self._expected: dict[int, float] = {}

    def begin(self, setting: TraceSetting) -> None:
        """Take the law in seconds."""
        self._setting, self._room = setting, room_of(setting)
        self._law: list[float] = [amount * setting.tick_s for amount in setting.law.tolist()]

    def decide(self, jobs: LiveJobs, _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return who runs."""
        if jobs.arrived or jobs.ended:
            self._look(jobs)
        return {job.number: GrantedGpus(job.gpus) for job in jobs if job.number in self._runs}

    def _look(self, jobs: LiveJobs) -> None:
        self._list = [job for job in self._list if job.number not in jobs.ended] + jobs.arrived
        self._expected |= {job.number: self._mean(0) for job in jobs.arrived}
        ran = [job for job in self._list if job.number in self._runs]
        if ran:
            had = self._mean(ran[-1].executed * self._setting.tick_s)
            self._expected[next(reversed(self._expected))] = had
        self._list.sort(key=lambda job: self._expected[job.number])
        room = self._room.copy()
        self._runs.clear()
        for job in self._list:
            if room.admit(job.reach, job.gpus):
                self._runs.add(job.number)

    def _mean(self, had: float) -> float:
        """Return the mean of the amounts above `had`, except the largest, to two decimals."""
        above = self._law[bisect_right(self._law, had) :]
        return round(sum(above[:-1]) / (len(above) - 1), 2) if len(above) > 1 else sum(above)
