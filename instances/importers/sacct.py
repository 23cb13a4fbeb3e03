"""What Slurm's `sacct --parsable2` prints: one line for each job, and for its steps."""

import re
from fractions import Fraction

from ..decode import Decoder
from .cells import Cells
from .job import Exact, Foreign, ForeignJob, Source
from .lines import table

COLUMNS = ("JobID", "Submit", "Elapsed", "State", "AllocTRES")
UNFINISHED = ("RUNNING", "PENDING", "SUSPENDED", "REQUEUED", "RESIZING", "COMPLETING")
SPAN = re.compile(r"(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)(?:\.(\d+))?", re.ASCII)
GPUS = re.compile(r"gres/gpu(:[^=]*)?=(\d{1,9})", re.ASCII)


def read(source: Source, faults: Decoder) -> Foreign:
    """Read the lines of jobs; those of steps, whose names have a dot, count as unusable."""
    return Foreign(jobs=[_job(cells) for cells in table(source.text, COLUMNS, faults, "|")])


def _job(cells: Cells) -> ForeignJob:
    name = cells.needed("JobID")
    step = "." in name
    state = cells.text("State").partition(" ")[0]
    resources = cells.text("AllocTRES") or cells.text("ReqTRES")
    unusable = "job step" if step else "not ended yet" if state in UNFINISHED else ""
    return ForeignJob(
        place=cells.place,
        name=name,
        arrival=None if unusable else cells.moment("Submit"),
        gpus=_gpus(resources) if resources else None,
        duration=None if unusable else _span(cells, "Elapsed"),
        good=state == "COMPLETED",
        unusable=unusable,
        vc=cells.text("Partition") or None,
    )


def _gpus(resources: str) -> int:
    """Return the GPUs of a list such as cpu=8,gres/gpu=2,gres/gpu:a100=2,node=1."""
    found = [GPUS.fullmatch(part) for part in resources.split(",")]
    counts = [(part[1], int(part[2])) for part in found if part]
    all_kinds = [count for kind, count in counts if kind is None]
    return all_kinds[0] if all_kinds else sum(count for _, count in counts)


def _span(cells: Cells, column: str) -> Exact | None:
    """Return the seconds of [days-][hours:]minutes:seconds."""
    text = cells.text(column)
    parts = SPAN.fullmatch(text) if len(text) <= 30 else None
    if parts is None:
        if text:
            cells.fault(column, "a time such as 1-02:30:00", "correct it, or leave it empty")
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in parts.groups()[:4])
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return whole + Fraction(f"0.{parts[5]}") if parts[5] else whole
