"""Tables of what-if questions: all replays, the order of policies, and groups and sizes of jobs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from ..intervals import FEWEST, Interval
from ..rows import FAILED, by_key
from ..tables.model import Cell, Column, Table, decimals, texts
from ..trace.parts import PartMetrics, group_notes, unit_of
from .cases import (
    ALL,
    AXES,
    AxisRow,
    ahead,
    contender,
    out_of,
    place_text,
    ties_text,
    values_of,
    varied,
)
from .draws import drawn_cell

Take = Callable[[AxisRow], Cell]


def _column(name: str) -> Take:
    return lambda case: case.row[name]


def _percent(name: str) -> Take:
    return lambda case: None if case.row[name] is None else 100 * case.row[name]


JAIN, GOODPUT, LOST = "Jain's index", "goodput, %", "lost, GPU-h"
"""Heads of columns that are left out where jobs have no groups, or servers have no outages."""


def _drawn(case: AxisRow, name: str) -> Cell:
    """Return the mean of a column, with its interval over the draws of random outages, if any."""
    if case.mean is None:
        return None
    return drawn_cell(case.drawn, name) if case.drawn else case.row.get(name)


def _scaled(value: Cell, size: float) -> Cell:
    """Return a number, or an interval with its ends, divided by a size."""
    if isinstance(value, Interval):
        mean, low, high = (end / size for end in (value.mean, value.low, value.high))
        return replace(value, mean=mean, low=low, high=high)
    return value / size if isinstance(value, int | float) else value


def _percents(value: Cell) -> Cell:
    return _scaled(value, 0.01)


def _hours(value: Cell) -> Cell:
    return _scaled(value, 3600)


METRICS: tuple[tuple[str, str, Take, int, bool, int], ...] = (
    ("JCT, {}", "mean", lambda case: _drawn(case, "objective"), 2, True, 0),
    ("JCT, {}", "p50", _column("median_jct_s"), 2, True, 7),
    ("JCT, {}", "p95", _column("p95_jct_s"), 2, True, 1),
    ("JCT, {}", "p99", _column("p99_jct_s"), 2, True, 6),
    ("wait, {}", "mean", _column("mean_queueing_s"), 2, True, 0),
    ("wait, {}", "p50", _column("median_queueing_s"), 2, True, 2),
    ("wait, {}", "p95", _column("p95_queueing_s"), 2, True, 0),
    ("wait, {}", "p99", _column("p99_queueing_s"), 2, True, 1),
    ("wait, {}", "total", _column("mean_waiting_s"), 2, True, 1),
    ("", "makespan, {}", _column("makespan_s"), 1, True, 8),
    ("", "slowdown", _column("mean_slowdown"), 1, True, 2),
    ("", "worst ratio", _column("worst_unfairness"), 1, False, 4),
    ("", "unfair, %", _percent("unfair_share"), 1, False, 3),
    ("", JAIN, _column("group_fairness"), 2, False, 3),
    ("", "preempted", _column("preemptions"), 0, False, 4),
    ("GPU-time, %", "used", _percent("utilisation_arriving"), 1, False, 3),
    ("GPU-time, %", "across", _percent("spread_share"), 1, False, 9),
    ("GPU-time, %", "fragments", _percent("fragmentation"), 1, False, 10),
    ("", GOODPUT, lambda case: _percents(_drawn(case, "goodput")), 1, False, 0),
    ("", LOST, lambda case: _hours(_drawn(case, "lost_gpu_s")), 1, False, 0),
    ("", "gap, %", lambda case: None if case.gap is None else 100 * case.gap, 1, False, 5),
)
"""Both heads of a column, its value, its decimals, whether its least is marked, and its priority
to be left out of a narrow table.

Braces stand for the unit of times.
"""

UNSAID = ("own", "1", "usual", ALL)
"""Default values that are not stated."""

NOTE = (
    "JCT: from arrival to completion. Wait: from arrival to first start; total: mean of all time "
    "without GPUs. Slowdown: mean of JCT over duration. Worst ratio: largest JCT over the time on "
    "an equal part of the cluster. Unfair: jobs with a ratio above 1.05. Jain's index: of the "
    "groups' GPU-time over their shares, until the last arrival. Preempted: "
    "stops of unfinished jobs. GPU-time used: until the last arrival. Across: share of used "
    "GPU-time in multi-server runs. Fragments: share of idle GPU-time in pieces too small for the "
    "jobs. Gap: largest possible distance of the mean JCT from the optimum."
)


OUTAGES = (
    "Goodput: work of the jobs over the GPU-time that they hold. Lost: work since the last "
    "checkpoint as an outage begins, as GPU-time."
)
OTHERS = "Rows without some jobs count only the others. The sentences compare the same jobs."


def comparison_table(cases: Sequence[AxisRow], caption: str) -> Table:
    """Return a line for each replay, with axes of a single value in the caption."""
    axes = varied(cases) or ["policy"]
    fixed = {axis: values_of(cases, axis)[0] for axis in AXES if axis not in axes}
    stated = [place_text(axis, value) for axis, value in fixed.items() if value not in UNSAID]
    size, unit = unit_of(case.row["p99_jct_s"] for case in cases if case.mean is not None)
    out = any(map(out_of, cases))
    left = {JAIN} if not any(case.row.get("group_fairness") for case in cases) else set()
    left |= set() if out else {GOODPUT, LOST}
    metrics = [one for one in METRICS if one[1] not in left]
    lines = [[_in_unit(case, size, one) for one in metrics] for case in cases]
    columns = [*texts(*axes)]
    for i, (over, head, _, most, best, optional) in enumerate(metrics):
        digits = decimals((line[i] for line in lines), most)
        columns.append(
            Column(
                head=head.format(unit),
                over=over.format(unit),
                digits=digits,
                best="min" if best else None,
                optional=optional,
            )
        )
    failed = any(case.mean is None for case in cases)
    columns += texts("status") * failed
    return Table(
        caption=f"{caption} ({', '.join(stated)})" if stated else caption,
        columns=tuple(columns),
        rows=tuple(
            (*(case.at[axis] for axis in axes), *line, *[case.row["status"]] * failed)
            for case, line in zip(cases, lines, strict=True)
        ),
        notes=(
            NOTE,
            *[OUTAGES] * out,
            *_draw_notes(cases),
            *[OTHERS] * ("jobs" in axes),
            *bound_notes(cases),
            *failures(cases),
        ),
        shared=sum(axis not in ("policy", "placement") for axis in axes),
    )


def _in_unit(case: AxisRow, size: float, metric: tuple[str, str, Take, int, bool, int]) -> Cell:
    """Return the value of a metric. A time is divided by the seconds of the unit of the table."""
    over, head, take, *_ = metric
    value = take(case)
    return _scaled(value, size) if "{}" in over + head else value


def _draw_notes(cases: Sequence[AxisRow]) -> list[str]:
    """Return what numbers over several draws of random outages are."""
    draws = sorted({len(case.drawn) for case in cases if case.drawn})
    if not draws:
        return []
    text = f"Random outages: means over {' or '.join(map(str, draws))} draws"
    more = ", with 95 % intervals over them (Student's t on a log scale)" * (draws[-1] >= FEWEST)
    return [f"{text}{more}."]


def bound_notes(cases: Sequence[AxisRow]) -> list[str]:
    """Return the kinds of the bounds."""
    kinds = sorted({case.kind for case in cases if case.gap is not None})
    return [f"Bounds: {', '.join(kinds)}."] if kinds else []


def failures(cases: Sequence[AxisRow]) -> list[str]:
    """Return the reasons of replays without numbers."""
    return [
        f"{case.row['method']} on {case.row['instance']}: {case.row['status']}: {_why(case)}"
        for case in cases
        if case.mean is None
    ]


def _why(case: AxisRow) -> str:
    row = case.row
    broken = f"its schedule breaks {row['violation']}" if row["violations"] else None
    note = "; ".join(map(str.strip, str(row["note"] or "").splitlines()))
    named = note.removeprefix(f"{row['instance']}: ")
    if "outage" in named and case.at["outages"] != "none":
        named += " Give --outages none for a replay without them."
    return broken or named or (row["status"] if row["status"] in FAILED else "no schedule")


def orders(cases: Sequence[AxisRow], margin: float | None) -> Table | None:
    """Return the policies of each place from best to worst, None for a single policy."""
    if len({contender(case, cases) for case in cases if case.mean is not None}) < 2:
        return None
    axes = [axis for axis in varied(cases) if axis not in ("policy", "placement")]
    known = (case for case in cases if case.mean is not None)
    places = by_key(known, lambda case: tuple(case.at[axis] for axis in axes))
    return Table(
        caption="From best to worst by mean JCT",
        columns=texts(*axes, "best to worst"),
        rows=tuple((*place, _order(some, margin)) for place, some in places.items()),
        notes=(f"`=` separates policies that tie: {ties_text(margin)}.",),
    )


def _order(cases: list[AxisRow], margin: float | None) -> str:
    ranked = sorted(cases, key=lambda case: (case.mean or 0.0, contender(case, cases)))
    text = contender(ranked[0], cases)
    for before, case in pairwise(ranked):
        text += f" {'<' if ahead(before, case, margin) > 0 else '='} {contender(case, cases)}"
    return text


MOST_CASES = 4
"""Most replays that a table of parts has side by side on a terminal."""


def parts_table(cases: Sequence[AxisRow], most: int | None = None) -> Table | None:
    """Return waits by group and size in the first replays, beside those of the log."""
    known = [(case, case.times.parts) for case in cases if case.times][:most]
    if not known or len(known[0][1]) < 2:
        return None
    axes = varied(cases) or ["policy"]
    size, unit = unit_of(part.p95_wait_s for _, parts in known for part in parts)
    columns = [*texts("jobs"), Column(head="number")]
    logged = any(part.logged_mean_wait_s is not None for part in known[0][1])
    overs = ["in the log"] * logged + [", ".join(case.at[a] for a in axes) for case, _ in known]
    digits = 2 if unit == "h" else 1
    columns += [
        Column(head=head, over=over, digits=digits, optional=max(0, i - logged))
        for i, over in enumerate(overs)
        for head in ("mean", "p95")
    ]
    more = len([case for case in cases if case.times]) - len(known)
    notes = group_notes(known[0][1])
    notes += (f"Only the first {most} replays: parts.csv and --json have all.",) if more else ()
    found = [{part.key: part for part in parts} for _, parts in known]
    return Table(
        caption=f"Waits by group and size, {unit}",
        columns=tuple(columns),
        rows=tuple(
            _part_row(one, [parts.get(one.key) for parts in found], logged, size)
            for one in known[0][1]
        ),
        notes=notes,
    )


def _part_row(
    one: PartMetrics, parts: Sequence[PartMetrics | None], logged: bool, size: float
) -> tuple[Cell, ...]:
    times = [one.logged_mean_wait_s, one.logged_p95_wait_s] if logged else []
    for part in parts:
        times += [part.mean_wait_s, part.p95_wait_s] if part else [None, None]
    return (one.label, one.jobs, *(None if time is None else time / size for time in times))
