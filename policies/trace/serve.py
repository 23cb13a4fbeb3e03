"""Run a scheduler on an instance, with the options and tools that all schedulers share."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

from ...instances import Limits, Outcome, TerminationReason, TraceInstance
from ...instances.errors import InputError, Problem, RefusedError
from ...instances.reading.encode import fraction_text
from ...instances.reading.vocabulary import Amount, AsMap, Count, Fraction01, Label, NonEmpty
from ...instances.trace import MOST_TICKS
from ...simulation.trace.policy_run import Service, unserved
from ...simulation.trace.records import to_schedule
from ...simulation.trace.simulate import simulate
from ...simulation.trace.views import JobView, Ranker, TraceDecider, TraceSetting
from ..request import Request, Scheduler, outcome_of

Placement = Literal[
    "pack",
    "consolidate",
    "spread",
    "least-fragmentation",
    "profile",
    "contention",
    "sjf-bco",
    "first-fit",
]
Skews = Annotated[
    tuple[tuple[Label, Fraction01], ...], AsMap("models to skews", '{"bert": 0.5}'), NonEmpty()
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """Options of every scheduler of the family."""

    placement: Annotated[Placement, "placement of a starting job"] = "pack"
    pack_limit: Annotated[Amount, "skew above which `profile` consolidates a job"] = Decimal("0.3")
    skews: Annotated[Skews, "skews of further models, by name"] = ()
    kappa: Annotated[Count, "most GPUs of a small job in `sjf-bco`"] = 8
    interval_s: Annotated[
        Amount, "the queue is served at events and at multiples of this, or with 0 at events only"
    ] = Decimal(0)
    rounds: Annotated[
        Literal["no", "yes"], "whether the queue is served at multiples of interval_s only"
    ] = "no"
    ties: Annotated[
        Literal["number", "stable"],
        "order of equal ranks: as in the file, or as in the queue",
    ] = "number"
    idle: Annotated[
        Literal["kept", "offered"],
        "idle GPUs that a job of a better rank cannot use yet because it waits for few servers",
    ] = "kept"


def refuses_groups_and_kinds(instance: TraceInstance, _: object = None) -> str | None:
    """Return why a policy cannot serve an instance if it ignores `most` and kinds of GPUs."""
    return unserved(instance)


def refuses_groups(instance: TraceInstance, _: object = None) -> str | None:
    """Return why a policy cannot serve an instance if it ignores the `most` of groups."""
    return unserved(instance, knows_kinds=True)


def serve(
    instance: TraceInstance,
    limits: Limits,
    name: str,
    policy: Ranker | TraceDecider,
    options: ServiceOptions,
    remark: str = "",
) -> Outcome:
    """Return the schedule of a policy, or no schedule if the time is up before all jobs end.

    The note of the outcome has the `remark`.
    """
    played = simulate(instance, policy, service_of(instance, options), limits)
    if not played.finished:
        note = "the time limit was reached before all jobs were done"
        return outcome_of(None, TerminationReason.TIME_LIMIT, note)
    schedule = to_schedule(instance, played.trace, name)
    return outcome_of(schedule, note="; ".join(filter(None, (_rounded(instance, options), remark))))


def scheduler(
    name: str,
    make: Callable[[Any], Ranker | TraceDecider],
    options: type[ServiceOptions] = ServiceOptions,
    remark: Callable[[TraceInstance, Any], str] = lambda *_: "",
) -> Scheduler:
    """Return the method that serves by the policy made of its options (deterministic).

    `remark` returns a note for an instance and options.
    """

    def run(instance: TraceInstance, request: Request[ServiceOptions]) -> Outcome:
        own, text = request.options, remark(instance, request.options)
        return serve(instance, request.limits, name, make(own), own, text)

    return Scheduler(run=run, Options=options)


def service_of(instance: TraceInstance, options: ServiceOptions) -> Service:
    """Return options in ticks.

    Raises:
        InputError: If they do not go together.
        RefusedError: If they do not go with the instance.
    """
    interval = _interval(instance, options)
    if interval > MOST_TICKS:
        most = f"{MOST_TICKS:.0e} ticks of {instance.tick_s} s"
        raise RefusedError(f"interval_s={options.interval_s} is more than {most}. Shorten it.")
    if options.rounds == "yes" and not options.interval_s:
        problem = Problem("interval_s", 0, "the length of a round", "give interval_s as well")
        raise InputError("options", [problem])
    return Service(
        placement=options.placement,
        pack_limit=float(options.pack_limit),
        skews={model.lower(): float(skew) for model, skew in options.skews},
        kappa=options.kappa,
        interval=interval,
        events=options.rounds == "no",
        stable=options.ties == "stable",
        offers=options.idle == "offered",
    )


def _interval(instance: TraceInstance, options: ServiceOptions) -> int:
    """Return the interval in ticks. The default is rounded to the nearest number, at least 1."""
    ticks = Fraction(options.interval_s) / Fraction(instance.tick_s)
    if ticks.denominator > 1 and options.interval_s != type(options)().interval_s:
        tick = f"tick_s ({instance.tick_s})"
        raise RefusedError(
            f"interval_s={options.interval_s} is not a multiple of {tick}. Round it."
        )
    return max(1, round(ticks)) if ticks else 0


def _rounded(instance: TraceInstance, options: ServiceOptions) -> str:
    """Return a note on the interval if it differs from the requested one."""
    taken, asked = _interval(instance, options) * Fraction(instance.tick_s), options.interval_s
    if taken == asked:
        return ""
    return f"interval_s is {fraction_text(taken)} because tick_s does not divide {asked}"


@dataclass(frozen=True, slots=True)
class ClusterRoom:
    """The GPUs left in the cluster, and in every other set of servers that jobs may use.

    Jobs are distinguished by the number of their set. If sets overlap, a job that fits by these
    counts may still find its servers taken.
    """

    left: list[int]
    around: Sequence[Sequence[int]] = ((0,),)
    """The sets that a set is a part of, itself among them."""

    def of(self, reach: int) -> int:
        """Return the GPUs that a job may still have."""
        if reach == 0:
            return self.left[0]
        return min([self.left[k] for k in self.around[reach]])

    def admit(self, reach: int, gpus: int) -> bool:
        """Give GPUs to a job if enough are left, and return True if they are."""
        if gpus > self.of(reach):
            return False
        self.take(reach, gpus)
        return True

    def take(self, reach: int, gpus: int) -> None:
        """Give GPUs to a job, or with a number below 0 take them back."""
        for k in self.around[reach]:
            self.left[k] -= gpus

    def copy(self) -> "ClusterRoom":
        """Return another one with as much left."""
        return ClusterRoom(list(self.left), self.around)


def room_of(setting: TraceSetting) -> ClusterRoom:
    """Return the room of the whole cluster."""
    return ClusterRoom(
        [sum(setting.servers[s].gpus for s in own) for own in setting.sets],
        [[k for k, other in enumerate(setting.sets) if own <= other] for own in setting.sets],
    )


class WorkCounter:
    """Adds up the work of jobs, and remembers the ended ones.

    Work is counted in ticks at the speed inside one server. The cost of spreading is unknown.
    """

    def __init__(self) -> None:
        """Begin with no job."""
        self._done: dict[int, float] = {}
        self._counted: dict[int, int] = {}
        self._speeds: dict[int, dict[int, float]] = {}
        """The speeds of each job when it was counted: a phase ends when jobs are looked at."""
        self._ended, self._total = 0, 0.0
        """The number of ended jobs, and their work."""

    def look(self, jobs: Iterable[JobView], ended: Iterable[int]) -> None:
        """Count the work since the last time: of all jobs, or of new jobs and those that ran."""
        for number in sorted(ended):
            self._total += self._done.pop(number)
            self._ended += 1
            del self._counted[number], self._speeds[number]
        for job in jobs:
            number, executed = job.number, job.executed
            before = self._counted.get(number, 0)
            if executed != before or number not in self._done:
                speeds = self._speeds.get(number, job.speeds)
                more = (executed - before) * speeds[job.width]
                self._done[number] = self._done.get(number, 0.0) + more
                self._counted[number] = executed
            self._speeds[number] = job.speeds

    def of(self, job: JobView) -> float:
        """Return the work of a job."""
        return self._done[job.number]

    @property
    def usual(self) -> float:
        """The mean work of ended jobs, or 1 before the first end."""
        return self._total / self._ended if self._total else 1.0
