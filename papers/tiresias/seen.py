"""What methods made of a set of instances, seed by seed, and one of them over another."""

from dataclasses import dataclass

from ...analysis.intervals import Interval, paired_ratio, student
from ...analysis.rows import Row

BASE, PACKED = "Tiresias-L", "Tiresias-L, packed"

METHODS = {
    BASE: "tiresias-l",
    PACKED: "tiresias-l:placement=pack",
    "Tiresias-G": "tiresias-g",
    "YARN-CS": "yarn-cs",
    "Best-effort": "best-effort",
    "Gandiva": "gandiva",
    "SRTF": "srtf",
    "SRSF": "srsf",
}
"""What is compared, and the methods that stand for it here; packed: no job waits for servers."""

OPTIONS = {
    "packed": "tiresias-l:placement=pack",
    "all consolidated": "tiresias-l:placement=consolidate",
    "threshold 1 h": "tiresias-l:thresholds=[3600]",
    "threshold 2 h": "tiresias-l:thresholds=[7200]",
    "threshold 4 h": "tiresias-l:thresholds=[14400]",
    "packed, threshold 2 h": "tiresias-l:placement=pack:thresholds=[7200]",
    "3 queues": "tiresias-l:thresholds=[3200, 12800]",
    "4 queues": "tiresias-l:thresholds=[3200, 12800, 51200]",
}
"""Options of Tiresias-L; thresholds count GPU-seconds."""

MEAN, MEDIAN, TAIL = "objective", "median_jct_s", "p95_jct_s"
"""Columns of completion times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The rows of a mix by method, and the certified bound of each seed."""

    mix: str
    rows: dict[str, list[Row]]
    bounds: tuple[float, ...]

    def values(self, name: str, column: str) -> list[float]:
        """Return a column of a method, seed by seed."""
        return [float(row[column]) for row in self.rows[name]]

    def mean(self, name: str, column: str) -> Interval:
        """Return its mean over the seeds."""
        return student(self.values(name, column))

    def ratio(self, name: str, column: str, base: str = BASE) -> Interval:
        """Return the column over that of another method, seed by seed."""
        return paired_ratio(self.values(name, column), self.values(base, column))

    def over_bound(self, name: str) -> Interval:
        """Return the mean completion time over the certified bound."""
        return paired_ratio(self.values(name, MEAN), self.bounds)
