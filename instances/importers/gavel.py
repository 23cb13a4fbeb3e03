"""Traces of Gavel and Shockwave: tab-separated lines without a header.

A line gives steps. Their duration is the time in Gavel's simulator: steps over the steps per second
that Gavel measured for this type of job on these GPUs. Shockwave's lines give the time with the
first batch size. With speeds, the duration is the time of all epochs with their batch sizes. In a
cluster with kinds of GPUs, speeds on the other kinds are measured as well.
"""

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from ..errors import ABSENT, InputError, Problem, Words, nearest
from ..reading.decode import join, parse_json, read_text
from ..trace import Width
from .batch_sizes import MODES, seconds_of, stretches_of
from .lines import EMPTY, Line, by_column, records
from .reading import Cells, Exact, Foreign, ForeignJob, Reading, Record, Source, collecting

HEAD = ("job_type", "command")
LAYOUTS = {
    7: (*HEAD, "num_steps_arg", "needs_data_dir", "total_steps", "arrival_time", "scale_factor"),
    10: (
        *HEAD,
        *("working_directory", "num_steps_arg", "needs_data_dir", "total_steps", "scale_factor"),
        *("priority_weight", "SLO", "arrival_time"),
    ),
    12: (
        *HEAD,
        *("working_directory", "num_steps_arg", "needs_data_dir", "total_steps", "scale_factor"),
        *("mode", "priority_weight", "SLO", "duration", "arrival_time"),
    ),
}
"""Columns by their number: Gavel's Philly traces, its other traces, Shockwave's."""

KEY = re.compile(r"\('(.+)', (\d{1,9})\)", re.ASCII)
PLACES = 6
"""Decimals of the communication cost between servers."""


@dataclass(frozen=True, slots=True)
class Speeds:
    """Steps per second by type of job and GPUs: inside a server, and across servers."""

    inside: dict[tuple[str, int], Fraction]
    across: dict[tuple[str, int], Fraction]
    gpu: str | None = None
    """The kind of the GPUs, if the cluster has kinds."""
    elsewhere: dict[str, dict[tuple[str, int], Fraction]] = field(default_factory=dict)
    """The speeds on the other kinds of the cluster."""


USED = ("job_type", "scale_factor", "total_steps", "mode", "duration", "arrival_time")

GROWING = "jobs whose batch size grows, with the time of all epochs as their duration"
AS_BEGUN = "jobs whose batch size grows, with the duration at their first one"
ODD_MODE = f"jobs with a mode other than {', '.join(MODES)}, with the duration of the file"


def read(source: Source, reading: Reading) -> Foreign:
    """Read a trace. Job names are line numbers, as in Gavel."""
    lines = list(records(source.text, "\t"))
    layout = _layout(lines, reading)
    if not layout:
        return Foreign(jobs=[])
    if "duration" not in layout and not source.throughputs:
        expected = "the file of Gavel's measured speeds, for traces that give steps"
        raise InputError.of("ringyard import", "--throughputs", ABSENT, expected, "name it")
    speeds = _speeds(source) if source.throughputs else None
    if speeds and not source.across:
        speeds = replace(speeds, across={})
    if speeds:
        reading.notes.append(f"durations are steps / steps per second, measured on {source.gpu}")
    reading.unused |= dict.fromkeys(name for name in layout if name not in USED)
    rows = (
        (line, by_column(row, layout, reading, "in most lines") if isinstance(row, list) else row)
        for line, row in lines
    )
    return Foreign(jobs=list(reading.each(rows, partial(_job, speeds))))


def _layout(lines: list[Line], reading: Reading) -> tuple[str, ...]:
    """Return the columns of most lines, or an empty tuple after reporting an unknown format."""
    widths = Counter(len(cells) for _, cells in lines if not isinstance(cells, Problem))
    width = max(LAYOUTS, key=lambda width: widths[width])
    if widths[width]:
        return LAYOUTS[width]
    if lines:
        found = Words(f"{next(iter(widths))} cells")
        expected = "7, 10 or 12, separated by tabs"
        reading.reject(lines[0][0].place, found, expected, "check the format")
    else:
        reading.reject("file", EMPTY, "a line for each job", "complete it")
    return ()


def _job(speeds: Speeds | None, record: Record, cells: Cells) -> ForeignJob:
    kind, gpus = cells.needed("job_type"), cells.whole("scale_factor")
    steps, took = cells.whole("total_steps"), cells.number("duration")
    key = (kind, gpus or 0)
    unusable = ""
    if "mode" in cells.cells:
        took = _trained(key, steps, took, speeds, cells)
    if took is None and speeds is not None:
        rate = speeds.inside.get(key)
        unusable = "" if rate else "no measured speed"
        took = Fraction(steps) / rate if rate and steps is not None else None
    return ForeignJob(
        record=record,
        name=str(cells.reading.read - 1),
        arrival=cells.number("arrival_time"),
        gpus=gpus,
        gpu=speeds.gpu if speeds else None,
        duration=took,
        model=kind,
        unusable=unusable,
        more=_across(key, speeds) | _on_kinds(key, speeds),
    )


def _trained(
    key: tuple[str, int], steps: int | None, took: Exact | None, speeds: Speeds | None, cells: Cells
) -> Exact | None:
    """Return the duration of a job of Shockwave: of all epochs, if their speeds are known."""
    mode = cells.text("mode")
    if mode not in MODES:
        cells.reading.remark(ODD_MODE)
        return took
    stretches = stretches_of(*key, mode, steps or 0)
    whole = seconds_of(*key, stretches, speeds.inside) if speeds else None
    if len(stretches) > 1:
        cells.reading.remark(AS_BEGUN if whole is None else GROWING)
    return took if whole is None else whole


def _across(key: tuple[str, int], speeds: Speeds | None) -> dict[str, Any]:
    """Return the communication cost between servers, if it was measured and is positive."""
    inside, across = (s.get(key) for s in (speeds.inside, speeds.across)) if speeds else (None,) * 2
    if not inside or not across or inside <= across:
        return {}
    cost = round(inside / across - 1, PLACES)
    return {"communication": Decimal(cost.numerator) / Decimal(cost.denominator)} if cost else {}


def _on_kinds(key: tuple[str, int], speeds: Speeds | None) -> dict[str, Any]:
    """Return the speeds on the other kinds of the cluster, rounded."""
    if speeds is None or not speeds.elsewhere or key not in speeds.inside:
        return {}
    rates = {
        kind: table.get(key, 0) / speeds.inside[key] for kind, table in speeds.elsewhere.items()
    }
    rounded = {kind: Decimal(round(rate * 10**PLACES)) / 10**PLACES for kind, rate in rates.items()}
    other = (Width(gpus=key[1], gpu=kind, speed=rate) for kind, rate in rounded.items() if rate)
    return {"speeds": tuple(other)}


def _speeds(source: Source) -> Speeds:
    """Read the measured speeds on one type of GPU, and on the other kinds of the cluster."""
    path = source.throughputs
    assert path is not None
    if source.kinds and source.gpu not in source.kinds:
        expected = f"a kind of the cluster: {', '.join(source.kinds)}"
        raise InputError.of("ringyard import", "--gpu", source.gpu, expected, "name one of them")
    value = parse_json(read_text(path), str(path))
    tables = value if isinstance(value, dict) else {}
    for gpu in (source.gpu, *source.kinds):
        if not isinstance(tables.get(gpu), dict):
            like = nearest(gpu, [name for name in tables if isinstance(name, str)])
            own = gpu == source.gpu
            did = f"--gpu {like}" if own else f"{like} in --servers"
            other = "--gpu" if own else "--servers"
            advice = f"did you mean {did}?" if like else f"name another file, or {other}"
            problem = Problem(gpu, ABSENT, "speeds by type of job for this GPU", advice)
            raise InputError(str(path), [problem])
    with collecting(str(path)) as reading:
        names = (source.gpu, f"{source.gpu}_unconsolidated")
        inside, across = (_table(tables.get(name, {}), name, reading) for name in names)
        kinds = [kind for kind in source.kinds if kind != source.gpu]
        elsewhere = {kind: _table(tables[kind], kind, reading) for kind in kinds}
        return Speeds(inside, across, source.gpu if source.kinds else None, elsewhere)


def _table(value: Any, place: str, reading: Reading) -> dict[tuple[str, int], Fraction]:
    """Read a table whose keys are like ('ResNet-18 (batch size 16)', 2)."""
    speeds: dict[tuple[str, int], Fraction] = {}
    for key, row in value.items() if isinstance(value, dict) else ():
        parts = KEY.fullmatch(key)
        alone = row.get("null") if isinstance(row, dict) else None
        if parts and isinstance(alone, int | Decimal) and alone > 0:
            speeds[parts[1], int(parts[2])] = Fraction(alone)
        elif not parts or not isinstance(alone, int | Decimal) or alone < 0:
            expected = "('KIND', GPUS) with the steps per second alone under null"
            reading.reject(join(place, key), alone, expected, "correct it")
    return speeds
