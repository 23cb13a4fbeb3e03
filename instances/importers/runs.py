"""Plans as lines for runs: CSV, written and read back, and commands for Slurm.

In CSV each run has its job, its GPUs on each server, and its start and end in seconds from time 0.
With the date of time 0, it also has both on the wall clock.
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple, Self

from ...families.family import RunRow, Runs
from ...families.registry import FAMILIES, family_of
from ..errors import ABSENT, InputError, Problem, Words, plural, raise_any
from ..reading.decode import read_text
from ..reading.encode import as_decimal, decimal_text
from ..reading.vocabulary import AnySchedule, Instance
from .job_lists import csv_text, pieces_cell
from .lines import LineLayout, records, table
from .reading import NUMBER, Cells, Reading, Record, collecting

WALL = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?:(:\d\d)(?:\.(\d{1,60}))?)?(Z|[+-]\d\d:?\d\d)?",
    re.ASCII,
)
EXAMPLE = "2024-03-01T08:00+01:00"
EXACT = Context(prec=150, traps=[Inexact])
MOST = 10**15
SECONDS, DATES = ("start_s", "end_s"), ("start", "end")
ENDS = (SECONDS[1], DATES[1])


class Clock(NamedTuple):
    """The wall clock of a plan."""

    zero: datetime
    """Its time 0, in whole seconds, with an offset from UTC or without one."""
    part: Fraction
    """The rest of the second of time 0."""

    @classmethod
    def of(cls, text: str, command: str) -> Self:
        """Return the clock of an option `--epoch`."""
        found = _moment(text)
        if found is None:
            expected = f"a date and time such as {EXAMPLE}"
            raise InputError.of(command, "--epoch", text, expected, "write it in this form")
        return cls(*found)

    def seconds(self, text: str) -> Fraction | None:
        """Return the seconds from time 0 to a date and time with an offset as time 0 has."""
        found = _moment(text)
        if found is None or (found[0].tzinfo is None) != (self.zero.tzinfo is None):
            return None
        since = found[0] - self.zero
        return since.days * 86_400 + since.seconds + found[1] - self.part

    def text(self, seconds: Fraction) -> str:
        """Return the date and time that many seconds after time 0, as ISO 8601."""
        whole, part = divmod(seconds + self.part, 1)
        try:
            when = self.zero + timedelta(seconds=int(whole))
        except OverflowError:
            expected = "a time 0 with which every run ends before the year 10000"
            found = self.zero.isoformat()
            raise InputError.of("plan", "--epoch", found, expected, "choose another") from None
        shown = when.isoformat()
        return f"{shown[:19]}{_decimal(part)[1:]}{shown[19:]}"


def _moment(text: str) -> tuple[datetime, Fraction] | None:
    """Return a date and time in whole seconds, and the rest of the second."""
    found = WALL.fullmatch(text.strip())
    if found is None:
        return None
    day, minute, second, part, zone = found.groups()
    try:
        when = datetime.fromisoformat(f"{day}T{minute}{second or ':00'}{zone or ''}")
    except ValueError:
        return None
    return when, Fraction(f"0.{part}") if part else Fraction(0)


def _decimal(value: Fraction) -> str:
    """Return a number exactly, or rounded to nanoseconds if it is no decimal."""
    try:
        return decimal_text(EXACT.divide(Decimal(value.numerator), Decimal(value.denominator)))
    except Inexact:
        return _decimal(round(value, 9))


def run_lines(rows: Iterable[RunRow], clock: Clock | None) -> str:
    """Return runs as CSV, by start."""
    ordered = _ordered(rows)
    dates = () if clock is None else DATES
    shares = ("share",) if any(row.half for row in ordered) else ()
    return csv_text(
        ("job", *SECONDS, *dates, "gpus", "servers", *shares),
        [
            [
                row.job,
                *(_decimal(time) for time in _times(row)),
                *(() if clock is None else map(clock.text, _times(row))),
                sum(count for _, count in row.gpus),
                pieces_cell(row.gpus),
                *(["half" if row.half else "whole"] if shares else []),
            ]
            for row in ordered
        ],
    )


def _ordered(rows: Iterable[RunRow]) -> list[RunRow]:
    return sorted(rows, key=lambda row: row.start_s)


def _times(row: RunRow) -> tuple[Fraction, Fraction]:
    """Return start and end of a run of a valid schedule, all of whose jobs end."""
    assert row.end_s is not None
    return row.start_s, row.end_s


class _Plan(NamedTuple):
    """The instance of a plan that is read, and its clock."""

    instance: Any
    runs: Runs
    servers: frozenset[str]
    jobs: frozenset[str]
    clock: Clock | None


def runs_of(instance: Instance) -> Runs:
    """Return the conversion of schedules of an instance to runs, or refuse its family."""
    runs = family_of(instance).runs
    if runs is None:
        known = ", ".join(kind for kind, family in FAMILIES.items() if family.runs is not None)
        expected = f"a family whose schedules have runs on servers: {known}"
        raise InputError.of(instance.name, "kind", instance.kind, expected, "name another instance")
    return runs


def read_runs(path: Path, instance: Any, clock: Clock | None) -> AnySchedule:
    """Return the schedule of an instance in a CSV of runs, by its seconds or by its wall clock.

    Args:
        path: The file.
        instance: The instance that the runs are for.
        clock: If there is one, dates count, and seconds must agree with them.

    Raises:
        InputError: With all problems of the file. Rules of schedules are for the judge.
    """
    runs, places = runs_of(instance), family_of(instance).places
    assert places is not None
    servers, jobs = (
        frozenset(one.name for one in some) for some in (places.read(instance), instance.jobs)
    )
    plan = _Plan(instance, runs, servers, jobs, clock)
    text = read_text(path)
    header = next((cells for _, cells in records(text, ",") if isinstance(cells, list)), [])
    if clock is None and "start" in header and "start_s" not in header:
        expected = "the date and time of time 0, because the runs have dates only"
        raise InputError.of(str(path), "--epoch", ABSENT, expected, f"add --epoch {EXAMPLE}")
    times = SECONDS if clock is None else DATES
    layout = LineLayout(
        needed=("job", times[0], "servers"),
        others=(times[1], *(SECONDS if clock else ()), "gpus", "share"),
        headless=False,
    )
    with collecting(str(path)) as reading:
        found = list(reading.each(table(text, layout, reading), partial(_row, plan)))
        _check_ends(found, reading)
    made: AnySchedule = runs.schedule(instance, [row for _, row in found])
    return made


def _check_ends(found: Sequence[tuple[Record, RunRow]], reading: Reading) -> None:
    """Report runs without an end that are not the last of their jobs."""
    last: dict[str, RunRow] = {}
    for _, row in sorted(found, key=lambda one: one[1].start_s):
        last[row.job] = row
    for record, row in found:
        if row.end_s is None and row is not last[row.job]:
            expected = "an end, because the job runs again later"
            reading.reject(record.place, ABSENT, expected, "write it")


def _row(plan: _Plan, record: Record, cells: Cells) -> tuple[Record, RunRow] | None:
    """Return a run, or None after reporting the reason."""
    job = cells.needed("job")
    if job and job not in plan.jobs:
        cells.reject("job", "a job of the instance", "correct it, or name another instance")
    start = _time(plan, cells, 0)
    if start is None and not cells.text(_columns(plan)[0]):
        cells.reject(_columns(plan)[0], "the start of the run", "write it", Words("an empty cell"))
    end = _time(plan, cells, 1)
    if start is not None and end is not None and end <= start:
        cells.reject(_columns(plan)[1], "a time after the start", "correct it")
    share = cells.text("share")
    if share not in ("", "whole", "half"):
        cells.reject("share", "whole or half", "correct it")
    gpus = _gpus(plan, cells)
    if start is None or not gpus:
        return None
    return record, RunRow(job, start, end, gpus, share == "half")


def _columns(plan: _Plan) -> tuple[str, str]:
    return SECONDS if plan.clock is None else DATES


def _time(plan: _Plan, cells: Cells, which: int) -> Fraction | None:
    """Return the start (0) or the end (1) of a run in seconds, if there is a valid one."""
    column = _columns(plan)[which]
    text = cells.text(column)
    seconds = cells.text(SECONDS[which])
    plain = Fraction(seconds) if len(seconds) < 200 and NUMBER.fullmatch(seconds) else None
    value = plain if plan.clock is None else plan.clock.seconds(text)
    if not text:
        return None
    if value is None and plan.clock is None:
        cells.reject(column, "a number of seconds", "correct it")
    elif value is None:
        zone = "without an offset" if plan.clock and plan.clock.zero.tzinfo is None else "with one"
        expected = f"a date and time such as {EXAMPLE}, {zone} from UTC, as --epoch"
        cells.reject(column, expected, "correct it")
    elif value < 0:
        cells.reject(column, "a time from time 0 on", "correct it or --epoch")
    elif plan.clock is not None and seconds and plain != value:
        expected = f"the time of {SECONDS[which]}, {seconds} s after --epoch"
        cells.reject(column, expected, f"correct it, or empty {SECONDS[which]}")
    else:
        return _on_grid(plan, cells, column, value)
    return None


def _on_grid(plan: _Plan, cells: Cells, column: str, value: Fraction) -> Fraction | None:
    grid, unit = plan.runs.grid_s(plan.instance), plan.runs.unit_s(plan.instance)
    if grid is not None and value % Fraction(grid):
        expected = f"a multiple of {decimal_text(grid)} s, the step of time of the instance"
        cells.reject(column, expected, "round it")
    elif column in ENDS:
        return value
    elif value / Fraction(unit) > MOST or as_decimal(value / Fraction(unit)) is None:
        expected = f"a decimal number of at most 1e15 times {decimal_text(unit)} s"
        cells.reject(column, expected, "round it")
    else:
        return value
    return None


def _gpus(plan: _Plan, cells: Cells) -> tuple[tuple[str, int], ...]:
    """Return the GPUs by server, or nothing after reporting the reason."""
    found: dict[str, int] = {}
    text = cells.text("servers")
    parts = next(csv.reader([text], delimiter=";"), [])
    for part in parts or [""]:
        server, _, count = part.strip().rpartition("=")
        if not server or not re.fullmatch(r"0*[1-9]\d{0,8}", count, re.ASCII):
            expected = "servers and their GPUs, at least 1 each, such as s0=4;s1=2"
            cells.reject("servers", expected, "write them so")
            return ()
        if server not in plan.servers:
            advice = "correct it, or name another instance"
            cells.reject("servers", "servers of the instance", advice, server)
        if server in found:
            cells.reject("servers", f"server {server} once", "add up its GPUs")
        found[server] = int(count)
    total = cells.whole("gpus")
    if total not in (None, sum(found.values())):
        expected = f"{sum(found.values())}, the GPUs on all servers of the run"
        cells.reject("gpus", expected, "correct one of them")
    return tuple(found.items())


JOB_ID = re.compile(r"\d{1,10}(?:[_+]\d{1,7})?", re.ASCII)
"""An id of Slurm: of a job, of a task of an array, or of a part of a heterogeneous job."""
NODE = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)


def read_job_ids(path: Path) -> dict[str, str]:
    """Return Slurm's ids by the names of jobs, from a CSV with the columns job and job_id."""
    layout = LineLayout(needed=("job", "job_id"), headless=False)
    ids: dict[str, str] = {}

    def add(_: Record, cells: Cells) -> None:
        job, number = cells.needed("job"), cells.needed("job_id")
        if number and not JOB_ID.fullmatch(number):
            cells.reject("job_id", "an id such as 4711 or 4711_2", "correct it")
        if job in ids:
            cells.reject("job", "each job once", "remove one line")
        ids[job] = number

    with collecting(str(path)) as reading:
        list(reading.each(table(read_text(path), layout, reading), add))
    return ids


def slurm_lines(
    name: str, rows: Iterable[RunRow], clock: Clock, ids: Mapping[str, str] | None
) -> str:
    """Return the commands that give pending jobs of Slurm their starts and nodes, by start.

    Slurm accepts these for pending jobs only. What to do for a running job is a comment.
    """
    ordered = _ordered(rows)
    _refuse_names(name, ordered, ids)
    zero = clock._replace(zero=clock.zero.replace(tzinfo=None))
    jobs = plural(len({row.job for row in ordered}), "job")
    lines = [f"# {jobs} of {name}; time 0 is {clock.text(Fraction(0))}"]
    begun = dict[str, RunRow]()
    for row in ordered:
        number = row.job if ids is None else ids[row.job]
        start = zero.text(Fraction(ceil(row.start_s + zero.part)) - zero.part)
        nodes = ",".join(server for server, _ in row.gpus)
        update = f"scontrol update JobId={number} StartTime={start} ReqNodeList={nodes}"
        each = ", ".join(f"{count} on {server}" for server, count in row.gpus)
        gpus = f"GPUs: {each}{' (half GPUs)' if row.half else ''}"
        before = begun.get(row.job)
        if before is not None or (row.begun and not row.going):
            stop = zero.text(Fraction(0) if before is None else _times(before)[1])
            lines.append(f"# at {stop}: scontrol requeue {number} && {update}  # {gpus}")
        elif row.going:
            lines.append(f"# {number} runs on {nodes}  # {gpus}")
        else:
            lines.append(f"{update}  # {gpus}")
        begun[row.job] = row
    return "\n".join(lines) + "\n"


def _refuse_names(name: str, rows: Iterable[RunRow], ids: Mapping[str, str] | None) -> None:
    """Raise an error for jobs without an id and for servers that cannot be nodes."""
    problems = dict[str, Problem]()
    for row in rows:
        if ids is None and not JOB_ID.fullmatch(row.job):
            expected = "an id of Slurm such as 4711, because JobId= needs it"
            advice = "add --job-ids FILE, a CSV with the columns job and job_id"
            problems.setdefault(row.job, Problem("job", row.job, expected, advice))
        elif ids is not None and row.job not in ids:
            expected = f"an id of job {row.job!r}"
            problems.setdefault(row.job, Problem("--job-ids", ABSENT, expected, "add a line"))
        for server, _ in row.gpus:
            if not NODE.fullmatch(server):
                expected = "the name of a node: letters, digits, _ . and -"
                problems.setdefault(f"={server}", Problem("server", server, expected, "rename it"))
    raise_any(name, problems.values())
