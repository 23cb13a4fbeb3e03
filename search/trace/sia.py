"""Sia: kinds and numbers of GPUs of all jobs, by an integer program in every round.

Source: Sia (Jayaram Subramanya et al., SOSP 2023), and `sia.py` of its public simulator (commit
aaf7a0d of https://github.com/siasosp23/artifacts).

A round begins at every multiple of `round_s`. A job that arrives waits for the next round, and the
GPUs of a job that ends are idle until then. In a round each job waits or has one configuration, a
kind and a number of GPUs:

- Configurations are powers of two inside a server, and whole servers of the largest size of the
  kind. A job that can run on none of these has its own numbers of GPUs.
- On each kind, a job may have at most twice the most GPUs that it has had so far, or the next
  larger configuration. A job therefore starts on few GPUs. With `growth=free` it need not.
- The goodput of a configuration is the job's present speed there, inside one server, over the least
  speed in its configurations, times the GPUs of its smallest one.
- A running job would restart in other configurations. Their goodputs are multiplied by the part of
  its time that would not be lost by that: (age - restarts so far * `restart_s`) / (age +
  `restart_s`), in whole percents and at least 0. For jobs younger than `restart_s` it is 1.
- A configuration costs its goodput to the power of p (`power`), or minus that if p is above 0. A
  job that waits costs `waiting`. The sum of all costs is least, up to 0.01 % of what running saves.
  Of equal configurations a running job keeps its own.
- A job that has not worked since it got its GPUs keeps them.

The program counts GPUs by kind, and by the servers that jobs may use. A job that keeps its
configuration does not move. In Sia it may, so that jobs have few servers. Speeds are known here
from the start. There, jobs are profiled as they grow, which is why they at most double. The penalty
for changes (`lambda_a`) is not in the simulator's program either. There, powers are rounded to two
decimals, and here the part of the time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ...formulations.trace.configurations import Configuration, cheapest
from ...instances import Outcome, TraceInstance
from ...instances.errors import Problem
from ...instances.reading.vocabulary import Positive, Range
from ...policies.request import Request
from ...policies.trace.serve import ServiceOptions, refuses_groups, room_of, serve
from ...simulation.trace.views import (
    FOREVER,
    ClusterView,
    GrantedGpus,
    JobView,
    LiveJobs,
    TraceDecider,
    TraceSetting,
)
from .gavel import kind_sets

GAP = 1e-4
"""Relative gap at which the program is solved, as in the simulator."""

TIE = 1e-6
"""By this the present configuration of a job is cheaper: changes have to gain something."""

LEAST = Decimal("1.01")
"""A job that waits costs at least this. Running alone costs at most 1."""

Place = tuple[int, int]
"""A kind and a number of GPUs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Length of rounds, and what configurations cost."""

    interval_s: Annotated[Positive, "rounds begin at multiples of this"] = Decimal(1)
    round_s: Annotated[Positive, "length of a round"] = Decimal(60)
    power: Annotated[
        Decimal, Range(-3, 3), "p, the exponent of goodputs, not 0: fairer if it is smaller"
    ] = Decimal("-0.5")
    waiting: Annotated[
        Positive, "cost of a job without GPUs, at least 1.01 (lambda_n, or its negative if p > 0)"
    ] = Decimal("1.1")
    growth: Annotated[
        Literal["doubling", "free"], "whether a job has at most twice the most GPUs so far"
    ] = "doubling"

    def problems(self) -> Iterator[Problem]:
        """Yield costs with which a job might wait although GPUs are idle."""
        if not self.power:
            yield Problem("power", self.power, "a number other than 0", "take -0.5")
        if self.waiting < LEAST:
            yield Problem("waiting", self.waiting, f"at least {LEAST}", "raise it")


class Sia(TraceDecider):
    """Keeps the configurations of a round, and chooses those of the next one."""

    knows_kinds = True

    def __init__(self, options: Options, instance: TraceInstance) -> None:
        """Begin before the first round."""
        self._options, self._reach = options, kind_sets(instance)
        self._power, self._waiting = float(options.power), float(options.waiting)
        self._holds: dict[int, GrantedGpus] = {}
        self._most: dict[int, int] = {}
        """The most GPUs that each job has had."""
        self._worked: dict[int, int] = {}
        """Ticks that a job had worked when it got its GPUs."""
        self._last: tuple[list[Configuration], list[int], list[int]] = [], [], []
        """The last program, and its solution: it is often the same in the next round."""
        self._next, self._present = 0, False

    def begin(self, setting: TraceSetting) -> None:
        """Look at the kinds and their servers, and count rounds in ticks."""
        self._setting, self._room = setting, room_of(setting)
        self._round = max(1, round(float(self._options.round_s) / setting.tick_s))
        sizes: list[set[int]] = [set() for _ in setting.kinds]
        for server in setting.servers:
            sizes[setting.kinds.index(server.gpu)].add(server.gpus)
        self._largest = [max(own) for own in sizes]

    def decide(self, jobs: LiveJobs, cluster: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return who runs: the same as before until the next round."""
        now = self._setting.now
        for number in jobs.ended:
            self._holds.pop(number, None)
        if not self._present:
            self._next = -(-now // self._round) * self._round
        self._present = bool(jobs)
        if now >= self._next:
            self._holds = self._begin_round(jobs, cluster)
            self._next = (now // self._round + 1) * self._round
        self.again = self._next if jobs else FOREVER
        return self._holds

    def _begin_round(self, jobs: LiveJobs, cluster: ClusterView) -> dict[int, GrantedGpus]:
        """Return who runs in a round."""
        room, choices, places = [*self._room.left, *self._setting.kind_gpus], [], list[Place]()
        holds, present = dict[int, GrantedGpus](), dict[int, Place]()
        for job in jobs:
            number = job.number
            if job.running:
                present[number] = cluster.kind(number) or 0, job.width
                if job.executed == self._worked.get(number):
                    holds[number] = self._holds[number]
                    for pool in self._pools(job, present[number][0]):
                        room[pool] -= job.width
                    continue
            for place, cost in self._costs(job, present.get(number)).items():
                pools = self._pools(job, place[0])
                choices.append(Configuration(number, place[1], pools, cost))
                places.append(place)
        worked = {job.number: job.executed for job in jobs}
        many = len(self._setting.kinds) > 1
        if self._last[:2] != (choices, room):
            self._last = choices, room, self._cheapest(choices, room)
        for c in self._last[2]:
            number, (kind, gpus) = choices[c].job, places[c]
            holds[number] = GrantedGpus(gpus, kind=kind if many else None)
            if present.get(number) != places[c]:
                self._worked[number] = worked[number]
        return holds

    def _cheapest(self, choices: list[Configuration], room: list[int]) -> list[int]:
        """Return the numbers of the chosen configurations."""
        return cheapest(choices, room, self._waiting, GAP)

    def _pools(self, job: JobView, kind: int) -> tuple[int, ...]:
        """Return the pools that hold the GPUs of a job on a kind: sets of servers, then kinds."""
        around = self._room.around[self._reach[job.number][kind]]
        return *around, len(self._room.left) + kind

    def _costs(self, job: JobView, present: Place | None) -> dict[Place, float]:
        """Return the costs of the configurations of a job."""
        speeds = self._speeds(job, present)
        unit = min((gpus for _, gpus in speeds), default=1) / min(speeds.values(), default=1.0)
        kept = 1.0 if present is None else self._kept(job)
        sign, costs = 1.0 if self._power < 0 else -1.0, dict[Place, float]()
        for place, speed in speeds.items():
            if place == present:
                costs[place] = sign * (speed * unit) ** self._power - TIE
            elif kept > 0:
                costs[place] = sign * (speed * unit * kept) ** self._power
        return costs

    def _speeds(self, job: JobView, present: Place | None) -> dict[Place, float]:
        """Return the speeds of a job in its configurations."""
        if job.starts:
            self._most[job.number] = max(self._most.get(job.number, 0), job.width)
        most, found = self._most.get(job.number, 0), dict[Place, float]()
        able = {
            kind: [gpus for gpus in sorted(job.kinds[kind]) if gpus <= self._room.of(reach)]
            for kind, reach in self._reach[job.number].items()
        }
        rigid = not any(self._regular(kind, gpus) for kind in able for gpus in able[kind])
        for kind, numbers in able.items():
            own = [n for n in numbers if rigid or (kind, n) == present or self._regular(kind, n)]
            wider = min((gpus for gpus in own if gpus > most), default=0)
            for gpus in own:
                if self._options.growth == "free" or gpus <= max(2 * most, wider):
                    found[kind, gpus] = job.kinds[kind][gpus]
        return found

    def _regular(self, kind: int, gpus: int) -> bool:
        """Return True for a power of two inside a server, and for whole servers."""
        largest = self._largest[kind]
        return gpus % largest == 0 or (gpus < largest and not gpus & (gpus - 1))

    def _kept(self, job: JobView) -> float:
        """Return the part of its time that a job has not lost if it restarts now."""
        age, restart = self._setting.now - job.arrival, self._setting.restart
        if age < restart or not age:
            return 1.0
        percents = 100 * max(0.0, age - (job.starts - 1) * restart) // (age + restart)
        return percents / 100


refuses = refuses_groups


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule (deterministic)."""
    policy = Sia(request.options, instance)
    return serve(instance, request.limits, "sia", policy, request.options)
