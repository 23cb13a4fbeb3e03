"""Measured all-reduces: how long one took, and how many rings shared its uplinks meanwhile."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ...instances.errors import ABSENT, InputError, Problem
from ...instances.importers.cells import Cells, Exact
from ...instances.importers.lines import LineLayout, decoded, table
from ...instances.importers.reading import Reading, Record, collecting
from ...instances.reading.parse import read_text

LAYOUT = LineLayout(needed=("rings", "bytes", "seconds"), others=("gpus",))
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
RANK = re.compile(r"#\s+Rank\s+\d+", re.IGNORECASE)
AT_ONCE = re.compile(r"(.+)=(\d{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredReduce:
    """One line of a file: an all-reduce of so many bytes, beside others of its kind or alone."""

    place: str
    """File and line."""
    rings: int
    """Rings on the uplink at once, this one among them."""
    gpus: int
    """Workers of the ring, each on a server of its own."""
    size: float
    """Bytes to be added up."""
    seconds: float

    @property
    def sent(self) -> float:
        """Gigabytes that each worker sends."""
        return 2 * (self.gpus - 1) / self.gpus * self.size / 1e9


def read_measured(
    file: str, *, gpus: int | None = None, columns: str = "", unit: str = "s"
) -> list[MeasuredReduce]:
    """Read a CSV, or what `all_reduce_perf` of nccl-tests printed.

    Args:
        file: Its path; of nccl-tests `PATH=K` if K of them ran at once.
        gpus: Workers of a ring, where the file does not say it.
        columns: Names in place of those of a CSV's header, as ``rings=job_num,bytes=msg_size``.
        unit: Of the times of a CSV.

    Raises:
        InputError: With what is wrong with the file, line by line.
    """
    split = None if Path(file).exists() else AT_ONCE.fullmatch(file)
    name, rings = (split[1], int(split[2])) if split else (file, None)
    with collecting(name) as faults:
        text = read_text(Path(name), decode=partial(decoded, faults=faults))
        if any(line.lstrip().startswith("#") for line in text.splitlines()):
            found = list(_nccl(name, text, 1 if rings is None else rings, gpus, faults))
        else:
            named = tuple(part.strip() for part in columns.split(",") if part.strip())
            rows = table(text, LAYOUT, faults, named)
            make = partial(_line, name=name, gpus=gpus, unit=UNITS[unit])
            found = list(faults.each(rows, make))
            if rings is not None:
                advice = f"a CSV has its column rings: name {name} alone"
                faults.fault("file", file, "=K behind a file of nccl-tests only", advice)
        if not found and not faults.problems:
            faults.fault("file", ABSENT, "a measurement or more", "add lines")
    return found


def _line(
    record: Record, cells: Cells, *, name: str, gpus: int | None, unit: float
) -> MeasuredReduce | None:
    """Return what a line of a CSV says."""
    if gpus is None and "gpus" not in cells.cells:
        advice = "give --gpus, the workers of a ring, or add the column"
        raise InputError(name, [Problem("gpus", ABSENT, "a column gpus, or --gpus", advice)])
    wide: Exact | None = gpus if gpus is not None else cells.whole("gpus")
    numbers = {
        "rings": (cells.whole("rings"), 1),
        "gpus": (wide, 2),
        "bytes": (cells.number("bytes"), 0),
        "seconds": (cells.number("seconds"), 0),
    }
    for column, (value, least) in numbers.items():
        if not value or value < least:
            expected = f"an integer of at least {least}" if least else "a number above 0"
            cells.fault(column, expected, "correct it, or remove the line", value or ABSENT)
            return None
    rings, wide, size, seconds = (value or 0 for value, _ in numbers.values())
    return MeasuredReduce(
        place=f"{name}, {record.place}",
        rings=int(rings),
        gpus=int(wide),
        size=float(size),
        seconds=float(seconds) * unit,
    )


def _nccl(
    name: str, text: str, rings: int, gpus: int | None, faults: Reading
) -> Iterator[MeasuredReduce]:
    """Yield the lines of `all_reduce_perf`: the times out of place, which come first."""
    lines = text.splitlines()
    width = sum(bool(RANK.match(line.lstrip())) for line in lines) or gpus
    heads = [line.lstrip("# ").split() for line in lines if line.lstrip().startswith("#")]
    head = next((one for one in heads if {"size", "time"} <= set(one)), None)
    if head is None:
        advice = "check the file; a CSV has no lines with #"
        faults.fault("file", ABSENT, "the header of nccl-tests, # size .. time", advice)
        return
    if width is None or width < 2:
        faults.fault("--gpus", width or ABSENT, "2 or more workers of a ring", "give --gpus")
        return
    if rings < 1:
        faults.fault("file", f"={rings}", "=K with 1 or more rings", "correct it")
        return
    for number, line in enumerate(lines, 1):
        cells = line.split()
        if not cells or cells[0].startswith("#"):
            continue
        size, micros = _numbers(cells, head)
        if size is None or micros is None:
            expected = f"{len(head)} cells with a size and a time"
            faults.note(Problem(f"line {number}", line.strip()[:80], expected, "remove the line"))
        elif size > 0 and micros > 0:
            yield MeasuredReduce(
                place=f"{name}, line {number}",
                rings=rings,
                gpus=width,
                size=size,
                seconds=micros * UNITS["us"],
            )


def _numbers(cells: Sequence[str], head: Sequence[str]) -> tuple[float | None, float | None]:
    """Return bytes and microseconds of a line, None for what is no number."""
    try:
        return float(cells[head.index("size")]), float(cells[head.index("time")])
    except (IndexError, ValueError):
        return None, None
