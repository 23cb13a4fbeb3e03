"""Cases of a what-if question: rows with the value of every axis, and the times of their jobs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ...instances.errors import plural
from ..intervals import Interval
from ..rows import Row
from ..stats.paired import JobArray, paired_change
from ..trace.parts import PartMetrics

AXES = ("cluster", "load", "contention", "outages", "jobs", "policy", "placement")
"""The axes along which replays of one workload differ."""

ALL = "all"
"""The value of the axis `jobs` that leaves no job out."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReplayTimes:
    """Waits and completion times of all jobs in a replay, in the order of the trace, in seconds."""

    arrivals: JobArray
    """Arrivals in the trace itself, whatever the load of the replay."""
    waits: JobArray
    jcts: JobArray
    parts: tuple[PartMetrics, ...]
    gpus: int = 0
    """All GPUs of the cluster."""
    outages: float = 0
    """Outages that begin before the last job ends."""
    among: Mapping[str, "ReplayTimes"] = field(default_factory=dict)
    """The same replay, restricted to the jobs that another value of the axis `jobs` leaves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisRow:
    """The value of every axis, a row, the best proved bound of its instance, and job times."""

    at: Mapping[str, str]
    row: Row
    bound: float | None
    kind: str
    times: ReplayTimes | None = None
    drawn: tuple[Row, ...] = ()
    """The row of each draw of random outages. Their means are in `row`."""

    @property
    def mean(self) -> float | None:
        """The mean completion time, if the judge has one."""
        return float(self.row["objective"]) if self.row["valid"] else None

    @property
    def gap(self) -> float | None:
        """Distance of the mean from the bound, relative to the mean."""
        if self.mean is None or self.bound is None:
            return None
        return (self.mean - self.bound) / self.mean


def place_of(at: Mapping[str, str]) -> tuple[str, ...]:
    """Return the value of each axis, in their order."""
    return tuple(at[axis] for axis in AXES)


def more_servers(change: int, gpus: int) -> str:
    """Return a number of added servers, or removed ones below 0, in words."""
    word = "more" if change > 0 else "fewer"
    servers = "server" if abs(change) == 1 else "servers"
    return f"{abs(change):,} {word} {servers} of {plural(gpus, 'GPU')}"


def place_text(axis: str, value: str) -> str:
    """Return the value of an axis in words, as in `policy fifo` or `without group=nlp`."""
    if axis == "jobs":
        return "all jobs" if value == ALL else value
    if axis == "outages":
        return outage_text(value)
    return f"{axis} {value}"


def outage_text(value: str) -> str:
    """Return a value of the axis `outages` in words."""
    if value == "none":
        return "without outages"
    return "with the outages of the trace" if value == "own" else f"with outages {value}"


def out_of(case: AxisRow) -> bool:
    """Return True if servers are out of service during the replay, or may be at random."""
    drawn = case.at["outages"] not in ("none", "own")
    return case.times is not None and (drawn or case.times.outages > 0)


def values_of(cases: Sequence[AxisRow], axis: str) -> list[str]:
    """Return the values of an axis, in the order of the request."""
    return list(dict.fromkeys(case.at[axis] for case in cases))


def contender(case: AxisRow, cases: Sequence[AxisRow]) -> str:
    """Return an operator's daily choice: the policy, and the placement if varied."""
    place = case.at["placement"]
    return case.at["policy"] + (f" {place}" if "placement" in varied(cases) else "")


def varied(cases: Sequence[AxisRow]) -> list[str]:
    """Return the axes that have more than one value."""
    return [axis for axis in AXES if len(values_of(cases, axis)) > 1]


DEFAULT_MARGIN = 0.01
"""Relative difference of means that counts as a tie without an interval."""


def lead(first: float, second: float) -> float:
    """Return the relative difference to the larger value, negative if the first is larger."""
    return (second - first) / max(first, second)


def ahead(one: AxisRow, other: AxisRow, margin: float | None) -> int:
    """Return 1 if the first case has the clearly smaller mean JCT, -1 if the other, 0 for a tie.

    Without a margin, a difference is clear if its interval excludes 0.
    """
    assert one.mean is not None
    assert other.mean is not None
    found = None if margin is not None else _change(one.times, other.times)
    if found is not None:
        return (found.low > 0) - (found.high < 0)
    gap = lead(one.mean, other.mean)
    margin = DEFAULT_MARGIN if margin is None else margin
    return (gap > margin) - (gap < -margin)


def has_intervals(cases: Sequence[AxisRow]) -> bool:
    """Return True if differences between these cases have intervals."""
    known = [case.times for case in cases if case.times is not None]
    return bool(known) and _change(known[0], known[0]) is not None


@lru_cache(maxsize=10_000)
def _change(one: ReplayTimes | None, other: ReplayTimes | None) -> Interval | None:
    """Return the relative change of the mean JCT from the first replay to the second."""
    if one is None or other is None:
        return None
    return paired_change(one.jcts, other.jcts, one.arrivals)


def ties_text(margin: float | None) -> str:
    """Return the rule by which cases tie."""
    if margin is None:
        return "the 95 % interval of the difference includes 0"
    return f"within {share(margin)}"


def share(part: float) -> str:
    """Show a part in per cent."""
    return f"{100 * part:.3g} %"
