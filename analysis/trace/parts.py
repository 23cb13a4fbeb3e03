"""Waits, slowdowns and fairness of all jobs of a trace, and of parts: groups, sizes, kinds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean

from ...instances.errors import plural
from ...instances.trace import TraceInstance, TraceJob
from ..check.trace import TraceVerdict
from ..rows import by_key
from ..tables.model import Column, Table, decimals, texts
from . import facts_of, ranked
from .fairness import UNFAIR, fair_ratios

Span = tuple[float, float]
"""First start and end of a job, in seconds."""

LOGGED = 0.9
"""Share of jobs with a wait in the log from which on the others do not matter."""

MOST_GROUPS, WORST_GROUPS = 12, 4
"""Most groups with lines of their own, and how many of them are chosen by their waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartMetrics:
    """Metrics of some jobs. A wait is the time from arrival to first start."""

    by: str
    """`all`, `group`, `others` for groups without a line, `size`, or `kind` of GPUs."""
    name: str
    jobs: int
    mean_wait_s: float
    median_wait_s: float
    p95_wait_s: float
    p99_wait_s: float
    logged_mean_wait_s: float | None
    """In the log, None unless most of its jobs have a wait there."""
    logged_p95_wait_s: float | None
    mean_slowdown: float
    worst_unfairness: float
    unfair_share: float

    @property
    def label(self) -> str:
        """The name, in which a group is called one."""
        return f"group {self.name}" if self.by == "group" else self.name

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the part: the same in every replay."""
        return self.by, "" if self.by == "others" else self.name


def metrics_by(instance: TraceInstance, verdict: TraceVerdict) -> list[PartMetrics]:
    """Return the metrics of all jobs, then of each group and of each size.

    Raises:
        RefusedError: If the schedule breaks a rule.
    """
    tick = Fraction(instance.tick_s)
    facts = facts_of(instance, verdict)
    return part_metrics(instance, [(float(f.start * tick), float(f.end * tick)) for f in facts])


def part_metrics(
    instance: TraceInstance, spans: Sequence[Span], shown: Sequence[str] | None = None
) -> list[PartMetrics]:
    """Return the metrics of all jobs, then of each group and size, from spans in their order.

    `shown` are the groups with parts of their own (default: by `groups_shown`).
    """
    jobs = instance.jobs
    arrivals = [float(job.arrival_s) for job in jobs]
    lives = [
        (arrival, end, float(job.duration_s - job.done_s), job.gpus)
        for job, arrival, (_, end) in zip(jobs, arrivals, spans, strict=True)
    ]
    waits = [start - arrival for arrival, (start, _) in zip(arrivals, spans, strict=True)]
    slow = [(end - arrival) / duration for arrival, end, duration, _ in lives]
    ratios = fair_ratios(lives, instance.gpus)
    shown = groups_shown(jobs, [waits]) if shown is None else shown
    return [
        _metrics(
            by,
            name,
            [jobs[i] for i in own],
            *([all_[i] for i in own] for all_ in (waits, slow, ratios)),
        )
        for by, name, own in parts_of(jobs, shown)
    ]


def _metrics(
    by: str,
    name: str,
    jobs: Sequence[TraceJob],
    waits: list[float],
    slowdowns: list[float],
    ratios: list[float],
) -> PartMetrics:
    ordered = sorted(waits)
    logged = sorted(float(job.waited_s) for job in jobs if job.waited_s is not None)
    known = len(logged) >= LOGGED * len(jobs)
    return PartMetrics(
        by=by,
        name=name,
        jobs=len(jobs),
        mean_wait_s=fmean(ordered),
        median_wait_s=ranked(ordered, 50),
        p95_wait_s=ranked(ordered, 95),
        p99_wait_s=ranked(ordered, 99),
        logged_mean_wait_s=fmean(logged) if known else None,
        logged_p95_wait_s=ranked(logged, 95) if known else None,
        mean_slowdown=fmean(slowdowns),
        worst_unfairness=max(ratios),
        unfair_share=sum(ratio > UNFAIR for ratio in ratios) / len(ratios),
    )


def group_name(job: TraceJob) -> str:
    """Return the name under which a job is counted."""
    return job.group or "none"


def _groups(jobs: Sequence[TraceJob]) -> dict[str, list[int]]:
    """Return the numbers of the jobs of each group, the groups with most GPU-time first."""
    found = by_key(range(len(jobs)), lambda i: group_name(jobs[i]))
    return dict(
        sorted(
            found.items(), key=lambda pair: -sum(jobs[i].gpus * jobs[i].duration_s for i in pair[1])
        )
    )


def groups_shown(jobs: Sequence[TraceJob], waits: Sequence[Sequence[float]]) -> list[str]:
    """Return the groups that get a line of their own in one table of several replays.

    A few have the longest p95 wait, in any replay or in the log. The others have the most GPU-time.
    """
    groups = _groups(jobs)
    if len(groups) <= MOST_GROUPS:
        return list(groups)

    def worst(name: str) -> float:
        own = groups[name]
        logs = [float(wait) for i in own if (wait := jobs[i].waited_s) is not None]
        times = [[some[i] for i in own] for some in waits] + [logs] * bool(logs)
        return max((ranked(sorted(some), 95) for some in times), default=0.0)

    suffering = sorted(groups, key=worst, reverse=True)[:WORST_GROUPS]
    return list(dict.fromkeys([*suffering, *groups]))[:MOST_GROUPS]


GROUP_NOTE = (
    f"Groups with a line of their own: the {WORST_GROUPS} with the longest p95 wait, in any replay "
    f"or in the log, and the {MOST_GROUPS - WORST_GROUPS} others with the most GPU-time. All are "
    "in the order of their GPU-time."
)


def group_notes(parts: Sequence[PartMetrics]) -> tuple[str, ...]:
    """Return the note on the choice of groups, if some have no line of their own."""
    return (GROUP_NOTE,) if any(part.by == "others" for part in parts) else ()


def parts_of(jobs: Sequence[TraceJob], shown: Sequence[str]) -> list[tuple[str, str, list[int]]]:
    """Return kind, name and job numbers of each part.

    The parts are all jobs, groups by GPU-time, sizes, and requested kinds of GPUs if there are
    several.
    """
    sizes = by_key(range(len(jobs)), lambda i: (jobs[i].gpus - 1).bit_length())
    found = [("all", "all jobs", list(range(len(jobs))))]
    if any(job.group for job in jobs):
        groups, chosen = _groups(jobs), set(shown)
        found += [("group", name, own) for name, own in groups.items() if name in chosen]
        if rest := [name for name in groups if name not in chosen]:
            others = sorted(i for name in rest for i in groups[name])
            found.append(("others", plural(len(rest), "other group"), others))
    if len(sizes) > 1:
        found += [("size", _size(power), sizes[power]) for power in sorted(sizes)]
    kinds = by_key(range(len(jobs)), lambda i: jobs[i].gpu or "any kind")
    if len(kinds) > 1:
        found += [("kind", f"GPUs: {name}", own) for name, own in sorted(kinds.items())]
    return found


def _size(power: int) -> str:
    low, high = 2**power // 2 + 1, 2**power
    return plural(high, "GPU") if low >= high else f"{low} to {high} GPUs"


UNITS = ((2 * 86_400, 86_400, "days"), (3600, 3600, "h"), (120, 60, "min"))


def unit_of(seconds: Iterable[float | None]) -> tuple[float, str]:
    """Return the unit for a table of times, by the largest: its seconds and its name."""
    largest = max((one for one in seconds if one is not None), default=0)
    # A table in days would show most waits as 0.
    return next(((size, name) for least, size, name in UNITS[1:] if largest >= least), (1, "s"))


LEAST_SHOWN = 0.01
"""A unit for several times shows each of them as at least this, if there is a smaller unit."""


def time_texts(seconds: Sequence[float]) -> list[str]:
    """Return times in one unit, which suits the largest and still shows the smallest."""
    largest = max((abs(one) for one in seconds), default=0)
    smallest = min((abs(one) for one in seconds if one), default=0)
    size, name = next(
        (
            (size, name)
            for least, size, name in UNITS
            if largest >= least and smallest >= LEAST_SHOWN * size
        ),
        (1, "s"),
    )
    return [f"{three_digits(one / size)} {name}" for one in seconds]


def three_digits(value: float) -> str:
    """Return a number with three significant digits, or its whole part if that is longer."""
    whole = abs(value) >= 100 or value == int(value)
    return f"{value:,.0f}" if whole else f"{value:.3g}"


def time_text(seconds: float) -> str:
    """Return a time in the unit that a person would choose."""
    return time_texts([seconds])[0]


def longest_wait(parts: Sequence[PartMetrics]) -> tuple[PartMetrics, str] | None:
    """Return the group that waits longest, and the wait that shows it, beside that of all jobs.

    The p95 wait decides, and then the mean. Return None if there are no two groups or no waits.
    """
    groups = [part for part in parts if part.by == "group"]
    if len(groups) < 2:
        return None
    worst = max(groups, key=lambda part: (part.p95_wait_s, part.mean_wait_s))
    if not worst.mean_wait_s:
        return None
    name = "p95" if worst.p95_wait_s else "mean"
    pair = [worst.p95_wait_s, parts[0].p95_wait_s]
    pair = pair if worst.p95_wait_s else [worst.mean_wait_s, parts[0].mean_wait_s]
    own, overall = time_texts(pair)
    return worst, f"{name} {own}, against {overall} overall"


NOTES = (
    "Wait: from arrival to first start. Slowdown: mean of completion time over duration. Worst "
    "ratio and unfair: completion time over the time on an equal part of the cluster, and the "
    "share of jobs where it exceeds 1.05.",
)


def part_table(found: Sequence[PartMetrics], caption: str) -> Table:
    """Return a line for each part, with the wait in the log if all jobs have one."""
    size, unit = unit_of(one.p99_wait_s for one in found)
    logged = any(one.logged_mean_wait_s is not None for one in found)
    waits = ("mean_wait_s", "median_wait_s", "p95_wait_s", "p99_wait_s")
    names = (*waits, *("logged_mean_wait_s", "logged_p95_wait_s") * logged)
    heads = ("mean", "p50", "p95", "p99", "mean", "p95")
    lines = [
        [None if (value := getattr(one, name)) is None else value / size for name in names]
        for one in found
    ]
    digits = decimals((cell for line in lines for cell in line), 2 if unit == "h" else 1)
    over = [f"wait, {unit}"] * len(waits) + [f"in the log, {unit}"] * 2
    return Table(
        caption=caption,
        columns=(
            *texts("jobs"),
            Column(head="number"),
            *(
                Column(head=h, over=o, digits=digits)
                for h, o, _ in zip(heads, over, names, strict=False)
            ),
            Column(head="slowdown", digits=1),
            Column(head="worst ratio", digits=2),
            Column(head="unfair, %", digits=1),
        ),
        rows=tuple(
            (
                one.label,
                one.jobs,
                *line,
                one.mean_slowdown,
                one.worst_unfairness,
                100 * one.unfair_share,
            )
            for one, line in zip(found, lines, strict=True)
        ),
        notes=(*NOTES, *group_notes(found)),
    )
