"""Jobs of traces: what they request, and how fast they are.

Their work is in millionths of a tick's work at speed 1. A job with a type goes through the phases
of this type, each with its part of the work and its own speeds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal, NamedTuple

from ..reading.vocabulary import (
    Amount,
    AsMap,
    Count,
    Fraction01,
    Label,
    Later,
    NonEmpty,
    Positive,
    Rank,
)
from ..regions import Regions
from .problems import WORK


@dataclass(frozen=True, slots=True, kw_only=True)
class Width:
    """Speed of a job on another number or kind of GPUs."""

    gpus: Annotated[Count, "number of GPUs"]
    speed: Annotated[Positive, "its speed, 1 on the requested GPUs if the job has no type"]
    gpu: Annotated[
        Label | None, Later(), "kind of these GPUs, or null for the kind that the job requests"
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A part of the work of a job, with its own speeds."""

    share: Annotated[Positive, "its share of the work of the job, 1 for all phases together"]
    speeds: Annotated[
        tuple[Width, ...], "its speeds in this phase: 1 on the requested GPUs if they are not here"
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceType:
    """A type of jobs that go through phases, such as the epochs of a training run."""

    name: Annotated[Label, "unique name"]
    phases: Annotated[tuple[Phase, ...], NonEmpty(), "its phases, one after the other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LossCurve:
    """The loss after each epoch, ``1 / (decay * epoch + start) + floor``, to which noise is added.

    The job ends after the last of its epochs, which all have the same work.
    """

    epochs: Annotated[Count, "epochs until it has converged"]
    decay: Annotated[Positive, "how fast the loss falls"] = Decimal(1)
    start: Annotated[Positive, "1 divided by the total fall of the loss"] = Decimal(1)
    floor: Annotated[Amount, "the limit of the loss"] = Decimal(0)


HeldPieces = Annotated[
    tuple[tuple[Label, Count], ...], AsMap("server names to numbers of GPUs", '{"s0": 2}')
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceJob:
    """A preemptible training job that runs on all its GPUs at once or not at all."""

    name: Annotated[Label, "unique name"]
    arrival_s: Annotated[Amount, "arrival, a multiple of tick_s"] = Decimal(0)
    gpus: Annotated[Count, "GPUs that it requests (W_J)"]
    gpu: Annotated[
        Label | None,
        Later(),
        "kind of GPUs that it requests, for which its duration holds, or null for any kind",
    ] = None
    duration_s: Annotated[Positive, "duration at full speed, a multiple of tick_s"]
    predicted_s: Annotated[
        Positive | None,
        Later(),
        "the duration that is predicted at its arrival, a multiple of tick_s, or null for "
        "duration_s",
    ] = None
    model: Annotated[Label | None, "model that it trains, such as VGG16"] = None
    skew: Annotated[
        Fraction01 | None,
        "size of the largest tensor as a share of the model (S_J), or null for the known "
        "size of its model",
    ] = None
    communication: Annotated[
        Amount,
        "time of its exchange between servers, alone on its links, divided by its other time",
    ] = Decimal(0)
    packed_speed: Annotated[
        Fraction01 | None,
        "speed if each worker has half a GPU, or null if workers need whole GPUs",
    ] = None
    speeds: Annotated[tuple[Width, ...], "other numbers and kinds of GPUs on which it may run"] = ()
    type: Annotated[
        Label | None, Later(), "its type, whose phases have its speeds, or null if it has one phase"
    ] = None
    curve: Annotated[LossCurve | None, "how its loss falls, for policies that use it"] = None
    allowed_regions: Annotated[
        Regions | None, Later(), "regions in which it may run, or null for all"
    ] = None
    group: Annotated[
        Label | None, Later(), "the tenant, account or team that it belongs to, if known"
    ] = None
    priority: Annotated[Rank, Later(), "its priority: a larger number goes first"] = 0
    limit_s: Annotated[
        Positive | None,
        Later(),
        "the longest run that its user expects, a multiple of tick_s, or null if unknown",
    ] = None
    due_s: Annotated[
        Positive | None,
        Later(),
        "when it should be done, after its arrival, a multiple of tick_s, or null for no deadline",
    ] = None
    waited_s: Annotated[
        Amount | None,
        Later(),
        "its wait from arrival to first start in the log, a multiple of tick_s, or null if unknown",
    ] = None
    done_s: Annotated[
        Amount, Later(), "its work before time 0 at full speed, a multiple of tick_s / 1e6"
    ] = Decimal(0)
    held: Annotated[
        HeldPieces | None,
        Later(),
        "GPUs of its last run before time 0, `{}` if they are gone, or null if it had no run",
    ] = None
    held_share: Annotated[
        Literal["whole", "half"], Later(), "share of these GPUs that each worker took"
    ] = "whole"
    held_s: Annotated[
        Amount,
        Later(),
        "what is left of the restart of that run at time 0, a multiple of tick_s",
    ] = Decimal(0)
    unsaved_s: Annotated[
        Amount,
        Later(),
        "time that this run has worked since its last checkpoint, a multiple of tick_s",
    ] = Decimal(0)
    unsaved_done_s: Annotated[
        Amount,
        Later(),
        "part of `done_s` that it did in this time, lost if an outage stops it then",
    ] = Decimal(0)
    stopped: Annotated[
        bool, Later(), "true if that run was stopped, false if it holds its GPUs at time 0"
    ] = False

    @property
    def begun(self) -> bool:
        """True if it had a run before time 0."""
        return self.held is not None or self.done_s > 0


def speed_on(job: TraceJob, width: int, gpu: str | None) -> Decimal | None:
    """Return the speed of a job on a number of GPUs of a kind, or None if it may not run there.

    An entry of `speeds` for this kind counts first. One without a kind is for the requested kind,
    or for all kinds if the job requests none. A job with a type has no speeds but in a phase.
    """
    own = job.gpu is None or gpu == job.gpu
    speed = Decimal(1) if own and width == job.gpus else None
    for entry in job.speeds:
        if entry.gpus == width:
            if entry.gpu is not None and entry.gpu == gpu:
                return entry.speed
            if entry.gpu is None and own:
                speed = entry.speed
    return speed


def work_left(job: TraceJob, tick_s: Decimal) -> int:
    """Return the work of a job from time 0 on, in millionths of a tick's work at full speed."""
    if tick_s == 1 and not job.done_s:
        return WORK * int(job.duration_s)
    left = Fraction(job.duration_s) - Fraction(job.done_s)
    return int(WORK * left / Fraction(tick_s))


class JobPhase(NamedTuple):
    """A phase of a job."""

    job: TraceJob
    """The job with the speeds of this phase, and without a type."""
    left: int
    """The work of the job that is left when the phase ends."""


def named_types(instance: Any) -> dict[str, TraceType]:
    """Return the types of an instance by name."""
    return {one.name: one for one in instance.types}


def in_first_phase(types: Mapping[str, TraceType], job: TraceJob) -> TraceJob:
    """Return a job with the speeds of the first phase of its type, if it has one.

    It may run on the same GPUs in every phase.
    """
    if job.type is None:
        return job
    return replace(job, type=None, speeds=types[job.type].phases[0].speeds)


def phases_of(types: Mapping[str, TraceType], job: TraceJob, tick_s: Decimal) -> list[JobPhase]:
    """Return the phases that a job has from time 0 on. A job without a type has one.

    A phase ends when the job has done all its work but `left`, rounded up. A phase without work
    is left out.
    """
    if job.type is None:
        return [JobPhase(job, 0)]
    whole = int(WORK * Fraction(job.duration_s) / Fraction(tick_s))
    before, share, found = work_left(job, tick_s), Fraction(0), list[JobPhase]()
    for phase in types[job.type].phases:
        share += Fraction(phase.share)
        left = whole - int(whole * share)
        if left < before:
            found.append(JobPhase(replace(job, type=None, speeds=phase.speeds), left))
            before = left
    return found
