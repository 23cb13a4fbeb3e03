"""Import of external traces as trace instances: the formats, and `read_trace`.

Each format converts a text to jobs.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path

from ...extensions.entry_points import Brought, brought_as, named
from ..errors import ABSENT, InputError, Problem, Words, plural, unknown
from ..reading.decode import read_text
from ..reading.encode import decimal_text
from ..reading.vocabulary import Amount, Label, Positive, Prose, shape_of
from ..trace import RackServer
from .assemble import ImportChoices as ImportChoices
from .assemble import Imported as Imported
from .assemble import assemble
from .clusters import from_file, in_racks, in_words
from .gavel import read as read_gavel
from .job_lists import CHRONUS, HELIOS, MURI, PAI, TIRESIAS, read_csv
from .lines import EMPTY, decoded, records
from .philly import read as read_philly
from .reading import NUMBER, Cells, Foreign, Reading, Record, Source, collecting, counted
from .sacct import read as read_sacct
from .squeue import read as read_squeue


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its description and its reader."""

    about: str
    read: Callable[[Source, Reading], Foreign]
    """A reader that collects the problems of a source and returns its jobs."""


FORMATS = {
    "philly": Format("Microsoft's Philly log (JSON: cluster_job_log)", read_philly),
    "helios": Format("SenseTime's Helios logs (CSV: cluster_log.csv)", HELIOS.read),
    "pai": Format("job lists of the simulator for Alibaba's PAI trace (CSV)", PAI.read),
    "tiresias": Format("job lists of Tiresias and ElasticFlow (CSV, seconds)", TIRESIAS.read),
    "muri": Format("job lists of Muri (CSV, milliseconds)", MURI.read),
    "chronus": Format("job lists of Chronus (CSV, minutes)", CHRONUS.read),
    "gavel": Format("traces of Gavel and Shockwave (separated by tabs)", read_gavel),
    "sacct": Format("output of Slurm's sacct --parsable2", read_sacct),
    "squeue": Format("a queue now: Slurm's squeue, and scontrol show node", read_squeue),
    "csv": Format("Ringyard's own CSV, as `ringyard export --format csv` writes it", read_csv),
}
"""Formats by name."""

GROUP = "ringyard.importers"
"""Entry point group of other packages' formats, each a `Format`."""


def find_format(name: str) -> Format:
    """Return a format by name."""
    if name in FORMATS:
        return FORMATS[name]
    if found := brought_as(GROUP, name):
        return extension_format(found)
    known = [*FORMATS, *named(GROUP)]
    raise InputError(
        "ringyard import", [unknown("format", name, known, "see `ringyard list formats`")]
    )


def extension_format(one: Brought) -> Format:
    """Return a format of another package."""
    found: Format = one.load(Format)
    return Format(found.about, one.guard(found.read, Foreign))


MAX_BYTES = 2**30
"""Largest external file. The logs of a large cluster over half a year have about 300 MB."""

TICKS = (Decimal("0.000001"), Decimal(10**6))
TICK_DIGITS = 9
RANK = re.compile(r"-?\d{1,9}", re.ASCII)
PART = re.compile(r"\d{1,6}(?:/0*[1-9]\d{0,5}|\.\d{1,6})?", re.ASCII)


def read_trace(
    format: str,
    file: Path,
    choices: ImportChoices,
    *,
    servers: str | None = None,
    cluster: Path | None = None,
    racks: int | None = None,
    law: Path | None = None,
    throughputs: Path | None = None,
    gpu: str = "v100",
    across: str = "measured",
    columns: str = "",
    slice: str = "share",
    group: str = "",
    qos: str = "",
    quota: str = "",
    most: str = "",
    speeds: str = "",
    nodes: Path | None = None,
    durations: Path | None = None,
    strict: bool = False,
) -> Imported:
    """Read an external trace.

    Args:
        format: A name of `FORMATS`, or of another package.
        file: The file to read. A file whose name ends in .gz is unpacked.
        choices: Selection and conversion of jobs.
        servers: The cluster as text, such as 15x4 or 4x8:v100,2x8:k80 (servers times GPUs).
        cluster: The cluster as a file, instead.
        racks: Distribute the servers over this many racks.
        law: A column of GPU-seconds of past jobs.
        throughputs: For `gavel`, the file of measured speeds.
        gpu: For `gavel`, the GPU type for which durations hold.
        across: For `gavel`, communication cost between servers: as measured, or none.
        columns: Names separated by commas, for a table without a header. With a header: names of
            its columns, such as arrival_s=submit.
        slice: For `sacct`, value of a GPU slice: share, whole, or a fraction.
        group: The column of a job's group, if not the usual one of the format.
        qos: For `sacct`, priorities by QOS, as in high=2,low=-1. Other jobs have priority 0.
        quota: GPUs of their own by group, as in nlp=12,vision=4. Other groups have none.
        most: GPUs that a group never exceeds, as in nlp=16.
        speeds: Relative speeds of kinds of GPUs, as in v100=1,k80=0.31. Jobs that ran on one of
            these kinds may run on all of them.
        nodes: For `squeue`, the output of `scontrol show node`, which is the cluster.
        durations: For `squeue`, a CSV of expected run times, instead of time limits.
        strict: Refuse a file with an invalid record. By default such records are left out, and
            counted.

    Raises:
        InputError: With all problems of the file, or of the arguments.
    """
    form = find_format(format)
    tables = [one for one in {**FORMATS, format: form} if one not in ("philly", "gavel")]
    only = {
        "--throughputs": (str(throughputs or ""), ["gavel"]),
        "--across": ("" if across == "measured" else across, ["gavel"]),
        "--columns": (columns, tables),
        "--slice": ("" if slice == "share" else slice, ["sacct"]),
        "--group": (group, tables),
        "--qos": (qos, ["sacct"]),
        "--nodes": (str(nodes or ""), ["squeue"]),
        "--durations": (str(durations or ""), ["squeue"]),
    }
    _refuse(choices, format, only, servers, cluster)
    given = in_words(servers) if servers else from_file(cluster) if cluster else ()
    past, less = _law(law, strict) if law else ((), "")
    quotas, limits = _by_name("--quota", quota, 0), _by_name("--most", most, 1)
    choices = replace(choices, quotas=quotas, limits=limits, ratios=_speeds(speeds))
    made = None
    with collecting(str(file), strict=strict) as reading:
        source = Source(
            name=str(file),
            text=read_text(file, MAX_BYTES, partial(decoded, reading=reading)),
            throughputs=throughputs,
            gpu=gpu,
            kinds=tuple(dict.fromkeys(server.gpu for server in given if server.gpu)),
            across=across == "measured",
            columns=tuple(name.strip() for name in columns.split(",") if name.strip()),
            slice=_slice(slice),
            group=group,
            qos=_by_name("--qos", qos, None),
            nodes=nodes,
            durations=durations,
        )
        foreign = form.read(source, reading)
        machines = given or foreign.servers or _none(foreign, reading)
        machines = machines if racks is None or not machines else in_racks(machines, racks)
        if not given:
            reading.notes.append(
                f"the cluster is the {plural(len(machines), 'machine')} named in the trace"
            )
        reading.notes += [less] if less else []
        if not reading.problems:
            made = assemble(foreign, machines, past, choices, reading)
    assert made is not None
    return made


def _slice(text: str) -> Fraction | None:
    """Return the value of a GPU slice, or None for its share of the GPU."""
    if text in ("share", "whole"):
        return None if text == "share" else Fraction(1)
    value = Fraction(text) if PART.fullmatch(text) else Fraction(0)
    if 0 < value <= 1:
        return value
    expected = "share, whole, or a fraction above 0 and at most 1, such as 1/4 or 0.25"
    raise InputError.of("ringyard import", "--slice", text, expected, "write it in this form")


def _by_name(option: str, text: str, least: int | None) -> dict[str, int]:
    """Return the whole numbers of an option by name."""
    found: dict[str, int] = {}
    for part in text.split(",") if text else ():
        name, _, number = part.strip().rpartition("=")
        if not name or not RANK.fullmatch(number) or (least is not None and int(number) < least):
            example = "high=2,low=-1" if least is None else "nlp=12,vision=4"
            above = "" if least is None else f" of at least {least}"
            expected = f"names and whole numbers{above}, such as {example}"
            raise InputError.of("ringyard import", option, part, expected, "write it in this form")
        if name in found:
            raise InputError.of("ringyard import", option, part, f"{name} once", "drop one")
        found[name] = int(number)
    return found


def _speeds(text: str) -> dict[str, Decimal]:
    """Return the speeds of an option by the kind of GPUs."""
    found: dict[str, Decimal] = {}
    for part in text.split(",") if text else ():
        name, _, number = part.strip().rpartition("=")
        value = Decimal(number) if NUMBER.fullmatch(number) else Decimal(0)
        if not name or name in found or not 0 < value <= MOST_SPEED:
            expected = "kinds of GPUs, each once, and relative speeds such as v100=1,k80=0.31"
            raise InputError.of("ringyard import", "--speeds", part, expected, "write them so")
        found[name] = value
    return found


MOST_SPEED = 10_000


def _none(foreign: Foreign, reading: Reading) -> tuple[RackServer, ...]:
    """Report that the cluster is not defined."""
    if not reading.problems:
        widest = max((job.gpus or 0 for job in foreign.jobs), default=0)
        expected = "the cluster, which this trace does not define"
        advice = f"add for example --servers 16x8, because the widest job has {widest:,} GPUs"
        reading.reject("--servers", ABSENT, expected, advice)
    return ()


def _refuse(
    choices: ImportChoices,
    format: str,
    only: Mapping[str, tuple[str, list[str]]],
    servers: str | None,
    cluster: Path | None,
) -> None:
    """Raise an error for invalid options."""
    with collecting("ringyard import") as reading:
        reading.value(shape_of(Label), choices.name, "--name")
        reading.value(shape_of(Prose), choices.source, "--source")
        reading.value(shape_of(Prose), choices.licence, "--licence")
        for option, value in (
            ("--restart-s", choices.restart_s),
            ("--resume-s", choices.resume_s),
            ("--from-s", choices.from_s),
            ("--until-s", choices.until_s),
        ):
            if value is not None:
                reading.value(shape_of(Amount), value, option)
        tick = choices.tick_s
        if not TICKS[0] <= tick <= TICKS[1] or len(tick.as_tuple().digits) > TICK_DIGITS:
            low, high = map(decimal_text, TICKS)
            expected = f"seconds from {low} to {high}, of at most {TICK_DIGITS} digits"
            reading.reject("--tick", tick, expected, "give another tick")
        if choices.first is not None and choices.first < 1:
            reading.reject("--first", choices.first, "an integer at least 1", "give 1 or more")
        if servers and cluster:
            reading.reject("--cluster", str(cluster), "no value with --servers", "give one of them")
        if format == "squeue":
            for option, unfit in {
                "--servers": servers,
                "--cluster": cluster,
                "--first": choices.first,
                "--from-s": choices.from_s,
                "--until-s": choices.until_s,
                "--vc": choices.vc,
                "--successful": choices.successful or None,
            }.items():
                if unfit is not None:
                    expected = "no value for squeue, because running jobs hold GPUs of all nodes"
                    reading.reject(option, str(unfit), expected, "leave it out")
        for option, (found, formats) in only.items():
            if found and format not in formats:
                expected = f"no value, except for {', '.join(formats)}"
                reading.reject(option, found, expected, "leave it out")


def _law(path: Path, strict: bool) -> tuple[tuple[Decimal, ...], str]:
    """Read a column of numbers with an optional name. Return positive ones, report the others."""
    with collecting(str(path), strict=strict) as reading:
        text = read_text(path, decode=partial(decoded, reading=reading))
        rows = (
            (record, row)
            for i, (record, row) in enumerate(records(text, ","))
            if i or isinstance(row, Problem) or row[0][:1].isdigit()
        )
        values = tuple(reading.each(rows, partial(_past, reading)))
        if not values and not reading.problems:
            reading.reject("file", EMPTY, "GPU-seconds, one per line", "complete it")
    left = counted(reading.left_out)
    return values, f"past jobs left out of the law: {left}" if reading.left_out else ""


def _past(reading: Reading, record: Record, row: list[str]) -> Decimal | None:
    """Return the GPU-seconds of a past job, or None after reporting the reason."""
    cells = Cells({"duration": row[0]}, reading)
    value = cells.number("duration")
    if len(row) != 1:
        reading.reject("", Words(f"{len(row)} cells"), "one number", "keep one column")
    elif value:
        reading.value(shape_of(Positive), Decimal(row[0]), "duration")
    elif value == 0 or not cells.text("duration"):
        reading.leave(record, "0 GPU-seconds")
    return Decimal(row[0]) if value else None
