"""All that is concluded from the replays of a workload, and its chart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import cycle
from typing import Any

from ..by_key import by_key
from ..figures.canvas import Figure, finished
from ..figures.categories import by_name, category_figure
from ..figures.style import LOOKS
from ..rows import Row
from ..tables import Table
from .cases import AxisRow, cases_of, contender, values_of, varied
from .flips import Flip, comparisons
from .tables import changes, comparison_table, orders, sentence, summaries

ABOUT = "Mean JCT in seconds by contention model; lines that cross are conclusions that change"
MOST_PANELS = 4
"""More panels side by side are too small to read; the tables have them all."""


def crossings(cases: Sequence[AxisRow]) -> Callable[[], Figure] | None:
    """Return what draws a panel for each cluster and load; None with one contention model."""
    return partial(_draw, cases) if len(values_of(cases, "contention")) > 1 else None


def _draw(cases: Sequence[AxisRow]) -> Figure:
    axes = [axis for axis in varied(cases) if axis in ("cluster", "load")]
    places = by_key(cases, lambda case: tuple(case.at[axis] for axis in axes))
    shown = list(places.items())[:MOST_PANELS]
    models, across = values_of(cases, "contention"), "contention model"
    titles = [f"mean JCT, s{place and ': '}{', '.join(place)}" for place, _ in shown]
    figure, row = category_figure(ABOUT, *((across, models, title) for title in titles))
    for one, (_, some) in zip(row, shown, strict=True):
        means = {(contender(case, some), case.at["contention"]): case.mean for case in some}
        names = dict.fromkeys(name for name, _ in means)
        values = {name: [means[name, model] for model in models] for name in names}
        by_name(one, values, "line", cycle(LOOKS))
    return finished(figure)


COLUMNS = (
    "status", "note", "key", "instance", "digest", "method", "seed", "valid", "objective",
    "median_jct_s", "p95_jct_s", "p99_jct_s", "mean_queueing_s", "mean_waiting_s", "makespan_s",
    "utilisation", "utilisation_arriving", "fragmentation", "spread_share", "preemptions",
    "seconds",
)  # fmt: skip
"""Columns of rows that programs get."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusions:
    """Tables, a picture, counts of what changes, and sentences about what does."""

    trace: str
    margin: float
    cases: tuple[AxisRow, ...]
    table: Table
    orders: Table | None
    chart: Callable[[], Figure] | None
    changed: tuple[Flip, ...]
    summaries: tuple[str, ...]
    sentences: tuple[str, ...]

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"whatif": self.table} | ({"orders": self.orders} if self.orders else {})

    @property
    def statements(self) -> tuple[str, ...]:
        """Counts first, then sentences, the gravest first."""
        return self.summaries + self.sentences

    def plain(self) -> dict[str, Any]:
        """Return everything for programs."""
        rows = [
            {**case.at, **{name: case.row[name] for name in COLUMNS}, **case.distance()}
            for case in self.cases
        ]
        texts = zip(self.changed, self.sentences, strict=True)
        return {
            "trace": self.trace,
            "margin": self.margin,
            "rows": rows,
            "summaries": list(self.summaries),
            "changes": [{**asdict(one), "sentence": text} for one, text in texts],
        }


def conclusions(
    trace: str,
    answers: Sequence[tuple[Mapping[str, str], Row]],
    rows: Sequence[Row],
    margin: float,
) -> Conclusions:
    """Return what rows say of the questions that they answer."""
    cases = cases_of(answers, rows)
    found = comparisons(cases, margin)
    changed = changes(found)
    axes = varied(cases)
    return Conclusions(
        trace=trace,
        margin=margin,
        cases=tuple(cases),
        table=comparison_table(cases, f"What if: {trace}"),
        orders=orders(cases, margin),
        chart=crossings(cases),
        changed=tuple(changed),
        summaries=tuple(summaries(found, margin)),
        sentences=tuple(sentence(one, axes, margin) for one in changed),
    )
