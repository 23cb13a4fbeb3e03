"""Shares of the time in rounds, as in Gavel's simulator, on kinds of GPUs.

After `scheduler.py` and `policies/` of https://github.com/stanford-futuredata/gavel. A policy gives
every job a share of the time on each kind. The jobs that have had least of their share run in a
round:

- A round lasts `round_s`, or less if all its jobs end. A job that ends leaves its GPUs idle until
  the round is over, and a new job waits for the next round.
- Shares are recomputed when jobs have come or gone, in the first round that begins `least_s` after
  the last computation, or at once if that was at 0. Jobs that have come since then have no share:
  they do not run, and in their turn they leave GPUs idle.
- Kinds are served in the order of their first servers. On each kind, jobs are ordered by share
  over time received there since then, plus half a round; then by their deficit there from before;
  then by share. Those that fit and are not served yet run. Jobs of `fifo` need a share for that.
- A continuing job is credited with the whole steps of a round (`steps`), which orders jobs with
  equally many rounds.
- If no job can run, the next round begins with the next arrival, and all that time is credited to
  the jobs that run in it. After the last arrival shares are recomputed at once instead.

`fifo` gives a share of 1 to the jobs in order of arrival, each on its fastest kind with enough
GPUs, up to the first that fits on no kind. The other policies have a program, which is stated in
`formulations/trace/shares.py`. With a need, the level is the least at which the needs of all jobs
can be met:

- `las`: a job's average speed times its GPUs, over its speed in an equal part of every kind, is at
  least 1 over the level.
- `fairness`: the time until a job ends, over its time in a private partition, is at most the level.
  The partition is an equal part of every kind, and work since the last computation is treated as
  done in the partition of that time.
- `duration`: the time until a job ends is at most the level.
- `throughput` has no needs. It maximises the steps per second of all jobs by `steps`, or without
  `steps` the sum of their speeds. `cost` first divides the speeds on a kind by its price.

Of all optima, a point near their centre is taken, as an interior point method finds it.

With `kinds=alike`, policies take all speeds for 1, and kinds are served in random order. Then, and
if there is one kind only, `las` and `fairness` compute shares of all GPUs together, which are split
in proportion to the GPUs of each kind. The level falls further for jobs that do not have all of
the time, so that the shares are the best for the next worse off, and so on.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from random import Random
from typing import Annotated, Literal

import numpy as np

from ...formulations.program import Floats
from ...formulations.trace.shares import (
    SharedCluster,
    TimeClaims,
    fair_shares,
    least_level,
    lexicographic_shares,
    valued_shares,
)
from ...instances import Outcome, TraceInstance
from ...instances.errors import Problem, Words
from ...instances.reading.vocabulary import Amount, AsMap, Label, NonEmpty, Positive
from ...instances.trace.kinds import reach_by_kind
from ...policies.request import Request
from ...policies.trace.serve import ServiceOptions, refuses_groups, room_of, serve
from ...simulation.trace.views import (
    FOREVER,
    FULL,
    NONE,
    ClusterView,
    GrantedGpus,
    KnownJobView,
    LiveJobs,
    TraceDecider,
    TraceSetting,
)

Steps = Annotated[
    tuple[tuple[Label, Positive], ...],
    AsMap("MODEL@GPUS to seconds", '{"bert@2": 0.21}'),
    NonEmpty(),
]
Prices = Annotated[
    tuple[tuple[Label, Positive], ...], AsMap("kinds to prices", '{"v100": 0.74}'), NonEmpty()
]

DIGITS = 9
"""Digits by which shares are compared, and decimals of deficits. The other digits are noise."""

SEED = 5
"""Of the order of kinds with `kinds=alike`, as in the simulator by default."""

DURATIONS_S = (100.0, 1e6)
"""The interval in which a search with `close` begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOptions(ServiceOptions):
    """Length of rounds, and when shares are computed."""

    interval_s: Annotated[Positive, "rounds end at multiples of this, or with a job"] = Decimal(1)
    round_s: Annotated[Positive, "length of a round, unless all its jobs end"] = Decimal(360)
    least_s: Annotated[Amount, "shortest time between two computations of shares"] = Decimal(1920)
    steps: Annotated[
        Steps, "seconds of a step by model and GPUs: only whole steps of a round are credited"
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(RoundOptions):
    """A policy of shares."""

    shares: Annotated[
        Literal["fifo", "las", "fairness", "duration", "throughput", "cost"],
        "`fifo_perf`, `max_min_fairness`, `finish_time_fairness`, `min_total_duration`, "
        "`max_sum_throughput` or `max_sum_throughput_normalized_by_cost` there",
    ] = "las"
    kinds: Annotated[
        Literal["known", "alike"],
        "whether a policy knows the speeds on kinds of GPUs, as `_perf` there",
    ] = "known"
    prices: Annotated[Prices, "prices of kinds of GPUs for `shares=cost`"] = ()
    close: Annotated[
        Positive,
        "`shares=duration` searches until the upper end is at most this times the lower end, 1.05 "
        "there; 1 for the least duration",
    ] = Decimal(1)

    def problems(self) -> Iterator[Problem]:
        """Yield options that have no effect, and an interval that no search ends with."""
        if self.close < 1:
            yield Problem("close", self.close, "at least 1", "raise it")
        if self.close != 1 and self.shares != "duration":
            yield Problem("close", self.close, "shares=duration with it", "drop it")
        if self.prices and self.shares != "cost":
            yield Problem("prices", Words("prices"), "shares=cost with them", "drop them")


def claims_of(rows: Sequence[tuple[float, float, float]]) -> TimeClaims:
    """Return claims from the work, time alone and age of each job."""
    return TimeClaims(*np.array(rows, dtype=np.float64).reshape(-1, 3).T)


def speeds_by_kind(jobs: Sequence[KnownJobView]) -> Floats:
    """Return the speeds on the requested number of GPUs, by job and kind, 0 where it cannot run."""
    return np.array([[own.get(job.gpus, 0.0) for own in job.kinds] for job in jobs])


def partition_speeds(shared: SharedCluster, present: int) -> Floats:
    """Return the speeds of jobs in private partitions: equal parts of every kind for all jobs."""
    parts = shared.room / present / shared.gpus[:, None]
    speeds: Floats = (shared.speeds * parts).sum(axis=1) / np.maximum(1.0, parts.sum(axis=1))
    return speeds


@dataclass(slots=True)
class FinishTimes:
    """Claims that equalise the time until a job ends, over its time in a private partition."""

    spent: dict[int, float] = field(default_factory=dict)
    """Ticks in private partitions, by number."""
    before: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Work left and speed alone at the last computation, by number."""

    def claims(self, jobs: Sequence[KnownJobView], shared: SharedCluster, now: float) -> TimeClaims:
        """Return the claims, and record the remaining work."""
        rows, after = [], {}
        speeds = partition_speeds(shared, len(jobs))
        for job, speed in zip(jobs, speeds.tolist(), strict=True):
            left = job.remaining
            was, slow = self.before.get(job.number, (left, speed))
            spent = self.spent[job.number] = self.spent.get(job.number, 0.0) + (was - left) / slow
            rows.append((left, spent + left / speed, now - job.arrival))
            after[job.number] = left, speed
        self.before = after
        return claims_of(rows)


class SharePolicy:
    """The shares of jobs on kinds of GPUs, as one of Gavel's policies computes them."""

    def __init__(self, options: Options, setting: TraceSetting) -> None:
        """Look at the kinds."""
        self._options, self._tick = options, setting.tick_s
        self._room = np.array(setting.kind_gpus, dtype=np.float64)
        self._rate = {key: setting.tick_s / float(s) for key, s in options.steps}
        prices = dict(options.prices)
        self._prices = np.array([float(prices.get(kind or "", 1)) for kind in setting.kinds])
        self._times = FinishTimes()

    def of(self, jobs: Sequence[KnownJobView], now: float) -> Floats:
        """Return the shares of some jobs, by job and kind."""
        gpus, rule = np.array([job.gpus for job in jobs], float), self._options.shares
        speeds = np.ones((len(jobs), len(self._room)))
        if self._options.kinds == "known" and len(self._room) > 1:
            speeds = speeds_by_kind(jobs)
        elif rule in ("las", "fairness"):
            total = self._room.sum()
            shared = SharedCluster(speeds[:, :1], gpus, total[None])
            parts = lexicographic_shares(self._claims(jobs, shared, now), gpus, total)
            return np.outer(parts, self._room / total)
        shared = SharedCluster(speeds, gpus, self._room)
        if rule in ("throughput", "cost"):
            rates = [self._rate.get(f"{job.model}@{job.gpus}", 1.0) for job in jobs]
            values = speeds * np.array(rates)[:, None] / self._prices
            return valued_shares(shared, values / values.max())
        claims = self._claims(jobs, shared, now)
        level, close = least_level(shared, claims), float(self._options.close)
        if rule == "duration" and close > 1:
            level = halved(level * self._tick, close) / self._tick
        return fair_shares(shared, claims, level)

    def _claims(
        self, jobs: Sequence[KnownJobView], shared: SharedCluster, now: float
    ) -> TimeClaims:
        """Return what jobs need at a level."""
        if self._options.shares == "fairness":
            return self._times.claims(jobs, shared, now)
        if self._options.shares == "duration":
            return claims_of([(job.remaining, 1.0, 0.0) for job in jobs])
        parts = shared.speeds @ (shared.room / shared.room.sum())
        return TimeClaims(parts, shared.gpus, np.zeros(len(jobs)))


def halved(least: float, close: float) -> float:
    """Return the duration at which Gavel's search for the least one ends."""
    low, high = DURATIONS_S
    while True:
        found, top = None, high
        while close * low < high:
            middle = (low + high) / 2
            if middle >= least:
                found = high = middle
            else:
                low = middle
        if found is not None:
            return found
        low, high = top, 10 * top


@dataclass(slots=True)
class ShareAccount:
    """The share of a job on one kind, and the time that it has had there."""

    share: float = 0.0
    had: float = 0.0
    """Ticks since the share was computed."""
    short: float = 0.0
    """Ticks of its shares before that it did not get."""
    turn: tuple[float, float, float] | None = None
    """Where it stands, kept while its share and its time are the same."""


@dataclass(slots=True)
class JobAccounts:
    """A job and its account for each kind of GPUs."""

    job: KnownJobView
    kinds: list[ShareAccount]
    known: bool = False
    """True if its shares have been computed."""
    began: int = 0
    """Ticks that it had worked when it was served last."""


def kind_sets(instance: TraceInstance) -> list[dict[int, int]]:
    """Return the sets of servers on which jobs may run, by job and kind, as numbers."""
    reach = reach_by_kind(instance)
    rows = reach.rows or [((number, 0),) for number in reach.jobs]
    return [{kind: number for number, kind in own} for own in rows]


class ShareRounds(TraceDecider):
    """Keeps shares, and chooses who runs in a round."""

    knows_kinds = True
    needs_share = False
    """True if a job does not run on a kind on which its share is 0."""
    shuffles = False
    """True if kinds are served in random order."""

    def __init__(self, options: RoundOptions, instance: TraceInstance) -> None:
        """Begin without shares. The simulator knows when the last of all jobs has come."""
        self._options, self._coming = options, len(instance.jobs)
        self._reach = kind_sets(instance)
        self._accounts: dict[int, JobAccounts] = {}
        self._runs: dict[int, GrantedGpus] = {}
        self._ends, self._over, self._computed = 0.0, 0, 0
        self._changed = False
        self._random = Random(SEED)

    def begin(self, setting: TraceSetting) -> None:
        """Count all times in ticks."""
        self._setting, self._room = setting, room_of(setting)
        self._round = float(self._options.round_s) / setting.tick_s
        self._least = float(self._options.least_s) / setting.tick_s
        self._steps = {key: float(s) / setting.tick_s for key, s in self._options.steps}

    def decide(self, jobs: LiveJobs, _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return who runs: the same as before until the round is over."""
        self._meet(jobs)
        ran, now = bool(self._runs), self._setting.now
        for number in jobs.ended:
            self._runs.pop(number, None)
        if not self._runs or now >= self._ends:
            if ran:
                self._over = now
                self._credit()
            jobs.sort(key=lambda job: (job.arrival, job.number))
            self._begin_round(jobs)
            if not self._runs and not self._coming:
                self._computed = 0
                self._begin_round(jobs)
            self._ends = now + self._round
        self.again = self._ends if self._runs else FOREVER
        return self._runs

    def _credit(self) -> None:
        """Credit jobs that ran until the end of the round, without incomplete steps."""
        for number, hold in self._runs.items():
            own, kind = self._accounts[number], hold.kind or 0
            job, account = own.job, own.kinds[kind]
            step = self._steps.get(f"{job.model}@{job.gpus}", 0.0) / job.kinds[kind][job.gpus]
            account.had += job.executed - own.began - (self._round % step if step else 0.0)
            account.turn = None

    def _meet(self, jobs: LiveJobs) -> None:
        """Open accounts for new jobs, and close those of ended jobs."""
        for number in jobs.ended:
            del self._accounts[number]
        for job in jobs.arrived:
            self._accounts[job.number] = JobAccounts(job, [ShareAccount() for _ in job.kinds])
        self._changed |= bool(jobs.arrived or jobs.ended)
        self._coming -= len(jobs.arrived)

    def _begin_round(self, jobs: Sequence[KnownJobView]) -> None:
        """Compute shares where that is due, and let those run that have had least of theirs."""
        now, room, served = self._setting.now, self._room.copy(), set[int]()
        if self._changed and (not self._computed or now - self._computed >= self._least):
            self._compute(jobs)
        self._runs, order = {}, list(range(len(self._setting.kinds)))
        if self.shuffles:
            self._random.shuffle(order)
        free = list(self._setting.kind_gpus)
        for kind in order:
            for job in sorted(jobs, key=partial(self._turn, kind)):
                if not free[kind]:
                    break
                if job.number in served or not self._may_run(job, kind):
                    continue
                if room.admit(self._reach[job.number][kind], job.gpus):
                    free[kind] -= job.gpus
                    served.add(job.number)
                    self._serve(job, kind)

    def _may_run(self, job: KnownJobView, kind: int) -> bool:
        """Return True if a job has a speed on a kind of GPUs, and the share that it needs."""
        if self.needs_share and not self._accounts[job.number].kinds[kind].share:
            return False
        return job.gpus in job.kinds[kind] and kind in self._reach[job.number]

    def _serve(self, job: KnownJobView, kind: int) -> None:
        """Let a job run in the round, unless it has to wait for its shares."""
        own = self._accounts[job.number]
        if own.known:
            many = len(self._setting.kinds) > 1
            self._runs[job.number] = GrantedGpus(job.gpus, kind=kind if many else None)
            own.began, account = job.executed, own.kinds[kind]
            account.had += self._setting.now - self._over
            account.turn = None

    def _compute(self, jobs: Sequence[KnownJobView]) -> None:
        """Recompute all shares, and keep the deficits."""
        now = self._setting.now
        for job, shares in zip(jobs, self._shares(jobs) if jobs else (), strict=True):
            own = self._accounts[job.number]
            own.known = True
            for account, share in zip(own.kinds, shares, strict=True):
                account.short += account.share * (now - self._computed) - account.had
                account.share, account.had, account.turn = share, 0.0, None
        self._computed, self._changed = now, False

    @abstractmethod
    def _shares(self, jobs: Sequence[KnownJobView]) -> list[list[float]]:
        """Return the shares of jobs in order of arrival, by job and kind."""

    def _turn(self, kind: int, job: KnownJobView) -> tuple[float, float, float]:
        """Return where a job stands on a kind: whoever has had least of its share first."""
        account = self._accounts[job.number].kinds[kind]
        if account.turn is None:
            rounds = account.had / self._round + 0.5
            first, third = _digits(account.share / rounds), _digits(account.share)
            account.turn = -first, -round(account.short / self._round, DIGITS), -third
        return account.turn


class GavelRounds(ShareRounds):
    """The shares of one of Gavel's policies."""

    def __init__(self, options: Options, instance: TraceInstance) -> None:
        """Choose the policy."""
        super().__init__(options, instance)
        self._rule = options
        self.information = FULL if options.shares in ("fairness", "duration") else NONE
        self.needs_share, self.shuffles = options.shares == "fifo", options.kinds == "alike"

    def begin(self, setting: TraceSetting) -> None:
        """Count all times in ticks."""
        super().begin(setting)
        self._policy = SharePolicy(self._rule, setting)

    def _shares(self, jobs: Sequence[KnownJobView]) -> list[list[float]]:
        if self._rule.shares != "fifo":
            found: list[list[float]] = self._policy.of(jobs, self._setting.now).tolist()
            return found
        room, free, full, shares = self._room.copy(), list(self._setting.kind_gpus), False, []
        for job in jobs:
            reach, own = self._reach[job.number], [0.0] * len(free)
            able = [k for k in reach if job.gpus in job.kinds[k]]
            fits = [k for k in able if room.of(reach[k]) >= job.gpus and not full]
            # A job that only has to wait for another kind does not hold up the jobs behind it.
            elsewhere = (free[k] >= job.gpus for k in range(len(free)) if k not in able)
            full |= not fits and not any(elsewhere)
            if fits:
                known = self._rule.kinds == "known"
                best = max(fits, key=lambda k: (known and job.kinds[k][job.gpus], -k))
                room.take(reach[best], job.gpus)
                free[best] -= job.gpus
                own[best] = 1.0
            shares.append(own)
        return shares


def _digits(share: float) -> float:
    """Return a share without the noise of floating point. Shares near 0 keep their order."""
    return float(f"{share:.{DIGITS}g}")


def refuses(instance: TraceInstance, options: Options) -> str | None:
    """Return why an instance cannot be served with these options, or None if it can."""
    if (reason := refuses_groups(instance)) is not None:
        return reason
    known = [kind for kind in instance.kinds if kind is not None]
    if options.shares != "cost" or set(known) <= {kind for kind, _ in options.prices}:
        return None
    return f"shares=cost needs `prices` of {', '.join(known)}. Add them."


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule (deterministic)."""
    policy = GavelRounds(request.options, instance)
    return serve(instance, request.limits, "gavel", policy, request.options)
