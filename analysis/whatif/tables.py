"""The replays of a workload side by side, the order of policies in each place, and sentences."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from ...instances.errors import plural
from ..by_key import by_key
from ..rows import FAILED
from ..tables import Cell, Column, Table, decimals, texts
from .cases import AXES, AxisRow, contender, values_of, varied
from .flips import ACROSS, ALONG, Flip, lead

UNDER = {"contention": "under {}", "load": "at load {}", "cluster": "on {}"}
"""How a sentence says where it holds, by axis."""
MODELS = {"contention": "contention model", "load": "load", "cluster": "cluster"}
PLURAL = {"policy": "policies", "placement": "placements", "cluster": "clusters"}
RANK = ("reversed", "vanished", "appeared")
"""Kinds of change, the gravest first."""


def changes(found: Sequence[Flip]) -> list[Flip]:
    """Return the comparisons that do not keep, the gravest and clearest first."""
    changed = [one for one in found if one.kind in RANK]
    return sorted(changed, key=_rank)


def _rank(one: Flip) -> tuple[int, int, int, float]:
    return RANK.index(one.kind), ALONG.index(one.along), ACROSS.index(one.across), -one.size


def summaries(found: Sequence[Flip], margin: float) -> list[str]:
    """Return how many comparisons change, for each pair of axes."""
    kinds: dict[tuple[str, str, str], Counter[str]] = {}
    for one in found:
        kinds.setdefault((one.across, one.along, one.base), Counter())[one.kind] += 1
    return [
        f"From {base} to another {MODELS[across]}, {_changed(count, PLURAL[along])} "
        f"(equal: within {share(margin)})."
        for (across, along, base), count in kinds.items()
    ]


def _changed(count: Counter[str], what: str) -> str:
    of = f"of {plural(count.total(), 'comparison')} of {what} by mean JCT"
    if count["kept"] == count.total():
        return f"none {of} comes out another way"
    turns = zip(("reversed", "now equal", "no longer equal"), RANK, strict=True)
    return f"{of}: " + ", ".join(f"{count[kind]:,} {turn}" for turn, kind in turns)


def sentence(one: Flip, varied: Sequence[str], margin: float) -> str:
    """Say how a comparison comes out before and after, where `varied` axes have which values."""
    places = [f"{axis} {value}" for axis, value in one.at.items() if axis in varied]
    where = f"{', '.join(places)}: " if places else ""
    here, there = (UNDER[one.across].format(value) for value in (one.base, one.other))
    names = one.first, one.second
    return (
        f"{where}{here} {_outcome(names, one.before, margin)}; "
        f"{there} {_outcome(names, one.after, margin)}"
    )


def _outcome(names: tuple[str, str], means: tuple[float, float], margin: float) -> str:
    ahead = lead(*means)
    if ahead < 0:
        return _outcome(names[::-1], means[::-1], margin)
    digits = 0 if max(means) >= 1000 else 1
    times = ", ".join(f"{mean:,.{digits}f} s" for mean in means)
    if ahead <= margin:
        return f"{names[0]} and {names[1]} are equal ({times})"
    return f"{names[0]} takes {share(ahead)} less than {names[1]} ({times})"


def share(part: float) -> str:
    """Show a part in per cent."""
    return f"{100 * part:.3g} %"


Take = Callable[[AxisRow], Cell]


def _seconds(name: str) -> Take:
    return lambda case: case.row[name]


def _percent(name: str) -> Take:
    return lambda case: None if case.row[name] is None else 100 * case.row[name]


METRICS: tuple[tuple[str, str, Take, int, bool], ...] = (
    ("JCT, s", "mean", lambda case: case.mean, 1, True),
    ("JCT, s", "median", _seconds("median_jct_s"), 1, True),
    ("JCT, s", "p95", _seconds("p95_jct_s"), 1, True),
    ("JCT, s", "p99", _seconds("p99_jct_s"), 1, True),
    ("without GPUs, s", "at first", _seconds("mean_queueing_s"), 1, True),
    ("without GPUs, s", "in all", _seconds("mean_waiting_s"), 1, True),
    ("", "makespan, s", _seconds("makespan_s"), 0, True),
    ("", "preempted", _seconds("preemptions"), 0, False),
    ("GPU-time, %", "used", _percent("utilisation_arriving"), 1, False),
    ("GPU-time, %", "across", _percent("spread_share"), 1, False),
    ("GPU-time, %", "fragments", _percent("fragmentation"), 1, False),
    ("", "gap, %", lambda case: None if case.gap is None else 100 * case.gap, 1, False),
)
"""Both heads of a column, its value, its decimals, and whether its least is marked."""

UNSAID = ("own", "1", "usual")
"""Values that go without saying where nothing else was asked for."""

NOTE = (
    "JCT: from arrival to end; p95, p99: percentiles by nearest rank. Without GPUs: mean over the "
    "jobs, until they first start and in all. Makespan: from the first arrival to the last end. "
    "Preempted: stops of jobs that are not done. GPU-time used: until the last arrival. Across: "
    "part of the GPU-time used until the last end in runs over several servers; fragments: part of "
    "the rest in pieces too small for the jobs. "
    "Gap: how far the mean JCT may be from the least possible, as a part of it."
)


def comparison_table(cases: Sequence[AxisRow], caption: str) -> Table:
    """Return a line for each replay; axes with a single value stand in the caption."""
    axes = varied(cases) or ["policy"]
    fixed = {axis: values_of(cases, axis)[0] for axis in AXES if axis not in axes}
    said = [f"{axis} {value}" for axis, value in fixed.items() if value not in UNSAID]
    lines = [[take(case) for _, _, take, _, _ in METRICS] for case in cases]
    columns = [*texts(*axes)]
    for i, (over, head, _, most, best) in enumerate(METRICS):
        digits = decimals((line[i] for line in lines), most)
        columns.append(Column(head=head, over=over, digits=digits, best="min" if best else None))
    failed = any(case.mean is None for case in cases)
    columns += texts("status") * failed
    return Table(
        caption=f"{caption} ({', '.join(said)})" if said else caption,
        columns=tuple(columns),
        rows=tuple(
            (*(case.at[axis] for axis in axes), *line, *[case.row["status"]] * failed)
            for case, line in zip(cases, lines, strict=True)
        ),
        notes=(NOTE, *bound_notes(cases), *failures(cases)),
        shared=sum(axis in ("cluster", "load", "contention") for axis in axes),
    )


def bound_notes(cases: Sequence[AxisRow]) -> list[str]:
    """Say what the bounds rest on."""
    kinds = sorted({case.kind for case in cases if case.gap is not None})
    return [f"Bounds: {', '.join(kinds)}."] if kinds else []


def failures(cases: Sequence[AxisRow]) -> list[str]:
    """Say why replays have no numbers."""
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
    return broken or named or (row["termination"] if row["status"] in FAILED else "no schedule")


def orders(cases: Sequence[AxisRow], margin: float) -> Table | None:
    """Return the policies of each place from best to worst; None if there is but one."""
    if len({contender(case, cases) for case in cases if case.mean is not None}) < 2:
        return None
    axes = [axis for axis in varied(cases) if axis not in ("policy", "placement")]
    known = (case for case in cases if case.mean is not None)
    places = by_key(known, lambda case: tuple(case.at[axis] for axis in axes))
    return Table(
        caption="From best to worst by mean JCT",
        columns=texts(*axes, "best to worst"),
        rows=tuple((*place, _order(some, margin)) for place, some in places.items()),
        notes=(f"Where = stands, the next is at most {share(margin)} worse.",),
    )


def _order(cases: list[AxisRow], margin: float) -> str:
    ranked = sorted((case.mean or 0.0, contender(case, cases)) for case in cases)
    text = ranked[0][1]
    for (before, _), (mean, name) in pairwise(ranked):
        text += f" {'=' if lead(before, mean) <= margin else '<'} {name}"
    return text
