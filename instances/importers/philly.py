"""The Philly log of Microsoft: JSON, a list of jobs with their attempts to run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import Annotated, Any

from ..errors import InputError, Problem, Words
from ..reading.decode import INVALID, PlainJSON, parse_json
from ..reading.vocabulary import Label, Prose, Shape
from ..trace import RackServer
from .reading import (
    ATTEMPTS,
    NOTHING,
    Exact,
    Foreign,
    ForeignJob,
    Reading,
    Record,
    Source,
    moment,
    span,
)

JSON = PlainJSON()
BETWEEN = re.compile(r"[\s,\[\]]*")
BEHIND = re.compile(r"\s*([,\[\]{]|\Z)")
START = re.compile(r"\{")
BROKEN = Problem("", Words("broken JSON"), "a complete object", "correct or remove it")


def items(source: Source, key: str, reading: Reading) -> Iterator[tuple[Record, Any]]:
    """Yield the elements of a list. After a broken one, resume at the next object with this key.

    The text between two readable elements is counted as the number of its occurrences of this key.
    """
    text = source.text
    if reading.strict or text.lstrip()[:1] != "[":
        try:
            value = parse_json(text, source.name)
        except InputError:
            if reading.strict or f'"{key}"' not in text:
                raise
        else:
            if not isinstance(value, list):
                reading.reject("file", value, "a list of jobs", "put the jobs in [ ]")
                return
    line, counted, number = 1, 0, 0
    at = _next(text, 0)
    while at < len(text):
        line, counted = line + text.count("\n", counted, at), at
        found = _element(text, at, key)
        end = found[1] if found else _with_key(text, at + 1, key)
        record = Record(f"line {line} ([{number}])", text[at:end])
        count = 1 if found else max(1, text.count(f'"{key}"', at, end))
        yield from repeat((record, found[0] if found else BROKEN), count)
        at, number = _next(text, end), number + count


def _next(text: str, at: int) -> int:
    """Return the position of the next element."""
    found = BETWEEN.match(text, at)
    return found.end() if found else at


def _element(text: str, at: int, key: str) -> tuple[Any, int] | None:
    """Return the value at a position and its end, unless it is a fragment of another value."""
    try:
        value, end = JSON.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return (value, end) if _has(value, key) or BEHIND.match(text, end) else None


def _with_key(text: str, at: int, key: str) -> int:
    """Return the position of the next complete object with a key, or the end."""
    for start in START.finditer(text, at):
        found = _element(text, start.start(), key)
        if found and _has(found[0], key):
            return start.start()
    return len(text)


def _has(value: Any, key: str) -> bool:
    return isinstance(value, dict) and key in value


@dataclass(frozen=True, slots=True, kw_only=True)
class MachinePiece:
    """GPUs of an attempt on a machine."""

    ip: Annotated[Label, "name of the machine"]
    gpus: Annotated[tuple[Label, ...], "names of its GPUs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhillyAttempt:
    """A period in which a job ran."""

    start_time: Annotated[Prose | None, "its start"] = None
    end_time: Annotated[Prose | None, "its end"] = None
    detail: Annotated[tuple[MachinePiece, ...], "its machines and GPUs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhillyJob:
    """A job of the log."""

    jobid: Annotated[Label, "its name"]
    submitted_time: Annotated[Prose | None, "its arrival"] = None
    attempts: Annotated[tuple[PhillyAttempt, ...], "its attempts to run"]
    status: Annotated[Prose, "its final state"]
    vc: Annotated[Label | None, "its virtual cluster"] = None


SHAPE = Shape("object", entity=PhillyJob)


def read(source: Source, reading: Reading) -> Foreign:
    """Read the log. The cluster has the machines and GPUs that it names."""
    gpus: dict[str, set[str]] = {}
    jobs: list[ForeignJob] = []
    for job, found in reading.each(items(source, "jobid", reading), partial(_job, reading)):
        jobs.append(job)
        for piece in (piece for attempt in found.attempts for piece in attempt.detail):
            gpus.setdefault(piece.ip, set()).update(piece.gpus)
    names = sorted((name for name in gpus if gpus[name]), key=lambda name: (len(name), name))
    return Foreign(
        jobs=jobs,
        servers=tuple(RackServer(name=name, gpus=len(gpus[name])) for name in names),
    )


def _job(reading: Reading, record: Record, value: Any) -> tuple[ForeignJob, PhillyJob] | None:
    """Return a job: GPUs of its first attempt, total time of all its attempts."""
    job = reading.value(SHAPE, value, "")
    if job is INVALID:
        return None
    spans = [
        (_moment(a.start_time, f"attempts[{k}].start_time", reading), end)
        for k, a in enumerate(job.attempts)
        for end in [_moment(a.end_time, f"attempts[{k}].end_time", reading)]
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
            reading.reject(path, job.attempts[k].end_time, "no earlier than its start", advice)
    first = job.attempts[0].detail if job.attempts else ()
    if len(spans) > 1 and not unusable:
        reading.remark(ATTEMPTS)
    arrival = _moment(job.submitted_time, "submitted_time", reading)
    made = ForeignJob(
        record=record,
        name=job.jobid,
        arrival=arrival,
        gpus=sum(len(piece.gpus) for piece in first) if job.attempts else None,
        duration=sum(e - s for s, e in spans if s is not None and e is not None),
        good=job.status == "Pass",
        unusable=unusable,
        vc=job.vc,
        group=job.vc,
        waited=span(arrival, spans[0][0], "start_time", reading) if spans else None,
    )
    return made, job


def _moment(text: str | None, place: str, reading: Reading) -> Exact | None:
    return None if text is None or text in NOTHING else moment(text, place, reading)
