"""Ringyard's own CSV of jobs: every field of a job has its column."""

import csv
from collections.abc import Iterable
from decimal import Decimal
from io import StringIO
from typing import Any

from ..reading.decode import FAULTY
from ..reading.encode import decimal_text
from ..reading.parse import ordinary
from ..reading.shape import noun_fields
from ..trace.instance import LossCurve, TraceInstance, TraceJob
from .cells import NUMBER, Cells, Foreign, ForeignJob, Source
from .lines import LineLayout, table
from .reading import Reading, Record

NEEDED = ("job_id", "arrival_s", "gpus", "duration_s")
NUMBERS = ("skew", "communication", "packed_speed")
COLUMNS = (*NEEDED, "model", *NUMBERS, "speeds", "curve")
"""The header; the last two hold lists: 1=0.6;4=1.7 (GPUs and speed), epochs;decay;start;floor."""
REGIONS = "allowed_regions"
"""A further column where jobs are bound to regions; it holds a list of them: east;west."""


LAYOUT = LineLayout(needed=NEEDED, others=(*COLUMNS[len(NEEDED) :], REGIONS))


def read(source: Source, faults: Reading) -> Foreign:
    """Read a CSV that `job_lines` has written, or any other with the columns needed."""
    rows = table(source.text, LAYOUT, faults, source.columns)
    return Foreign(jobs=list(faults.each(rows, _job)))


def job_lines(instance: TraceInstance) -> str:
    """Return the jobs of an instance as CSV, in their order."""
    bound = any(job.allowed_regions for job in instance.jobs)
    rows = [
        [
            job.name,
            decimal_text(job.arrival_s),
            job.gpus,
            decimal_text(job.duration_s),
            job.model or "",
            *(_cell(getattr(job, name)) for name in NUMBERS),
            ";".join(f"{width.gpus}={decimal_text(width.speed)}" for width in job.speeds),
            _curve_cell(job.curve),
            *([_list_cell(job.allowed_regions or ())] if bound else []),
        ]
        for job in instance.jobs
    ]
    return csv_text((*COLUMNS, REGIONS) if bound else COLUMNS, rows)


def csv_text(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table as CSV with plain line ends."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def _job(record: Record, cells: Cells) -> ForeignJob:
    return ForeignJob(
        record=record,
        name=cells.needed("job_id"),
        arrival=cells.number("arrival_s"),
        gpus=cells.whole("gpus"),
        duration=cells.number("duration_s"),
        model=cells.name("model"),
        more=_more(cells),
    )


def _more(cells: Cells) -> dict[str, Any]:
    """Return the fields of a job that stand in cells that are not empty."""
    shapes = noun_fields(TraceJob)
    values: dict[str, Any] = {name: _number(cells.text(name)) for name in NUMBERS}
    values["speeds"] = [
        dict(zip(("gpus", "speed"), map(_number, pair.split("=", 1)), strict=False))
        for pair in cells.text("speeds").split(";")
        if pair
    ]
    curve = cells.text("curve")
    names = list(noun_fields(LossCurve))
    values["curve"] = dict(zip(names, map(_number, curve.split(";")), strict=False))
    values[REGIONS] = next(csv.reader([cells.text(REGIONS)], delimiter=";"), [])
    found = {
        name: cells.faults.value(shapes[name].shape, value, name)
        for name, value in values.items()
        if cells.text(name)
    }
    return {name: value for name, value in found.items() if value is not FAULTY}


def _number(text: str) -> Any:
    """Return a number if the text is one, else the text, which the decoder refuses."""
    value = Decimal(text) if NUMBER.fullmatch(text) else None
    return text if value is None or not ordinary(value) else value


def _cell(value: Decimal | None) -> str:
    return "" if value is None else decimal_text(value)


def _list_cell(names: Iterable[str]) -> str:
    """Return names between semicolons, in quotes where one has a semicolon or quotes itself."""
    out = StringIO()
    csv.writer(out, delimiter=";", lineterminator="").writerow(names)
    return out.getvalue()


def _curve_cell(curve: LossCurve | None) -> str:
    if curve is None:
        return ""
    return ";".join([str(curve.epochs), *map(_cell, (curve.decay, curve.start, curve.floor))])
