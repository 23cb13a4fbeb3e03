"""The output of Slurm's `sacct --parsable2`: lines of jobs, of their attempts, and of their steps.

Also the number of GPUs in Slurm's list of resources, including slices of GPUs, and a trace as
such a log.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import ceil
from typing import NamedTuple

from ..errors import InputError, Problem, Words, shown
from ..trace import TraceInstance
from .failures import AttemptSpan, failures_of
from .lines import LineLayout, table
from .nodes import node_names
from .reading import ATTEMPTS, PARTS, Cells, Exact, Foreign, ForeignJob, Reading, Record, Source

PART = re.compile(r"gres/(gpu|shard)(?::([^=]*))?=(.*)")
COUNT = re.compile(r"\d{1,9}", re.ASCII)
PROFILE = re.compile(r"(?:^|[_.])([1-7])g\.(\d{1,3})gb(?![a-z0-9])", re.ASCII)
"""NVIDIA's name of a GPU slice: its share of the computing, and its memory."""
QUARTERS = ((1, 6), (2, 12), (4, 24))
"""Slices of an A30, which is cut into 4. Other GPUs are cut into 7."""


def gpus_of(cells: Cells, slice: Fraction | None) -> int | None:
    """Return the GPUs of a list such as cpu=8,gres/gpu=2,gres/gpu:a100=2,node=1.

    Slices have the value `slice`, or by default their fraction of a GPU. Their sum is rounded up.
    """
    column = "AllocTRES" if cells.text("AllocTRES") else "ReqTRES"
    if not cells.text(column):
        return None
    total: int | None = None
    whole, slices, parts = 0, 0, Fraction(0)
    for what, kind, number in _counts(cells, column):
        share = slice if what == "shard" else _share(kind, slice)
        if what == "gpu" and not kind:
            total = number if total is None else total
        elif what == "gpu" and share is None:
            whole += number
        elif share is None:
            expected = "GPUs. Give with --slice the fraction of a GPU that a shard is"
            cells.reject(column, expected, "add for example --slice 1/4")
        else:
            slices, parts = slices + number * (what == "gpu"), parts + number * share
            each = "a GPU" if share == 1 else f"{share} of a GPU"
            name = shown(kind or what, 40)
            cells.reading.remark(f"slices {name}, each with value {each} (--slice)", number)
    if parts.denominator > 1:
        cells.reading.remark(PARTS)
    return ceil(parts + (whole if total is None else max(0, total - slices)))


def kind_of(cells: Cells) -> str | None:
    """Return the type of the whole GPUs in a list of resources, if they have one."""
    text = cells.text("AllocTRES") or cells.text("ReqTRES")
    found = [PART.fullmatch(part.strip()) for part in text.split(",")]
    kinds = {part[2] for part in found if part and part[1] == "gpu" and part[2]}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return None if not kind or PROFILE.search(kind) else kind


def _counts(cells: Cells, column: str) -> Iterator[tuple[str, str, int]]:
    """Yield gpu or shard, the type if known, and the number. Shards only if there is no other."""
    found = [PART.fullmatch(part.strip()) for part in cells.text(column).split(",")]
    gpus = any(part and part[1] == "gpu" for part in found)
    for part in found:
        if part is None or (gpus and part[1] == "shard"):
            continue
        if COUNT.fullmatch(part[3]):
            yield part[1], part[2] or "", int(part[3])
        else:
            cells.reject(column, "whole numbers of GPUs", "correct it, or remove the line", part[0])


def _share(kind: str, slice: Fraction | None) -> Fraction | None:
    """Return the fraction of a GPU of a type, or None if it is not a slice."""
    found = PROFILE.search(kind)
    if found is None:
        return None
    cut = 4 if (int(found[1]), int(found[2])) in QUARTERS else 7
    return Fraction(int(found[1]), cut) if slice is None else slice


FREE = ("JobName", "Comment", "AdminComment", "SystemComment", "SubmitLine", "WorkDir", "Extra")
"""Columns of free text, which may contain bars, the likeliest first."""
RESOURCES = r"(?:[^=,|]+=[^=,|]*,?)*"
LOOKS = {
    "JobID": r"\d[^|]*",
    "Submit": r"(?:\d[-\d:T.+Z ]*|Unknown|None|)",
    "Elapsed": r"(?:[-\d:.]*|INVALID)",
    "State": r"(?:[A-Z_]+(?: by \w+)?|)",
    "AllocTRES": RESOURCES,
    "ReqTRES": RESOURCES,
}
"""Patterns of columns, which identify them if a line has surplus bars."""


def rejoined(cells: list[str], header: list[str], reading: Reading) -> list[str]:
    """Merge surplus values into the free-text column with which all other values match."""
    more = len(cells) - len(header)
    places = [header.index(name) for name in FREE if name in header]
    for i in () if reading.strict else places:
        end = i + more + 1
        tried = [*cells[:i], "|".join(cells[i:end]), *cells[end:]]
        found = dict(zip(header, tried, strict=True))
        if all(re.fullmatch(look, found.get(name, "")) for name, look in LOOKS.items()):
            reading.remark(f"lines with bars in {header[i]}")
            return tried
    return cells


OPEN = ("RUNNING", "PENDING", "SUSPENDED", "COMPLETING", "CONFIGURING", "STOPPED", "SIGNALING")
"""States of an attempt that has not ended, or not begun."""
AGAIN = ("REQUEUED", "RESIZING", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT")
"""States of an ended attempt of a job that has not ended."""
SPAN = re.compile(r"(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)(?:\.(\d+))?", re.ASCII)
LAYOUT = LineLayout(
    needed=("JobID", "Submit", "Elapsed", "State", "AllocTRES"),
    others=("ReqTRES", "Partition", "Account", "QOS", "Start", "Timelimit", "NodeList"),
    delimiter="|",
    mend=rejoined,
)
TWICE = Problem("", Words("an earlier line"), "no duplicate line", "remove one")


class SacctAttempt(NamedTuple):
    """An attempt to run a job: its final state, its nodes, and the job if it were the only one."""

    state: str
    job: ForeignJob
    nodes: frozenset[str]

    @property
    def span(self) -> AttemptSpan | None:
        """Its time and its nodes, if it ran on GPUs."""
        job = self.job
        if not (job.gpus and job.duration and job.arrival is not None):
            return None
        start = job.arrival + (job.waited or 0)
        return AttemptSpan(start, start + job.duration, self.nodes, self.state == "NODE_FAIL")


def read(source: Source, reading: Reading) -> Foreign:
    """Read the lines of jobs. Lines of steps, whose names have a dot, are unused."""
    rows = table(source.text, LAYOUT.grouped(source.group), reading, source.columns)
    attempts: dict[str, list[SacctAttempt]] = {}
    classes: set[str] = set()
    for one in reading.each(rows, partial(_attempt, source, set(), classes)):
        name = one.job.record.place if "." in one.job.name else one.job.name
        attempts.setdefault(name, []).append(one)
    reading.names("--qos", source.qos, classes, "QOS", "add the column QOS to the log")
    ends: Counter[str] = Counter()
    jobs: list[ForeignJob] = []
    for name, own in attempts.items():
        for i, run in enumerate(_runs(own)):
            jobs.append(_joined(run, f"{name[:90]}#{i + 1}" if i else run[0].job.name, reading))
            ends.update(one.state for one in run[:-1])
    if ends:
        counted = ", ".join(f"{count:,} {shown(state, 20)}" for state, count in ends.most_common(9))
        reading.notes.append(f"states of attempts before the last of a job: {counted}")
    spans = [one.span for own in attempts.values() for one in own]
    failures = failures_of([one for one in spans if one is not None])
    if failures is not None:
        reading.notes.append(failures.text)
    return Foreign(jobs=jobs, failures=failures)


def _attempt(
    source: Source, seen: set[str], classes: set[str], record: Record, cells: Cells
) -> SacctAttempt:
    """Return a line as if it were the only attempt of its job, and collect its QOS."""
    name = cells.needed("JobID")
    step = "." in name
    if not step and record.text in seen:
        cells.reading.note(TWICE)
    seen.add(record.text)
    state = cells.text("State").partition(" ")[0]
    over = not step and state not in OPEN
    arrival = None if step else cells.moment("Submit")
    if quality := cells.text("QOS"):
        classes.add(quality)
    priority = source.qos.get(quality, 0)
    job = ForeignJob(
        record=record,
        name=name,
        arrival=arrival,
        gpus=None if step else gpus_of(cells, source.slice),
        gpu=None if step else kind_of(cells),
        duration=span_of(cells, "Elapsed") if over else None,
        good=state == "COMPLETED",
        unusable="job step" if step else "" if over and state not in AGAIN else "not ended yet",
        vc=cells.text("Partition") or None,
        group=None if step else cells.group(source.group or "Account"),
        limit=None if step else limit_of(cells),
        waited=cells.waited(arrival, "Start"),
        more={"priority": priority} if priority else {},
    )
    nodes = () if step else cells.reading.optional(partial(_nodes, cells), "NodeList") or ()
    return SacctAttempt(state, job, frozenset(nodes))


def _nodes(cells: Cells, column: str) -> tuple[str, ...]:
    """Return the nodes of an attempt, none if it never had one."""
    return () if cells.text(column) == "None assigned" else tuple(node_names(cells, column))


def _runs(attempts: list[SacctAttempt]) -> list[list[SacctAttempt]]:
    """Return the attempts of each job under one number, which Slurm may reuse."""
    if all(one.job.arrival is not None for one in attempts):
        attempts = sorted(attempts, key=lambda one: (one.job.arrival or 0, one.job.good))
    runs: list[list[SacctAttempt]] = []
    for one in attempts:
        if runs and runs[-1][-1].state != "COMPLETED":
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _joined(run: list[SacctAttempt], name: str, reading: Reading) -> ForeignJob:
    """Return the job of these attempts: GPUs of the first attempt with any, total work of all."""
    jobs = [one.job for one in run]
    last = jobs[-1]
    if name != last.name:
        reading.remark("jobs with the number of a completed one, named NUMBER#2 and so on")
    if len(run) == 1:
        return replace(last, name=name)
    gpus = next((job.gpus for job in jobs if job.gpus and job.duration), last.gpus)
    if any(job.gpus != gpus for job in jobs if job.gpus and job.duration):
        reading.remark("jobs with attempts on other numbers of GPUs, whose GPU-seconds are kept")
    work = sum((job.duration or 0) * (job.gpus or gpus or 1) for job in jobs)
    duration = Fraction(work) / (gpus or 1)
    if not last.unusable:
        reading.remark(ATTEMPTS)
    return replace(
        last,
        record=jobs[0].record,
        records=len(jobs),
        name=name,
        arrival=next((job.arrival for job in jobs if job.arrival is not None), None),
        limit=next((job.limit for job in jobs if job.limit), None),
        waited=next((job.waited for job in jobs if job.waited is not None), None),
        gpus=gpus,
        duration=duration.numerator if duration.denominator == 1 else duration,
    )


def limit_of(cells: Cells, column: str = "Timelimit") -> Exact | None:
    """Return the time limit in seconds, or None for none."""
    if cells.text(column) in ("UNLIMITED", "Partition_Limit", "NOT_SET"):
        return None
    return cells.reading.optional(partial(span_of, cells), column) or None


def span_of(cells: Cells, column: str) -> Exact | None:
    """Return the seconds of [days-][hours:]minutes:seconds."""
    text = cells.text(column)
    parts = SPAN.fullmatch(text) if len(text) <= 30 else None
    if parts is None:
        if text:
            cells.reject(column, "a time such as 1-02:30:00", "correct it, or leave it empty")
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in parts.groups()[:4])
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return whole + Fraction(f"0.{parts[5]}") if parts[5] else whole


BEGIN = datetime(2024, 3, 1, tzinfo=UTC)
"""The time 0 of a trace that is written as a log."""


def sacct_lines(
    instance: TraceInstance, times: Mapping[str, tuple[Decimal | None, Decimal]]
) -> str:
    """Return the jobs of an instance as a log, in their order: wait and run in seconds by name.

    A job has its priority by its QOS, as in priority2. Models, speeds and communication are lost.
    """
    problems = [
        Problem(f"jobs[{i}].{field}", value, "whole seconds", "choose ticks of whole seconds")
        for i, job in enumerate(instance.jobs)
        for field in ("arrival_s", "duration_s", "limit_s")
        if (value := getattr(job, field)) is not None and value % 1
    ]
    problems += [
        Problem(f"jobs[{i}].{field}", value, f"a name without {marks}", "rename it")
        for i, job in enumerate(instance.jobs)
        for field, value, marks in (("name", job.name, ". or |"), ("group", job.group or "", "|"))
        if set(value) & set(marks.split(" or "))
    ]
    if problems:
        raise InputError(instance.name, problems[:200], len(problems[200:]))
    lines = ["JobID|Submit|Start|Elapsed|Timelimit|State|AllocTRES|Account|QOS"]
    for job in instance.jobs:
        wait, run = times[job.name]
        cells = (
            job.name,
            _date(job.arrival_s),
            "Unknown" if wait is None else _date(job.arrival_s + wait),
            _long(run),
            "" if job.limit_s is None else _long(job.limit_s),
            "COMPLETED",
            f"gres/gpu{f':{job.gpu}' if job.gpu else ''}={job.gpus}",
            job.group or "",
            f"priority{job.priority}" if job.priority else "normal",
        )
        lines.append("|".join(cells))
    return "\n".join(lines) + "\n"


def _date(seconds: Decimal) -> str:
    return (BEGIN + timedelta(seconds=int(seconds))).strftime("%Y-%m-%dT%H:%M:%S")


def _long(seconds: Decimal) -> str:
    """Return a time as [days-]hours:minutes:seconds."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{f'{days}-' if days else ''}{hours:02}:{minutes:02}:{rest:02}"
