"""The Philly log of Microsoft: JSON, a list of jobs with their attempts to run."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from ..reading.decode import FAULTY
from ..reading.shape import Shape
from ..reading.vocabulary import Label, Prose
from ..trace.instance import RackServer
from .cells import NOTHING, moment
from .job import ATTEMPTS, Exact, Foreign, ForeignJob, Source
from .jsonlist import items
from .reading import Reading, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class MachinePiece:
    """GPUs that an attempt had on a machine."""

    ip: Annotated[Label, "name of the machine"]
    gpus: Annotated[tuple[Label, ...], "names of its GPUs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhillyAttempt:
    """A stretch of time in which a job ran."""

    start_time: Annotated[Prose | None, "when it began"] = None
    end_time: Annotated[Prose | None, "when it ended"] = None
    detail: Annotated[tuple[MachinePiece, ...], "where it ran"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhillyJob:
    """A job of the log."""

    jobid: Annotated[Label, "its name"]
    submitted_time: Annotated[Prose | None, "when it arrived"] = None
    attempts: Annotated[tuple[PhillyAttempt, ...], "its attempts to run"]
    status: Annotated[Prose, "how it ended"]
    vc: Annotated[Label | None, "its virtual cluster"] = None


SHAPE = Shape("object", noun=PhillyJob)


def read(source: Source, faults: Reading) -> Foreign:
    """Read the log; the machines are those it names, with all the GPUs it names on them."""
    gpus: dict[str, set[str]] = {}
    jobs: list[ForeignJob] = []
    for job, found in faults.each(items(source, "jobid", faults), partial(_job, faults)):
        jobs.append(job)
        for piece in (piece for attempt in found.attempts for piece in attempt.detail):
            gpus.setdefault(piece.ip, set()).update(piece.gpus)
    names = sorted((name for name in gpus if gpus[name]), key=lambda name: (len(name), name))
    return Foreign(
        jobs=jobs,
        servers=tuple(RackServer(name=name, gpus=len(gpus[name])) for name in names),
    )


def _job(faults: Reading, record: Record, value: Any) -> tuple[ForeignJob, PhillyJob] | None:
    """Return a job: GPUs of its first attempt, the times of all its attempts together."""
    job = faults.value(SHAPE, value, "")
    if job is FAULTY:
        return None
    spans = [
        (_moment(a.start_time, f"attempts[{k}].start_time", faults), end)
        for k, a in enumerate(job.attempts)
        for end in [_moment(a.end_time, f"attempts[{k}].end_time", faults)]
    ]
    unusable = ""
    if spans and spans[-1][1] is None:
        unusable = "not ended yet"
    elif any(start is None or end is None for start, end in spans):
        unusable = "an attempt without its start or end"
    for k, (start, end) in enumerate(spans):
        if start is not None and end is not None and end < start:
            advice = "correct it, or remove the job"
            path = f"attempts[{k}].end_time"
            faults.fault(path, job.attempts[k].end_time, "no earlier than its start", advice)
    first = job.attempts[0].detail if job.attempts else ()
    if len(spans) > 1 and not unusable:
        faults.tell(ATTEMPTS)
    made = ForeignJob(
        record=record,
        name=job.jobid,
        arrival=_moment(job.submitted_time, "submitted_time", faults),
        gpus=sum(len(piece.gpus) for piece in first) if job.attempts else None,
        duration=sum(e - s for s, e in spans if s is not None and e is not None),
        good=job.status == "Pass",
        unusable=unusable,
        vc=job.vc,
    )
    return made, job


def _moment(text: str | None, place: str, faults: Reading) -> Exact | None:
    return None if text is None or text in NOTHING else moment(text, place, faults)
