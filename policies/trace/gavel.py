"""FIFO, LAS and finish-time fairness in rounds, as in Gavel's simulator on GPUs of one kind.

After `scheduler.py` and `policies/` of https://github.com/stanford-futuredata/gavel. A policy gives
every job a share of the time. The jobs that have had least of their share run in a round:

- A round lasts `round_s`, or less if all its jobs end. A job that ends leaves its GPUs idle until
  the round is over, and a new job waits for the next round.
- Shares are recomputed when jobs have come or gone, in the first round that begins `least_s` after
  the last computation, or at once if that was at 0. Jobs that have come since then have no share,
  and do not run even if GPUs are idle.
- Jobs are ordered by share over time received since then, plus half a round; then by their deficit
  from before; then by share. Those that fit run.
- A continuing job is credited with the whole steps of a round (`steps`), which orders jobs with
  equally many rounds.
- If no job can run, the next round begins with the next arrival, and all that time is credited to
  the jobs that run in it. After the last arrival shares are recomputed at once instead.

`fifo` gives a share of 1 to all jobs in order of arrival that fit, up to the first that does not.
The programs of the other policies have a closed form here. With several optima, it is the one that
is best for the next worse off, and so on. A claim gives a job's share, which falls as the common
level rises: its work over its remaining time at that level, and 1 if that time is too short. The
level is the least at which all claims fit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Literal

import numpy as np

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Amount, AsMap, Label, Positive
from ...simulation.model import Floats
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
from ..request import Request
from .serve import ServiceOptions, room_of, serve

HALVINGS = 100
"""Steps of the search for a level: enough for the last digit."""


@dataclass(frozen=True, slots=True)
class TimeClaims:
    """The shares that jobs have at a level, in arrays by job."""

    gpus: Floats
    work: Floats
    alone: Floats
    """Times that are measured in levels."""
    age: Floats
    """Times that are over."""

    def at(self, level: float) -> Floats:
        """Return the shares."""
        return self.work / np.maximum(self.work, level * self.alone - self.age)


def claims_of(rows: Sequence[tuple[float, float, float, float]]) -> TimeClaims:
    """Return claims from the GPUs, work, time alone and age of each job."""
    return TimeClaims(*np.array(rows, dtype=np.float64).reshape(-1, 4).T)


def shares_of(claims: TimeClaims, gpus: int) -> list[float]:
    """Return the shares at the least level at which all claims fit, by halving an interval."""

    def fits(level: float) -> bool:
        # One after the other: pairwise sums have other last digits.
        return bool(np.cumsum(claims.gpus * claims.at(level))[-1] <= gpus)

    if not claims.gpus.size:
        return []
    low, high = 0.0, 1.0
    while not fits(high):
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if fits(middle) else (middle, high)
    parts: list[float] = claims.at(high).tolist()
    return parts


def attained_claims(jobs: Sequence[KnownJobView], _: float) -> TimeClaims:
    """Return claims to GPU-time that is the same for all, as least attained service gives it."""
    return claims_of([(job.gpus, 1.0, job.gpus, 0.0) for job in jobs])


@dataclass(slots=True)
class FinishTimes:
    """Claims that equalise the time until a job ends, over its time in a private partition.

    The partition is an equal number of GPUs for each active job. Work since the last computation is
    counted as if done in the partition of that time.
    """

    gpus: int
    spent: dict[int, float] = field(default_factory=dict)
    """Ticks in private partitions, by number."""
    before: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Work left and speed alone at the last computation, by number."""

    def claims(self, jobs: Sequence[KnownJobView], now: float) -> TimeClaims:
        """Return the claims, and record the remaining work."""
        rows, after = [], {}
        for job in jobs:
            left, speed = job.remaining, min(1.0, self.gpus / len(jobs) / job.gpus)
            was, slow = self.before.get(job.number, (left, speed))
            spent = self.spent[job.number] = self.spent.get(job.number, 0.0) + (was - left) / slow
            rows.append((job.gpus, left, spent + left / speed, now - job.arrival))
            after[job.number] = left, speed
        self.before = after
        return claims_of(rows)


Steps = Annotated[
    tuple[tuple[Label, Positive], ...], AsMap("MODEL@GPUS to seconds", '{"bert@2": 0.21}')
]

DIGITS = 9
"""Decimals by which shares are compared: the digits after them are noise of floating point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Who is given how much, and when that is thought over."""

    interval_s: Annotated[Positive, "rounds end at multiples of this, or with a job"] = Decimal(1)
    shares: Annotated[
        Literal["fifo", "las", "fairness"],
        "`fifo_perf`, `max_min_fairness` or `finish_time_fairness` there",
    ] = "las"
    round_s: Annotated[Positive, "length of a round, unless all its jobs end"] = Decimal(360)
    least_s: Annotated[Amount, "shortest time between two computations of shares"] = Decimal(1920)
    steps: Annotated[
        Steps, "seconds of a step by model and GPUs: only whole steps of a round are credited"
    ] = ()


@dataclass(slots=True)
class ShareAccount:
    """The share of a job, and the time that it has had."""

    share: float = 0.0
    before: float = 0.0
    """Ticks that are excluded because the job had them before its share was computed."""
    short: float = 0.0
    """Ticks of its shares before that it did not get."""
    turn: tuple[float, float, float] | None = None
    """Where it stands, kept while its share is the same and it does not run."""


class GavelRounds(TraceDecider):
    """Keeps shares, and chooses who runs in a round."""

    def __init__(self, options: Options, jobs: int) -> None:
        """Choose a policy. The simulator knows when the last of all `jobs` has come."""
        self._options, self._coming = options, jobs
        self.information = FULL if options.shares == "fairness" else NONE
        self._accounts: dict[int, ShareAccount] = {}
        self._runs: dict[int, GrantedGpus] = {}
        self._ends, self._over, self._computed = 0.0, 0, 0
        self._changed = False

    def begin(self, setting: TraceSetting) -> None:
        """Count both times in ticks."""
        self._setting, self._room = setting, room_of(setting)
        self._round = float(self._options.round_s) / setting.tick_s
        self._least = float(self._options.least_s) / setting.tick_s
        self._steps = {key: float(s) / setting.tick_s for key, s in self._options.steps}
        self._claims: Callable[[Sequence[KnownJobView], float], TimeClaims] = attained_claims
        if self._options.shares == "fairness":
            self._claims = FinishTimes(setting.gpus).claims

    def decide(self, jobs: LiveJobs, _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return who runs: the same as before until the round is over."""
        self._meet(jobs)
        ran, now = bool(self._runs), self._setting.now
        for number in jobs.ended:
            self._runs.pop(number, None)
        if not self._runs or now >= self._ends:
            if ran:
                self._over = now
                self._drop_parts(jobs)
            jobs.sort(key=lambda job: (job.arrival, job.number))
            self._begin_round(jobs)
            if not self._runs and not self._coming:
                self._computed = 0
                self._begin_round(jobs)
            self._ends = now + self._round
        self.again = self._ends if self._runs else FOREVER
        return self._runs

    def _drop_parts(self, jobs: Sequence[KnownJobView]) -> None:
        """Subtract incomplete steps of a round from jobs that ran until its end."""
        for job in jobs:
            if job.number in self._runs:
                step = self._steps.get(f"{job.model}@{job.gpus}", 0.0)
                self._accounts[job.number].before += self._round % step if step else 0.0

    def _meet(self, jobs: LiveJobs) -> None:
        """Open accounts for new jobs, and close those of ended jobs."""
        for number in jobs.ended:
            del self._accounts[number]
        for job in jobs.arrived:
            self._accounts[job.number] = ShareAccount()
        self._changed |= bool(jobs.arrived or jobs.ended)
        self._coming -= len(jobs.arrived)

    def _begin_round(self, jobs: Sequence[KnownJobView]) -> None:
        """Compute shares where that is due, and let those run that have had least of theirs."""
        now, room = self._setting.now, self._room.copy()
        if self._changed and (not self._computed or now - self._computed >= self._least):
            self._compute(jobs)
        self._runs = {}
        for job in sorted(jobs, key=self._turn):
            if not room.left[0]:
                break
            account = self._accounts[job.number]
            if account.share > 0 and room.admit(job.reach, job.gpus):
                self._runs[job.number] = GrantedGpus(job.gpus)
                account.before -= now - self._over
                account.turn = None

    def _compute(self, jobs: Sequence[KnownJobView]) -> None:
        """Recompute all shares, and keep the deficits."""
        now = self._setting.now
        for job, share in zip(jobs, self._shares(jobs), strict=True):
            account = self._accounts[job.number]
            due = account.share * (now - self._computed)
            account.short += due - (job.executed - account.before)
            account.share, account.before, account.turn = share, job.executed, None
        self._computed, self._changed = now, False

    def _shares(self, jobs: Sequence[KnownJobView]) -> list[float]:
        if self._options.shares != "fifo":
            return shares_of(self._claims(jobs, self._setting.now), self._setting.gpus)
        room, fits, shares = self._room.copy(), True, []
        for job in jobs:
            fits = fits and room.admit(job.reach, job.gpus)
            shares.append(float(fits))
        return shares

    def _turn(self, job: KnownJobView) -> tuple[float, float, float]:
        """Return where a job stands: whoever has had least of its share first."""
        account = self._accounts[job.number]
        if account.turn is None:
            rounds = (job.executed - account.before) / self._round + 0.5
            keys = account.share / rounds, account.short / self._round, account.share
            first, second, third = (-round(key, DIGITS) for key in keys)
            account.turn = first, second, third
        return account.turn


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule (deterministic)."""
    policy = GavelRounds(request.options, len(instance.jobs))
    return serve(instance, request.limits, "gavel", policy, request.options)
