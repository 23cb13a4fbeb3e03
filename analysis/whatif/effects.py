"""The effect of one change, such as another cluster, on waits and completion times of jobs."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...instances.errors import sentence as full_sentence
from ..intervals import Interval
from ..stats.paired import JobArray, paired_change
from ..trace.parts import PartMetrics, time_text
from .cases import AXES, AxisRow, more_servers, values_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A second value of an axis against the first one, everything else equal, with a sentence."""

    axis: str
    base: str
    other: str
    mean_wait_s: tuple[float, float]
    p95_wait_s: tuple[float, float]
    mean_jct_s: tuple[float, float]
    change: float | None
    """Relative change of the mean wait, or of the mean JCT if nobody waits before."""
    interval: tuple[float, float] | None
    group: str | None
    """The group whose mean wait changes most, in the direction of the change of all jobs."""
    sentence: str


def effects(cases: Sequence[AxisRow], axes: Sequence[str]) -> list[Effect]:
    """Return the effect of every other value of the varied axes, in the order of the request."""
    found: list[Effect] = []
    for axis in axes:
        base, *others = values_of(cases, axis)
        firsts = {_rest(case, axis): case for case in cases if case.at[axis] == base}
        for other in others:
            for case in cases:
                first = firsts.get(_rest(case, axis))
                if case.at[axis] == other and first is not None:
                    found += _effect(axis, first, case, axes)
    return found


def _rest(case: AxisRow, axis: str) -> tuple[str, ...]:
    return tuple(case.at[one] for one in AXES if one != axis)


def _effect(axis: str, one: AxisRow, two: AxisRow, axes: Sequence[str]) -> Iterator[Effect]:
    before, after = one.times, two.times
    if before is None or after is None:
        return
    all_before, all_after = before.parts[0], after.parts[0]
    waits = all_before.mean_wait_s, all_after.mean_wait_s
    p95 = all_before.p95_wait_s, all_after.p95_wait_s
    jcts = float(before.jcts.mean()), float(after.jcts.mean())
    wait = _change(before.waits, after.waits, before.arrivals)
    jct = _change(before.jcts, after.jcts, before.arrivals)
    change, interval = wait if waits[0] else jct
    text = f"mean wait {_pair(waits)}{_sure(*wait)}, p95 {_pair(p95)}"
    if any(case.row.get("preemptions") for case in (one, two)):  # Stopped jobs wait again.
        without = float(one.row["mean_waiting_s"]), float(two.row["mean_waiting_s"])
        text += f", all time without GPUs {_pair(without)}"
    text += f", mean JCT {_pair(jcts)}{_sure(*jct)}"
    group = _moved(before.parts, after.parts, waits[1] - waits[0])
    if group is not None:
        own = group[0].mean_wait_s, group[1].mean_wait_s
        text += f". Group {group[0].name} {_verb(own)} most: mean wait {_pair(own)}"
    where = [f"{name} {one.at[name]}" for name in axes if name != axis]
    told = CHANGED[axis](one.at[axis], two.at[axis])
    told += f" ({', '.join(where)})" if where else ""
    yield Effect(
        axis=axis,
        base=one.at[axis],
        other=two.at[axis],
        mean_wait_s=waits,
        p95_wait_s=p95,
        mean_jct_s=jcts,
        change=change,
        interval=None if interval is None else (interval.low, interval.high),
        group=group[0].name if group else None,
        sentence=full_sentence(f"{told}: {text}"),
    )


def _change(
    before: JobArray, after: JobArray, arrivals: JobArray
) -> tuple[float | None, Interval | None]:
    base = float(before.sum())
    change = float(after.sum()) / base - 1 if base else None
    return change, paired_change(before, after, arrivals) if base else None


def _pair(times: tuple[float, float]) -> str:
    return " -> ".join(time_text(time, beside=max(times)) for time in times)


def _sure(change: float | None, interval: Interval | None) -> str:
    """Return a change in per cent, with its interval, in brackets."""
    if change is None:
        return ""
    text = _percent(change)
    if interval is not None and interval.low < interval.high:
        text += f", 95 % interval {_percent(interval.low)} to {_percent(interval.high)}"
    return f" ({text})"


def _percent(part: float) -> str:
    return f"{100 * part:+.0f} %" if abs(part) >= 0.1 else f"{100 * part:+.1f} %"


def _verb(waits: tuple[float, float]) -> str:
    return "gains" if waits[1] < waits[0] else "loses"


def _moved(
    before: Sequence[PartMetrics], after: Sequence[PartMetrics], change: float
) -> tuple[PartMetrics, PartMetrics] | None:
    """Return the group whose wait changes most in a direction, if there are several groups."""
    pairs = [pair for pair in zip(before, after, strict=True) if pair[0].by == "group"]
    if len(pairs) < 2 or not change:
        return None
    sign = 1 if change > 0 else -1
    best = max(pairs, key=lambda pair: sign * (pair[1].mean_wait_s - pair[0].mean_wait_s))
    return best if sign * (best[1].mean_wait_s - best[0].mean_wait_s) > 0 else None


PIECE = re.compile(r"([+-])(\d+)x(\d+)", re.ASCII)


def cluster_text(base: str, other: str) -> str:
    """Return a change of clusters in words, as in `2 more servers of 8 GPUs`."""
    if base == "own" and other.startswith("own-") and not PIECE.match(other, 3):
        return f"without server {other[4:]}"
    pieces = PIECE.findall(other) if base == "own" and other.startswith("own") else []
    if "".join(f"{sign}{count}x{gpus}" for sign, count, gpus in pieces) != other[3:] or not pieces:
        return f"cluster {other} instead of {base}"
    return " and ".join(more_servers(int(sign + count), int(gpus)) for sign, count, gpus in pieces)


CHANGED: dict[str, Callable[[str, str], str]] = {
    "cluster": cluster_text,
    "load": lambda base, other: f"load {other} instead of {base}",
    "contention": lambda base, other: f"contention {other} instead of {base}",
    "policy": lambda base, other: f"policy {other} instead of {base}",
    "placement": lambda base, other: f"placement {other} instead of {base}",
}
"""A change of an axis in words."""


def logged(case: AxisRow) -> str | None:
    """Return the waits of the log beside those of a replay, if nearly all jobs have one."""
    every = case.times.parts[0] if case.times else None
    if every is None or every.logged_mean_wait_s is None or every.logged_p95_wait_s is None:
        return None
    return (
        f"In the log, jobs waited {time_text(every.logged_mean_wait_s)} on average "
        f"(p95 {time_text(every.logged_p95_wait_s)}). Replayed under {case.at['policy']} on "
        f"cluster {case.at['cluster']}, they wait {time_text(every.mean_wait_s)} "
        f"(p95 {time_text(every.p95_wait_s)})."
    )
