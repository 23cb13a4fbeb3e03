"""Run a scheduler on an instance, with the options that all share, and hand over its schedule."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal

from ...instances import Limits, Outcome, SolutionStatus, TerminationReason, TraceInstance
from ...instances.errors import InputError, Problem, RefusedError
from ...instances.reading.encode import fraction_text
from ...instances.reading.vocabulary import Amount, AsMap, Count, Fraction01, Label
from ...instances.trace.instance import MOST_TICKS
from ...simulation.trace import Ranker, Service, TraceDecider, simulate
from ...simulation.trace.log import to_schedule

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
Skews = Annotated[tuple[tuple[Label, Fraction01], ...], AsMap("models to skews", '{"bert": 0.5}')]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """Options of every scheduler of the family."""

    placement: Annotated[Placement, "where a job is put that starts"] = "pack"
    pack_limit: Annotated[Amount, "skew above which `profile` consolidates a job"] = Decimal("0.3")
    skews: Annotated[Skews, "skews of models, by name, beside those known"] = ()
    kappa: Annotated[Count, "GPUs of the largest job that is small to `sjf-bco`"] = 8
    interval_s: Annotated[
        Amount, "the queue is also served at multiples of this; 0: when something happens only"
    ] = Decimal(0)
    rounds: Annotated[
        Literal["no", "yes"], "whether the queue is served at multiples of interval_s only"
    ] = "no"
    ties: Annotated[
        Literal["number", "stable"],
        "who goes first of equal rank: the first in the file, or whoever stood in front",
    ] = "number"
    idle: Annotated[
        Literal["kept", "offered"],
        "GPUs of which a job of a better rank has no use yet, since it waits for few servers",
    ] = "kept"


def serve(
    instance: TraceInstance,
    limits: Limits,
    name: str,
    policy: Ranker | TraceDecider,
    options: ServiceOptions,
    seed: int = 0,
) -> Outcome:
    """Return the schedule of a policy; none if the time is up before all jobs are done."""
    played = simulate(instance, policy, service_of(instance, options, seed), limits)
    if not played.finished:
        note = "the time was up before all jobs were done"
        return Outcome(
            schedule=None,
            termination=TerminationReason.TIME_LIMIT,
            status=SolutionStatus.NOTHING,
            note=note,
        )
    schedule = to_schedule(instance, played.trace, name)
    note = _rounded(instance, options)
    return Outcome(
        schedule=schedule,
        termination=TerminationReason.DONE,
        status=SolutionStatus.FEASIBLE,
        note=note,
    )


def service_of(instance: TraceInstance, options: ServiceOptions, seed: int = 0) -> Service:
    """Return options in ticks.

    Raises:
        InputError: If they do not go together.
        RefusedError: If they do not go with the instance.
    """
    interval = _interval(instance, options)
    if interval > MOST_TICKS:
        most = f"{MOST_TICKS:.0e} ticks of {instance.tick_s} s"
        raise RefusedError(f"interval_s={options.interval_s} is more than {most}; shorten it")
    if options.rounds == "yes" and not options.interval_s:
        problem = Problem("interval_s", 0, "the length of a round", "give interval_s, too")
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
        seed=seed,
    )


def _interval(instance: TraceInstance, options: ServiceOptions) -> int:
    """Return the interval in ticks; the usual one goes to the nearest number, 1 at least."""
    ticks = Fraction(options.interval_s) / Fraction(instance.tick_s)
    if ticks.denominator > 1 and options.interval_s != type(options)().interval_s:
        tick = f"tick_s ({instance.tick_s})"
        raise RefusedError(f"interval_s={options.interval_s} is no multiple of {tick}; round it")
    return max(1, round(ticks)) if ticks else 0


def _rounded(instance: TraceInstance, options: ServiceOptions) -> str:
    """Say which interval was taken, if another is usual."""
    taken, asked = _interval(instance, options) * Fraction(instance.tick_s), options.interval_s
    if taken == asked:
        return ""
    return f"interval_s is {fraction_text(taken)}, since tick_s does not divide {asked}"
