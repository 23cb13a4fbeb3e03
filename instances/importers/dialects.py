"""Job lists as CSV: one reader, and for each dialect what its columns are called."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ..decode import Decoder
from ..errors import Words
from .cells import Cells
from .job import Exact, Foreign, ForeignJob, Source
from .lines import table


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
    """If given: a column with the number of instances, each of which has so many GPUs."""
    good: str = ""
    """The state of a job that ended as it should; none if the list has no states."""
    dates: bool = False
    """Whether jobs arrive at dates rather than at numbers."""
    unit: Exact = 1
    """What the numbers count, in seconds."""
    mark: str = ""
    """A column that this dialect has, though it is not used, and others do not."""

    @property
    def needed(self) -> list[str]:
        """The columns that must be there."""
        state = [self.state] if self.good else []
        mark = [self.mark] if self.mark else []
        return [self.name, self.arrival, self.gpus, self.duration, *state, *mark]

    def read(self, source: Source, faults: Decoder) -> Foreign:
        """Read a job list."""
        jobs: list[ForeignJob] = []
        parts = 0
        for cells in table(source.text, self.needed, faults):
            if not jobs:
                self._refuse_others(cells, faults)
            gpus = self._gpus(cells)
            parts += gpus is not None and gpus.denominator > 1
            jobs.append(self._job(cells, None if gpus is None else ceil(gpus)))
        said = f"{parts} jobs ask for parts of GPUs; each has the next whole number"
        return Foreign(jobs=jobs, remarks=(said,) if parts else ())

    def _refuse_others(self, cells: Cells, faults: Decoder) -> None:
        """Note the mark of another dialect, whose numbers count something else."""
        for name, mark in MARKS.items():
            if mark != self.mark and mark in cells.cells:
                advice = f"say `ringyard import {name}`"
                faults.fault("line 1", Words(f"column {mark}"), "a list without it", advice)

    def _gpus(self, cells: Cells) -> Exact | None:
        if not self.instances:
            return cells.whole(self.gpus)
        each, instances = cells.number(self.gpus), cells.whole(self.instances)
        return None if each is None else each * (1 if instances is None else instances)

    def _job(self, cells: Cells, gpus: int | None) -> ForeignJob:
        arrival = cells.moment(self.arrival) if self.dates else cells.number(self.arrival)
        duration = cells.number(self.duration)
        return ForeignJob(
            place=cells.place,
            name=cells.needed(self.name),
            arrival=None if arrival is None else arrival * (1 if self.dates else self.unit),
            gpus=gpus,
            duration=None if duration is None else duration * self.unit,
            model=cells.name(self.model),
            good=not self.good or cells.text(self.state) == self.good,
            vc=cells.text(self.vc) or None,
        )


HELIOS = Dialect(gpus="gpu_num", good="COMPLETED", dates=True)
PAI = Dialect(gpus="num_gpu", instances="num_inst")
TIRESIAS = Dialect(gpus="num_gpu")
MARKS = {"muri": "resource_time_0", "chronus": "expect_time_list"}
MURI = Dialect(gpus="num_gpu", mark=MARKS["muri"], unit=Fraction(1, 1000))
CHRONUS = Dialect(gpus="num_gpu", mark=MARKS["chronus"], vc="user", unit=60)
