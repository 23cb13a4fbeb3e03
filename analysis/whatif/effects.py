"""The effect of one change, such as another cluster, on waits and completion times of jobs."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...instances.errors import plural
from ...instances.errors import sentence as full_sentence
from ..intervals import Interval
from ..stats.paired import JobArray, paired_change
from ..trace.parts import PartMetrics, longest_wait, three_digits, time_texts
from .cases import (
    ALL,
    AXES,
    AxisRow,
    ahead,
    more_servers,
    out_of,
    outage_text,
    place_text,
    values_of,
)
from .draws import drawn_change


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
    against: str | None
    """The group whose mean wait changes most in the other direction, if it is 1 % or more."""
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
    told = CHANGED[axis](one.at[axis], two.at[axis])
    if axis == "jobs":  # Both sides count the same jobs.
        whole, before = len(before.jcts), before.among[two.at[axis]]
        told += (
            f" ({whole - len(after.jcts):,} of {plural(whole, 'job')}), counting only the others"
        )
    all_before, all_after = before.parts[0], after.parts[0]
    waits = all_before.mean_wait_s, all_after.mean_wait_s
    p95 = all_before.p95_wait_s, all_after.p95_wait_s
    jcts = float(before.jcts.mean()), float(after.jcts.mean())
    wait = _change(before.waits, after.waits, before.arrivals)
    jct = _change(before.jcts, after.jcts, before.arrivals)
    if axis != "jobs":  # The rows have no times of some jobs only.
        wait = wait[0], _drawn(one, two, "mean_queueing_s") or wait[1]
        jct = jct[0], _drawn(one, two, "objective") or jct[1]
    change, interval = wait if waits[0] else jct
    pairs = {"mean wait": waits, "p95": p95}
    # Stopped jobs wait again.
    if axis != "jobs" and any(case.row.get("preemptions") for case in (one, two)):
        without = float(one.row["mean_waiting_s"]), float(two.row["mean_waiting_s"])
        pairs["all time without GPUs"] = without
    moved = waits[1] - waits[0]
    group = _moved(before.parts, after.parts, moved)
    against = _moved(before.parts, after.parts, -moved, LEAST)
    jct_text = f"mean JCT {' -> '.join(time_texts(jcts))}{_sure(*jct)}"
    jct_text += "" if axis == "jobs" else _lost_text(one, two)
    groups = [pair for pair in (group, against) if pair is not None]
    text = _waits_text(pairs, _sure(*wait), jct_text, groups)
    where = [place_text(name, one.at[name]) for name in axes if name != axis]
    if axis == "outages" and out_of(two):
        where.insert(0, f"{three_digits(after.outages)} until the last end")
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
        against=against[0].name if against else None,
        sentence=full_sentence(f"{told}: {text}"),
    )


def _drawn(one: AxisRow, two: AxisRow, name: str) -> Interval | None:
    """Return the change of a mean over draws of random outages, if there are enough of them."""
    if not (one.drawn or two.drawn):
        return None
    return drawn_change(one.drawn or (one.row,), two.drawn or (two.row,), name)


def _lost_text(one: AxisRow, two: AxisRow) -> str:
    """Return goodput and lost work before and after, if there are outages."""
    rows = one.row, two.row
    if not (out_of(one) or out_of(two)) or any(row.get("goodput") is None for row in rows):
        return ""
    goods = " -> ".join(f"{three_digits(100 * row['goodput'])} %" for row in rows)
    lost = " -> ".join(f"{three_digits(row['lost_gpu_s'] / 3600)} GPU-h" for row in rows)
    return f", goodput {goods}" + (f", lost work {lost}" if any(r["lost_s"] for r in rows) else "")


def _waits_text(
    pairs: Mapping[str, tuple[float, float]],
    sure: str,
    jcts: str,
    groups: Sequence[tuple[PartMetrics, PartMetrics]],
) -> str:
    """Return waits before and after, all in one unit, and the groups that gain or lose most."""
    own = [(one.mean_wait_s, two.mean_wait_s) for one, two in groups]
    said = iter(time_texts([time for pair in (*pairs.values(), *own) for time in pair]))
    texts = [f"{name} {next(said)} -> {next(said)}" for name in pairs]
    text = ", ".join([texts[0] + sure, *texts[1:], jcts])
    for (one, _), waits in zip(groups, own, strict=True):
        text += f". Group {one.name} {_verb(waits)} most: mean wait {next(said)} -> {next(said)}"
    return text


def _change(
    before: JobArray, after: JobArray, arrivals: JobArray
) -> tuple[float | None, Interval | None]:
    base = float(before.sum())
    change = float(after.sum()) / base - 1 if base else None
    return change, paired_change(before, after, arrivals) if base else None


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


LEAST = 0.01
"""Least relative change of a wait against the direction of all jobs that is told."""


def _moved(
    before: Sequence[PartMetrics], after: Sequence[PartMetrics], change: float, least: float = 0.0
) -> tuple[PartMetrics, PartMetrics] | None:
    """Return the group whose wait changes most in a direction, if there are several groups.

    The change is more than `least` times the longer wait.
    """
    there = {part.key: part for part in after}
    pairs = [(one, there[one.key]) for one in before if one.by == "group" and one.key in there]
    if len(pairs) < 2 or not change:
        return None
    sign = 1 if change > 0 else -1
    best = max(pairs, key=lambda pair: sign * (pair[1].mean_wait_s - pair[0].mean_wait_s))
    low, high = sorted(part.mean_wait_s for part in best)
    moves = sign * (best[1].mean_wait_s - best[0].mean_wait_s) > 0
    return best if moves and high - low > least * high else None


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
    "outages": lambda base, other: (
        outage_text(other) + (f" instead of {base}" if base != "none" else "")
    ),
    "jobs": lambda _, other: other,
    "policy": lambda base, other: f"policy {other} instead of {base}",
    "placement": lambda base, other: f"placement {other} instead of {base}",
}
"""A change of an axis in words."""


def logged(cases: Sequence[AxisRow]) -> str | None:
    """Return the waits of the log beside those under each policy, if nearly all jobs have one.

    The replays are those that are most like the log: its cluster, load and jobs if possible.
    """
    like = {"cluster": "own", "load": "1", "outages": "own", "jobs": ALL}
    at = {}
    for axis in AXES:
        there = values_of(cases, axis)
        at[axis] = like[axis] if like.get(axis) in there else there[0]
    fixed = [axis for axis in AXES if axis != "policy"]
    found = {
        case.at["policy"]: case.times.parts[0]
        for case in cases
        if case.times and all(case.at[axis] == at[axis] for axis in fixed)
    }
    every = next(iter(found.values()), None)
    if every is None or every.logged_mean_wait_s is None or every.logged_p95_wait_s is None:
        return None
    waits = [every.logged_mean_wait_s, every.logged_p95_wait_s]
    waits += [time for one in found.values() for time in (one.mean_wait_s, one.p95_wait_s)]
    mean, p95, *rest = time_texts(waits)
    said = [
        f"{rest[2 * i]} (p95 {rest[2 * i + 1]}) under {policy}" for i, policy in enumerate(found)
    ]
    where = f"cluster {at['cluster']}" + ("" if at["load"] == "1" else f" at load {at['load']}")
    text = f"In the log, jobs waited {mean} on average (p95 {p95}). "
    text += f"Replayed on {where}, they wait {and_text(said)}"
    if len(found) > 1:
        logs = every.logged_mean_wait_s
        near = min(found, key=lambda policy: abs(found[policy].mean_wait_s - logs))
        text += f". The mean wait of the log is closest to that under {near}"
    return full_sentence(text)


def waiting_groups(cases: Sequence[AxisRow]) -> str | None:
    """Return the group that waits longest under each policy, everything else as first asked for."""
    first = {axis: values_of(cases, axis)[0] for axis in AXES if axis != "policy"}
    said: dict[str, list[str]] = {}
    for case in cases:
        if case.times and all(case.at[axis] == value for axis, value in first.items()):
            longest = longest_wait(case.times.parts)
            if longest:
                text = f"{case.at['policy']} ({longest[1]})"
                said.setdefault(longest[0].name, []).append(text)
    texts = (f"Group {name} waits longest under {and_text(own)}" for name, own in said.items())
    return full_sentence(". ".join(texts)) if said else None


def and_text(words: Sequence[str]) -> str:
    """Return an enumeration."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def contests(cases: Sequence[AxisRow], margin: float | None) -> list[str]:
    """Return whether another policy on a smaller cluster beats the first policy on a larger one.

    Clusters are compared with the first cluster, everything else as first asked for.
    """
    first = {axis: values_of(cases, axis)[0] for axis in AXES}
    free = ("cluster", "policy")
    found = {
        (case.at["policy"], case.at["cluster"]): case
        for case in cases
        if case.times and all(case.at[axis] == first[axis] for axis in AXES if axis not in free)
    }
    sizes = {cluster: case.times.gpus for (_, cluster), case in found.items() if case.times}
    base, policy = first["cluster"], first["policy"]
    said = []
    for other in values_of(cases, "policy")[1:]:
        for cluster in values_of(cases, "cluster")[1:]:
            small, large = sorted((base, cluster), key=lambda name: sizes.get(name, 0))
            one, two = found.get((other, small)), found.get((policy, large))
            if one and two and sizes[small] < sizes[large]:
                said.append(_contest(one, two, margin))
    return said


def _contest(one: AxisRow, two: AxisRow, margin: float | None) -> str:
    """Return the better of two cases by mean completion time, with both times and waits."""
    order = ahead(one, two, margin)
    pair = (two, one) if order < 0 else (one, two)
    names = []
    for case in pair:
        assert case.times is not None
        size = plural(case.times.gpus, "GPU")
        names.append(f"policy {case.at['policy']} on {case.at['cluster']} ({size})")
    jcts = time_texts([case.mean or 0.0 for case in pair])
    waits = time_texts([case.times.parts[0].mean_wait_s for case in pair if case.times])
    if order:
        numbers = f"mean JCT {jcts[0]} against {jcts[1]}, mean wait {waits[0]} against {waits[1]}"
        return full_sentence(f"{names[0]} beats {names[1]}: {numbers}")
    numbers = f"mean JCT {jcts[0]} and {jcts[1]}, mean wait {waits[0]} and {waits[1]}"
    return full_sentence(f"{names[0]} and {names[1]} tie: {numbers}")
