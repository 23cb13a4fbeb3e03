"""Job lists as CSV: public traces, Ringyard's own format, and the format of Tiresias' simulator.

One reader handles public traces, with the column names of each dialect. In Ringyard's CSV every
field of a job has a column. A trace can also be written as a job list for the public simulator of
Tiresias and its derivatives.
"""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from io import StringIO
from itertools import pairwise
from math import ceil
from typing import Any

from ..errors import InputError, Problem
from ..reading.decode import INVALID, ordinary
from ..reading.encode import decimal_text
from ..reading.vocabulary import entity_fields
from ..trace import LossCurve, TraceInstance, TraceJob, Width
from .lines import LineLayout, table
from .reading import (
    NUMBER,
    PARTS,
    Cells,
    Exact,
    Foreign,
    ForeignJob,
    Reading,
    Record,
    Source,
    span,
)

MARKS = {"muri": "resource_time_0", "chronus": "expect_time_list"}
"""Columns that only this dialect has."""

BEST_EFFORT = "best_effort"
"""A column that is 1 for jobs without a deadline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The column names of a job list, and their meaning."""

    gpus: str
    name: str = "job_id"
    arrival: str = "submit_time"
    duration: str = "duration"
    model: str = "model_name"
    state: str = "state"
    vc: str = "vc"
    instances: str = ""
    """Column with the number of instances, each with the given GPUs, if any."""
    group: str = ""
    """Column of the tenant, if any."""
    start: str = ""
    """Column of the first start, if any, a date."""
    waited: str = ""
    """Column of the time until the first start, if any."""
    due: str = ""
    """Column of the deadline, if any."""
    absolute: bool = False
    """True if deadlines are counted from the same zero as arrivals, not from the arrival."""
    good: str = ""
    """The state of a successful job. Empty if the list has no states."""
    dates: bool = False
    """True if arrivals are dates, not numbers."""
    unit: Exact = 1
    """Unit of the numbers, in seconds."""
    mark: str = ""
    """Its entry of `MARKS`."""
    kind: str = ""
    """Column of the kind of GPUs, if any."""

    @property
    def layout(self) -> LineLayout:
        """The layout of its lines."""
        state = [self.state] if self.good else []
        return LineLayout(
            needed=(self.name, self.arrival, self.gpus, self.duration, *state),
            others=(
                *(self.model, self.vc, self.instances, self.group),
                self.kind,
                *(self.start, self.waited, self.due, BEST_EFFORT if self.due else ""),
            ),
            mark=self.mark,
            strangers={
                column: f"use `ringyard import {name}`"
                for name, column in MARKS.items()
                if column != self.mark
            },
        )

    def read(self, source: Source, reading: Reading) -> Foreign:
        """Read a job list."""
        rows = table(source.text, self.layout.grouped(source.group), reading, source.columns)
        group = source.group or self.group
        return Foreign(jobs=list(reading.each(rows, partial(self._job, group))))

    def _gpus(self, cells: Cells) -> int | None:
        """Return the GPUs of a job, with fractions rounded up."""
        if not self.instances:
            return cells.whole(self.gpus)
        each, instances = cells.number(self.gpus), cells.whole(self.instances)
        if each is None:
            return None
        gpus = each * (1 if instances is None else instances)
        if gpus.denominator > 1:
            cells.reading.remark(PARTS)
        return ceil(gpus)

    def _labels(self, cells: Cells, arrival: Exact | None) -> tuple[Exact | None, Exact | None]:
        """Return the time from the arrival to the deadline, and the wait in the log."""
        due: Exact | None = None
        waited: Exact | None = None
        if self.due and cells.text(BEST_EFFORT) in ("", "0"):
            due = cells.reading.optional(partial(self._due, cells), self.due)
            if self.absolute:
                due = span(arrival, due, self.due, cells.reading)
        if self.start:
            waited = cells.waited(arrival, self.start)
        elif self.waited:
            waited = cells.reading.optional(partial(self._time, cells), self.waited)
        return due or None, waited

    def _time(self, cells: Cells, column: str) -> Exact | None:
        value = cells.number(column)
        return None if value is None else value * self.unit

    def _due(self, cells: Cells, column: str) -> Exact | None:
        """Return the first deadline of a list such as 159-189, in which later ones count less."""
        first, _, _ = cells.text(column).partition("-")
        return self._time(Cells({column: first}, cells.reading), column)

    def _job(self, group: str, record: Record, cells: Cells) -> ForeignJob:
        arrival = cells.moment(self.arrival) if self.dates else self._time(cells, self.arrival)
        due, waited = self._labels(cells, arrival)
        return ForeignJob(
            record=record,
            name=cells.needed(self.name),
            arrival=arrival,
            gpus=self._gpus(cells),
            gpu=cells.name(self.kind) if self.kind else None,
            duration=self._time(cells, self.duration),
            model=cells.name(self.model),
            good=not self.good or cells.text(self.state) == self.good,
            vc=cells.text(self.vc) or None,
            group=cells.group(group) if group else None,
            due=due,
            waited=waited,
        )


HELIOS = Dialect(gpus="gpu_num", good="COMPLETED", dates=True, group="vc", start="start_time")
PAI = Dialect(
    gpus="num_gpu", instances="num_inst", group="user", waited="wait_time", kind="gpu_type"
)
TIRESIAS = Dialect(gpus="num_gpu", due="ddl", absolute=True)
MURI = Dialect(gpus="num_gpu", mark=MARKS["muri"], unit=Fraction(1, 1000))
CHRONUS = Dialect(
    gpus="num_gpu", mark=MARKS["chronus"], vc="user", group="user", due=MARKS["chronus"], unit=60
)

NEEDED = ("job_id", "arrival_s", "gpus", "duration_s")
NUMBERS = ("skew", "communication", "packed_speed")
COLUMNS = (*NEEDED, "model", *NUMBERS, "speeds", "curve")
"""The header. The last two hold lists: 1=0.6;4=1.7;4:k80=0.5 (GPUs, their kind if it is not the
requested one, and speed), epochs;decay;start;floor."""
BEGUN = ("done_s", "held", "held_share", "held_s", "stopped")
LABELS = ("gpu", "predicted_s", "group", "priority", "limit_s", "due_s", "waited_s", *BEGUN)
"""Further columns if a job has them. The GPUs that it has held are s0=4;s1=2, or - if none."""
NUMBERED = (*NUMBERS, "predicted_s", "priority", "done_s", "held_s")
REGIONS = "allowed_regions"
"""A further column if jobs are bound to regions, which holds a list of them: east;west."""


LAYOUT = LineLayout(needed=NEEDED, others=(*COLUMNS[len(NEEDED) :], *LABELS, REGIONS))


def read_csv(source: Source, reading: Reading) -> Foreign:
    """Read a CSV that `job_lines` has written, or another one with the required columns."""
    rows = table(source.text, LAYOUT.grouped(source.group), reading, source.columns)
    return Foreign(jobs=list(reading.each(rows, partial(_job, source.group or "group"))))


def job_lines(instance: TraceInstance) -> str:
    """Return the jobs of an instance as CSV, in their order."""
    bound = any(job.allowed_regions for job in instance.jobs)
    plain = {name: entity_fields(TraceJob)[name].default for name in LABELS}
    labels = [
        name for name in LABELS if any(getattr(job, name) != plain[name] for job in instance.jobs)
    ]
    rows = [
        [
            job.name,
            decimal_text(job.arrival_s),
            job.gpus,
            decimal_text(job.duration_s),
            job.model or "",
            *(_cell(getattr(job, name)) for name in NUMBERS),
            ";".join(map(_speed_cell, job.speeds)),
            _curve_cell(job.curve),
            *(
                pieces_cell(job.held) if name == "held" else _cell(getattr(job, name))
                for name in labels
            ),
            *([list_cell(job.allowed_regions or ())] if bound else []),
        ]
        for job in instance.jobs
    ]
    return csv_text((*COLUMNS, *labels, *[REGIONS] * bound), rows)


def csv_text(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table as CSV with plain line ends."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def _job(group: str, record: Record, cells: Cells) -> ForeignJob:
    optional = cells.reading.optional
    return ForeignJob(
        record=record,
        name=cells.needed("job_id"),
        group=optional(cells.name, group),
        limit=optional(cells.number, "limit_s") or None,
        due=optional(cells.number, "due_s") or None,
        waited=optional(cells.number, "waited_s"),
        arrival=cells.number("arrival_s"),
        gpus=cells.whole("gpus"),
        gpu=cells.name("gpu"),
        duration=cells.number("duration_s"),
        model=cells.name("model"),
        more=_more(cells),
    )


def _more(cells: Cells) -> dict[str, Any]:
    """Return the fields of a job from its non-empty values."""
    shapes = entity_fields(TraceJob)
    values: dict[str, Any] = {name: _number(cells.text(name)) for name in NUMBERED}
    values["speeds"] = [_speed(pair) for pair in cells.text("speeds").split(";") if pair]
    curve = cells.text("curve")
    names = list(entity_fields(LossCurve))
    values["curve"] = dict(zip(names, map(_number, curve.split(";")), strict=False))
    values["held"] = _pieces(cells.text("held"))
    values["held_share"] = cells.text("held_share")
    values["stopped"] = {"yes": True, "no": False}.get(cells.text("stopped"), cells.text("stopped"))
    values[REGIONS] = next(csv.reader([cells.text(REGIONS)], delimiter=";"), [])
    found = {
        name: cells.reading.value(shapes[name].shape, value, name)
        for name, value in values.items()
        if cells.text(name)
    }
    return {name: value for name, value in found.items() if value is not INVALID}


def _speed_cell(width: Width) -> str:
    kind = f":{width.gpu}" if width.gpu else ""
    return f"{width.gpus}{kind}={decimal_text(width.speed)}"


def _speed(text: str) -> dict[str, Any]:
    """Return an entry of `speeds`: 4=1.7, or 4:k80=0.5 on another kind."""
    width, equals, speed = text.partition("=")
    gpus, _, kind = width.partition(":")
    found = {"gpus": _number(gpus)} | ({"gpu": kind} if kind else {})
    return found | ({"speed": _number(speed)} if equals else {})


def _number(text: str) -> Any:
    """Return a number if the text is one. Otherwise return the text, which the decoder refuses."""
    value = Decimal(text) if NUMBER.fullmatch(text) else None
    return text if value is None or not ordinary(value) else value


def _cell(value: Decimal | str | int | None) -> str:
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def pieces_cell(pieces: Iterable[tuple[str, int]] | None) -> str:
    """Return GPUs by server as s0=4;s1=2."""
    if pieces is None:
        return ""
    return list_cell(f"{server}={count}" for server, count in pieces) or "-"


def _pieces(text: str) -> dict[str, Any] | str:
    """Return GPUs by server, or the text, which the decoder refuses."""
    pairs = [part.rpartition("=") for part in next(csv.reader([text], delimiter=";"), [])]
    if text == "-" or not all(equals for _, equals, _ in pairs):
        return {} if text == "-" else text
    return {server: _number(count) for server, _, count in pairs}


def list_cell(names: Iterable[str]) -> str:
    """Return names separated by semicolons, in quotes if one has a semicolon or quotes."""
    out = StringIO()
    csv.writer(out, delimiter=";", lineterminator="").writerow(names)
    return out.getvalue()


def _curve_cell(curve: LossCurve | None) -> str:
    if curve is None:
        return ""
    return ";".join([str(curve.epochs), *map(_cell, (curve.decay, curve.start, curve.floor))])


SIMULATOR_COLUMNS = (
    *("job_id", "num_gpu", "submit_time", "iterations"),
    *("model_name", "duration", "interval"),
)
KNOWN = (
    *("vgg19", "vgg16", "vgg11", "alexnet", "googlenet"),
    *("resnet152", "resnet101", "resnet50", "inception4", "inception3"),
)
"""Models by their names in the simulator's job lists."""


def simulator_lines(instance: TraceInstance) -> str:
    """Return the jobs of an instance in the order of their arrival.

    An iteration takes 1 s. The interval is the time until the next job arrives.
    """
    problems = [
        Problem(f"jobs[{i}].{field}", value, "whole seconds", "choose ticks of whole seconds")
        for i, job in enumerate(instance.jobs)
        for field, value in (("arrival_s", job.arrival_s), ("duration_s", job.duration_s))
        if value % 1
    ]
    if problems:
        raise InputError(instance.name, problems[:200], len(problems[200:]))
    jobs = sorted(instance.jobs, key=lambda job: job.arrival_s)
    gaps = [*(b.arrival_s - a.arrival_s for a, b in pairwise(jobs)), Decimal(0)]
    return csv_text(
        SIMULATOR_COLUMNS, [_cells(job, gap) for job, gap in zip(jobs, gaps, strict=True)]
    )


def _cells(job: TraceJob, gap: Decimal) -> list[str | int]:
    seconds = int(job.duration_s)
    arrival = int(job.arrival_s)
    return [job.name, job.gpus, arrival, seconds, _model(job.model), seconds, int(gap)]


def _model(model: str | None) -> str:
    """Return the simulator's name of a model, or the model's own."""
    plain = re.sub(r"[^a-z0-9]", "", (model or "").lower())
    return next((name for name in KNOWN if plain.startswith(name)), model or "")
