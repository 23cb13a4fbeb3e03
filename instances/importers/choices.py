"""What a user may choose of a foreign trace, and what comes of it."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from ..trace.instance import TraceInstance
from .reading import LeftOutRecords


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportChoices:
    """What a user may choose for an imported trace."""

    name: str
    source: str = ""
    licence: str = ""
    tick_s: Decimal = Decimal(1)
    restart_s: Decimal = Decimal(0)
    resume_s: Decimal | None = None
    first: int | None = None
    """How many jobs are kept, the first to arrive."""
    from_s: Decimal | None = None
    """Only what arrives at this time after the first job or later, ..."""
    until_s: Decimal | None = None
    """... and before this one."""
    vc: str | None = None
    """Only this virtual cluster."""
    successful: bool = False
    """Only jobs that ended as they should."""
    largest: Literal["drop", "refuse"] = "drop"
    """What to do with jobs that need more GPUs than there are."""
    keep_arrivals: bool = False
    """Do not shift time so that the first job arrives at 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """An imported trace, and what became of the jobs that are not in it."""

    instance: TraceInstance
    read: int
    """Records of the file, such as lines: of jobs, of further attempts, and left out."""
    further: int
    """How many of them are further attempts of jobs that are taken."""
    left_out: tuple[LeftOutRecords, ...]
    """What was left out, by reason."""
    unused: tuple[str, ...]
    """Columns that are not used."""
    rounding_s: Fraction
    """The most by which an arrival or a duration was rounded."""
    remarks: tuple[str, ...]

    @property
    def dropped(self) -> dict[str, int]:
        """How many records were left out, by reason."""
        return {one.reason: one.count for one in self.left_out}
