"""Conclusions from replays of one workload.

A replay is a question with its row. Sentences say what each change does to waits and completion
times, and which comparisons come out another way under another value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..figures.canvas import Figure
from ..rows import Row
from ..tables.model import Table
from .cases import DEFAULT_MARGIN, AxisRow, ReplayTimes, has_intervals, varied
from .draws import cases_of
from .effects import Effect, contests, effects, logged, waiting_groups
from .flips import Flip, changes, comparisons, sentence, summaries
from .panels import panels
from .tables import MOST_CASES, comparison_table, orders, parts_table

COLUMNS = (
    "status", "note", "key", "instance", "digest", "method", "seed", "valid", "objective",
    "median_jct_s", "p95_jct_s", "p99_jct_s", "mean_queueing_s", "median_queueing_s",
    "p95_queueing_s", "p99_queueing_s", "mean_waiting_s", "mean_slowdown", "p95_slowdown",
    "worst_unfairness", "unfair_share", "worst_ftf", "unfair_fraction", "late_share",
    "group_fairness", "makespan_s", "utilisation", "utilisation_arriving", "fragmentation",
    "spread_share", "preemptions", "goodput", "lost_s", "lost_gpu_s", "seconds",
)  # fmt: skip
"""Columns of rows that programs get."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusions:
    """Tables, a chart, the effects of changes, and sentences about them."""

    trace: str
    margin: float | None
    cases: tuple[AxisRow, ...]
    table: Table
    orders: Table | None
    parts: Table | None
    few_parts: Table | None
    """The first replays of `parts`, for a terminal."""
    chart: Callable[[], Figure] | None
    logged: tuple[str, ...]
    contests: tuple[str, ...]
    effects: tuple[Effect, ...]
    changed: tuple[Flip, ...]
    summaries: tuple[str, ...]
    sentences: tuple[str, ...]

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        found = {"whatif": self.table, "parts": self.parts, "orders": self.orders}
        return {name: table for name, table in found.items() if table}

    @property
    def shown(self) -> tuple[Table, ...]:
        """The tables for a terminal and a page, where only a few replays stand side by side."""
        return tuple((self.tables | ({"parts": self.few_parts} if self.few_parts else {})).values())

    @property
    def answers(self) -> tuple[str, ...]:
        """Sentences on the log, on policies that replace servers, and on each change."""
        return (*self.logged, *self.contests, *(one.sentence for one in self.effects))

    @property
    def statements(self) -> tuple[str, ...]:
        """Answers first, then numbers of changed comparisons, then the most serious changes."""
        return self.answers + self.summaries + self.sentences

    def plain(self) -> dict[str, Any]:
        """Return everything for programs."""
        rows = [
            {
                **case.at,
                **{name: case.row[name] for name in COLUMNS},
                **{"bound": case.bound, "bound_kind": case.kind or None, "gap": case.gap},
                "parts": [asdict(part) for part in case.times.parts] if case.times else [],
                "draws": [{name: row[name] for name in COLUMNS} for row in case.drawn],
            }
            for case in self.cases
        ]
        texts = zip(self.changed, self.sentences, strict=True)
        return {
            "trace": self.trace,
            "margin": self.margin,
            "rows": rows,
            "logged": list(self.logged),
            "contests": list(self.contests),
            "effects": [asdict(one) for one in self.effects],
            "summaries": list(self.summaries),
            "changes": [{**asdict(one), "sentence": text} for one, text in texts],
        }


def conclusions(
    trace: str,
    title: str,
    answers: Sequence[tuple[Mapping[str, str], Row]],
    rows: Sequence[Row],
    times: Mapping[str, ReplayTimes],
    margin: float | None,
    left_out: str | None = None,
) -> Conclusions:
    """Return the conclusions from the rows that answer the questions, and from their job times.

    Without a margin, ties are decided by intervals if jobs arrive on enough days. `left_out` says
    which jobs are in no replay.
    """
    cases = cases_of(answers, rows, times)
    if margin is None and not has_intervals(cases):
        margin = DEFAULT_MARGIN
    found = comparisons(cases, margin)
    changed = changes(found)
    axes = varied(cases)
    told = logged(cases)
    return Conclusions(
        trace=trace,
        margin=margin,
        cases=tuple(cases),
        table=comparison_table(cases, f"What if: {title}"),
        orders=orders(cases, margin),
        parts=parts_table(cases),
        few_parts=parts_table(cases, MOST_CASES),
        chart=panels(cases),
        logged=tuple(filter(None, (left_out, waiting_groups(cases), told))),
        contests=tuple(contests(cases, margin)),
        effects=tuple(effects(cases, axes)),
        changed=tuple(changed),
        summaries=tuple(summaries(found, margin)),
        sentences=tuple(sentence(one, axes) for one in changed),
    )
