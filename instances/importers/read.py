"""Foreign files in, a trace instance out."""

from decimal import Decimal
from pathlib import Path

from ..decode import Decoder
from ..encode import decimal_text
from ..errors import ABSENT, InputError, Problem, Words, nearest
from ..parse import read_text
from ..shape import shape_of
from ..trace import RackServer
from ..vocabulary import Amount, Label, Prose
from .assemble import assemble
from .cells import Cells
from .choices import Choices, Imported
from .clusters import from_file, in_racks, in_words
from .collect import collecting
from .formats import FORMATS
from .job import Foreign, Source
from .lines import EMPTY, records

MAX_BYTES = 2**30
"""Largest foreign file; the logs of a large cluster over half a year take some 300 MB."""

TICKS = (Decimal("0.000001"), Decimal(10**6))
TICK_DIGITS = 9


def read_trace(
    format: str,
    file: Path,
    choices: Choices,
    *,
    servers: str | None = None,
    cluster: Path | None = None,
    racks: int | None = None,
    law: Path | None = None,
    throughputs: Path | None = None,
    gpu: str = "v100",
) -> Imported:
    """Read a foreign trace.

    Args:
        format: A name of `FORMATS`.
        file: The file to read; one whose name ends in .gz is unpacked.
        choices: What to take of it, and how.
        servers: The cluster in words, such as 15x4 (servers times GPUs).
        cluster: The cluster as a file, instead.
        racks: Spread the servers over so many racks.
        law: A column of GPU-seconds of past jobs.
        throughputs: For `gavel`, the file of measured speeds.
        gpu: For `gavel`, the kind of GPU whose speeds count.

    Raises:
        InputError: With all faults of the file, or of what was asked.
    """
    if format not in FORMATS:
        like = nearest(format, list(FORMATS))
        advice = f"did you mean {like!r}?" if like else "see `ringyard list formats`"
        expected = "one of " + ", ".join(FORMATS)
        raise InputError("ringyard import", [Problem("format", format, expected, advice)])
    _refuse(choices, format, servers, cluster, throughputs)
    given = in_words(servers) if servers else from_file(cluster) if cluster else ()
    past, zeros = _law(law) if law else ((), 0)
    text = read_text(file, MAX_BYTES)
    source = Source(name=str(file), text=text, throughputs=throughputs, gpu=gpu)
    made = None
    with collecting(str(file)) as faults:
        foreign = FORMATS[format].read(source, faults)
        machines = given or foreign.servers or _none(foreign, faults)
        machines = machines if racks is None or not machines else in_racks(machines, racks)
        if not faults.problems:
            made = assemble(_remarked(foreign, given, zeros), machines, past, choices, faults)
    assert made is not None
    return made


def _remarked(foreign: Foreign, given: tuple[RackServer, ...], zeros: int) -> Foreign:
    """Add remarks on the cluster and the law."""
    remarks = list(foreign.remarks)
    if not given:
        remarks.append(f"the cluster is the {len(foreign.servers):,} machines named in the trace")
    if zeros:
        remarks.append(f"{zeros:,} past jobs of 0 GPU-seconds are left out of the law")
    return Foreign(jobs=foreign.jobs, servers=foreign.servers, remarks=tuple(remarks))


def _none(foreign: Foreign, faults: Decoder) -> tuple[RackServer, ...]:
    """Note that nobody says what the cluster is."""
    if not faults.problems:
        widest = max((job.gpus or 0 for job in foreign.jobs), default=0)
        expected = "the cluster, which this trace does not tell"
        advice = f"say for example --servers 16x8; the widest job has {widest:,} GPUs"
        faults.fault("--servers", ABSENT, expected, advice)
    return ()


def _refuse(
    choices: Choices,
    format: str,
    servers: str | None,
    cluster: Path | None,
    throughputs: Path | None,
) -> None:
    """Refuse choices that mean nothing."""
    with collecting("ringyard import") as faults:
        faults.value(shape_of(Label), choices.name, "--name")
        faults.value(shape_of(Prose), choices.source, "--source")
        faults.value(shape_of(Prose), choices.licence, "--licence")
        for option, value in (
            ("--restart-s", choices.restart_s),
            ("--resume-s", choices.resume_s),
            ("--from-s", choices.from_s),
            ("--until-s", choices.until_s),
        ):
            if value is not None:
                faults.value(shape_of(Amount), value, option)
        tick = choices.tick_s
        if not TICKS[0] <= tick <= TICKS[1] or len(tick.as_tuple().digits) > TICK_DIGITS:
            low, high = map(decimal_text, TICKS)
            expected = f"seconds from {low} to {high}, of at most {TICK_DIGITS} digits"
            faults.fault("--tick", tick, expected, "give another tick")
        if choices.first is not None and choices.first < 1:
            faults.fault("--first", choices.first, "an integer at least 1", "give 1 or more")
        if servers and cluster:
            faults.fault("--cluster", str(cluster), "none beside --servers", "give one of them")
        if throughputs and format != "gavel":
            found = str(throughputs)
            faults.fault("--throughputs", found, "none but for gavel", "leave it out")


def _law(path: Path) -> tuple[tuple[Decimal, ...], int]:
    """Read a column of numbers, perhaps under a name; return those above 0, count the zeros."""
    values: list[Decimal] = []
    zeros = 0
    with collecting(str(path)) as faults:
        for count, (number, row) in enumerate(records(read_text(path), ",", faults)):
            place = f"line {number}"
            if len(row) != 1:
                faults.fault(place, Words(f"{len(row)} cells"), "one number", "keep one column")
            elif count or row[0][:1].isdigit():
                cells = Cells(place, {"duration": row[0]}, faults)
                value = cells.number("duration")
                zeros += value == 0
                values += [Decimal(row[0])] if value else []
        if not values and not faults.problems:
            faults.fault("file", EMPTY, "GPU-seconds, one a line", "complete it")
    return tuple(values), zeros
