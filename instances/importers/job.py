"""What every foreign trace is read into, before anything is chosen or rounded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..trace import RackServer

Exact = int | Fraction
"""An exact number; most are whole, which is so much faster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignJob:
    """A job as a foreign file tells of it; what the file leaves open is None."""

    place: str
    """Where it stands in the file."""
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
    """A foreign trace: its jobs, its machines if it names them, remarks on the reading."""

    jobs: list[ForeignJob]
    servers: tuple[RackServer, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file to read, with what some formats need beside it."""

    name: str
    text: str
    throughputs: Path | None = None
    """Measured speeds, for traces that count steps."""
    gpu: str = "v100"
    """The kind of GPU whose speeds count."""
