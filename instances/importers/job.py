"""What every foreign trace is read into, before anything is chosen or rounded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..trace.instance import RackServer
from .reading import Record

Exact = int | Fraction
"""An exact number; most are whole, which is so much faster."""


ATTEMPTS = "jobs that ran in several attempts, whose times are added up"
"""The remark on jobs that were stopped and ran again."""
PARTS = "jobs with parts of GPUs, which have the next whole number"
"""The remark on jobs whose GPUs were rounded up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignJob:
    """A job as a foreign file tells of it; what the file leaves open is None."""

    record: Record
    """Where it stands in the file."""
    records: int = 1
    """How many records of the file tell of it."""
    name: str
    arrival: Exact | None
    """Seconds since whenever."""
    gpus: int | None
    duration: Exact | None
    """Seconds for which it ran."""
    model: str | None = None
    good: bool = True
    """Whether it ended as it should, as far as the file says."""
    unusable: str = ""
    """Why it cannot be used, whatever else stands there."""
    vc: str | None = None
    """Its virtual cluster."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Other fields of a `TraceJob`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """A foreign trace: its jobs, and its machines if it names them."""

    jobs: list[ForeignJob]
    servers: tuple[RackServer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file to read, with what some formats need beside it."""

    name: str
    text: str
    throughputs: Path | None = None
    """Measured speeds, for traces that count steps."""
    gpu: str = "v100"
    """The kind of GPU whose speeds count."""
    columns: tuple[str, ...] = ()
    """The columns of a table without a header."""
    slice: Fraction | None = None
    """The part of a GPU that a slice counts; None: as its kind says."""
