"""Job lists as CSV: one reader, and for each dialect what its columns are called."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from .cells import PARTS, Cells, Exact, Foreign, ForeignJob, Source
from .lines import LineLayout, table
from .reading import Reading, Record

MARKS = {"muri": "resource_time_0", "chronus": "expect_time_list"}
"""Columns that a dialect has and others have not; they are not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The names of the columns of a job list, and what is in them."""

    gpus: str
    name: str = "job_id"
    arrival: str = "submit_time"
    duration: str = "duration"
    model: str = "model_name"
    state: str = "state"
    vc: str = "vc"
    instances: str = ""
    """If given: a column with the number of instances, each of which has that many GPUs."""
    good: str = ""
    """The state of a job that ended as it should; none if the list has no states."""
    dates: bool = False
    """Whether jobs arrive at dates rather than at numbers."""
    unit: Exact = 1
    """What the numbers count, in seconds."""
    mark: str = ""
    """Its entry of `MARKS`."""

    @property
    def layout(self) -> LineLayout:
        """What its lines look like."""
        state = [self.state] if self.good else []
        return LineLayout(
            needed=(self.name, self.arrival, self.gpus, self.duration, *state),
            others=(self.model, self.vc, self.instances),
            mark=self.mark,
            strangers={
                column: f"say `ringyard import {name}`"
                for name, column in MARKS.items()
                if column != self.mark
            },
        )

    def read(self, source: Source, faults: Reading) -> Foreign:
        """Read a job list."""
        rows = table(source.text, self.layout, faults, source.columns)
        return Foreign(jobs=list(faults.each(rows, self._job)))

    def _gpus(self, cells: Cells) -> int | None:
        """Return the GPUs of a job, parts of them as the next whole number."""
        if not self.instances:
            return cells.whole(self.gpus)
        each, instances = cells.number(self.gpus), cells.whole(self.instances)
        if each is None:
            return None
        gpus = each * (1 if instances is None else instances)
        if gpus.denominator > 1:
            cells.faults.tell(PARTS)
        return ceil(gpus)

    def _job(self, record: Record, cells: Cells) -> ForeignJob:
        arrival = cells.moment(self.arrival) if self.dates else cells.number(self.arrival)
        duration = cells.number(self.duration)
        return ForeignJob(
            record=record,
            name=cells.needed(self.name),
            arrival=None if arrival is None else arrival * (1 if self.dates else self.unit),
            gpus=self._gpus(cells),
            duration=None if duration is None else duration * self.unit,
            model=cells.name(self.model),
            good=not self.good or cells.text(self.state) == self.good,
            vc=cells.text(self.vc) or None,
        )


HELIOS = Dialect(gpus="gpu_num", good="COMPLETED", dates=True)
PAI = Dialect(gpus="num_gpu", instances="num_inst")
TIRESIAS = Dialect(gpus="num_gpu")
MURI = Dialect(gpus="num_gpu", mark=MARKS["muri"], unit=Fraction(1, 1000))
CHRONUS = Dialect(gpus="num_gpu", mark=MARKS["chronus"], vc="user", unit=60)
