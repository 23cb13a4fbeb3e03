"""The experiments of Tiresias repeated: its testbed, a trace, and the dependence of the results.

The paper's jobs are not public. Ringyard's have its sizes, arrivals and limits. Durations follow
laws that are only known in part (`instances/trace/mix.py`), so its directions can be compared, and
its numbers only roughly.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain

from ...analysis.figures.canvas import Figure, finished
from ...analysis.figures.categories import category_figure, over
from ...analysis.figures.style import GUIDE
from ...analysis.intervals import ABOVE, Interval
from ...analysis.tables import Cell, Column, Table
from ...campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..study import (
    HOLDS,
    OPEN,
    REVERSED,
    Compared,
    RunsByName,
    compared,
    flat,
    seeded,
    sound,
    table_of,
)
from .experiments import (
    AS_IT_IS,
    BASE,
    CHANGES,
    MEAN,
    MEDIAN,
    METHODS,
    MIXES,
    OPTIONS,
    PACKED,
    PAPER_TESTBED_RATIOS,
    PAPER_TRACE,
    TAIL,
    TESTBED,
    TRACE,
    instance,
)
from .experiments import PAPER_TESTBED as PAPER

PAPER_RATIOS: dict[str, Mapping[str, tuple[float, ...]]] = {
    TESTBED: PAPER_TESTBED_RATIOS,
    TRACE: PAPER_TRACE,
}

ABOUT = "Mean completion time / mean completion time under Tiresias-L, here and in the paper"


def _draw(mix: str, one: Compared) -> Figure:
    """Draw the testbed or the trace."""
    names = [name for name in one.rows if name != BASE]
    paper = {name: ratios[0] for name, ratios in PAPER_RATIOS[mix].items()}
    here = [one.ratio(name, BASE) for name in names]
    bare, up = [name.removeprefix("Tiresias-") for name in names], "mean completion time / mean of"
    figure, [axes] = category_figure(ABOUT, ("policy", bare, f"{up} {BASE}, {mix}"))
    over(axes, BASE, [1.0] * len(names), "dashed", GUIDE)
    over(axes, "here", here, "points")
    over(axes, "paper", map(paper.get, names), "marks")
    return finished(figure)


Groups = tuple[dict[str, RunsByName], dict[str, RunsByName], dict[str, RunsByName]]


def groups(settings: Settings) -> Groups:
    """Return the runs by mix, the runs of options by mix, and the runs by change."""
    options = {BASE: METHODS[BASE], **{name: OPTIONS[name] for name in settings.some(OPTIONS)}}
    return (
        {mix: _runs(mix, METHODS, settings) for mix in MIXES},
        {mix: _runs(mix, options, settings) for mix in MIXES},
        {
            change: _runs(CHANGES[change][0], METHODS, settings, change)
            for change in settings.some(CHANGES)
        },
    )


def _runs(
    mix: str, methods: Mapping[str, str], settings: Settings, change: str = AS_IT_IS
) -> RunsByName:
    draw = partial(instance, mix, settings=settings, change=change)
    return seeded(methods, draw, range(settings.seeds))


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report needs."""
    yield from flat(chain(*(group.values() for group in groups(settings))))


def report(settings: Settings, answers: Answers) -> Results:
    """Make tables, a chart and sentences of the rows."""
    found, tuned, changed = (
        {key: compared(some, sound(answers)) for key, some in group.items()}
        for group in groups(settings)
    )
    return Results(
        tables={
            "directions": directions_table(found, settings),
            "testbed": policies_table(TESTBED, found[TESTBED]),
            "trace": policies_table(TRACE, found[TRACE]),
            "changes": changes_table(found, changed),
            "options": options_table(tuned),
        },
        charts={mix: partial(_draw, mix, one) for mix, one in found.items()},
        statements=tuple(statements(found, changed)),
    )


OTHER = "differs"
"""The verdict where two are equally good in the paper, and not here."""

NEAR = 0.05
"""Ratios of the paper that are closer to 1 say that two are equally good."""

MEASURES = {"mean": MEAN, "median": MEDIAN, "95th percentile": TAIL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """A ratio that the paper gives, and the same here."""

    mix: str
    name: str
    measure: str
    paper: float
    here: Interval

    @property
    def verdict(self) -> str:
        """The verdict on the direction of the paper."""
        if abs(self.paper - 1) <= NEAR:
            # Equality has to be shown: an interval that only reaches into the margin is open.
            if self.here.low > 1 + NEAR or self.here.high < 1 - NEAR:
                return OTHER
            return HOLDS if self.here.low >= 1 - NEAR and self.here.high <= 1 + NEAR else OPEN
        if self.here.low <= 1 <= self.here.high:
            return OPEN
        return HOLDS if (self.here.low > 1) == (self.paper > 1) else REVERSED


def directions(found: Mapping[str, Compared]) -> Iterator[Direction]:
    """Yield every ratio of the paper, on the available mixes and of the available policies."""
    for mix, given in ((TESTBED, PAPER_TESTBED_RATIOS), (TRACE, PAPER_TRACE)):
        if mix not in found:
            continue
        for name in (one for one in given if one in found[mix].rows):
            for measure, paper in zip(MEASURES, given[name], strict=False):
                here = found[mix].ratio(name, BASE, MEASURES[measure])
                yield Direction(mix=mix, name=name, measure=measure, paper=paper, here=here)
    if TESTBED not in found:
        return
    for measure, column in (("makespan", "makespan_s"), ("waiting", "mean_waiting_s")):
        paper = PAPER["YARN-CS"][column] / PAPER[BASE][column]
        here = found[TESTBED].ratio("YARN-CS", BASE, column)
        yield Direction(mix=TESTBED, name="YARN-CS", measure=measure, paper=paper, here=here)


SHOWN = (
    ("mean", MEAN),
    ("median", MEDIAN),
    ("95th", TAIL),
    ("first start", "mean_queueing_s"),
    ("waiting", "mean_waiting_s"),
    ("makespan", "makespan_s"),
    ("stops", "preemptions"),
)
"""Columns of the tables by policy, and columns of a row."""

INTERVALS = "with 95 % intervals (Student's t on logarithms)"


def directions_table(found: Mapping[str, Compared], settings: Settings) -> Table:
    """Return the paper's ratios next to Ringyard's."""
    heads = {
        "jobs": None,
        "policy": None,
        "measure": None,
        "paper": 2,
        "here": 3,
        "direction": None,
    }
    return table_of(
        "Completion times / completion times under Tiresias-L, in the paper and here",
        heads,
        (
            (one.mix, one.name, one.measure, one.paper, one.here, one.verdict)
            for one in sorted(directions(found), key=lambda one: one.mix)
        ),
        f"Geometric means over {settings.seeds} seeds of the ratio on the same jobs, "
        f"{INTERVALS}. Above 1, Tiresias-L is better. The paper's values are from Gu et al., "
        "NSDI 2019, on another trace. Open: the interval contains 1. If the paper's ratio is "
        f"within {NEAR:g} of 1, the direction holds if the whole interval is, and is open if only "
        "part of it is.",
        shared=2,
    )


def policies_table(mix: str, one: Compared) -> Table:
    """Return the results of each policy, with the paper's numbers for the testbed."""
    paper = PAPER if mix == TESTBED else {}
    columns = [Column(head="policy", digits=None)]
    for head, column in SHOWN:
        columns.append(Column(head=head))
        columns += [Column(head=f"paper, {head}")] if _is_given(paper, column) else []
    columns += [Column(head="in use, %"), Column(head="mean / bound", digits=2)]
    columns += [Column(head="mean / SRSF", digits=3)]
    lines: list[tuple[Cell, ...]] = []
    for name in one.rows:
        cells: list[Cell] = [name]
        for _, column in SHOWN:
            cells.append(one.mean(name, column))
            cells += [paper.get(name, {}).get(column)] if _is_given(paper, column) else []
        in_use = 100 * one.mean(name, "utilisation").mean
        over = None if name == "SRSF" else one.ratio(name, "SRSF")
        lines.append((*cells, in_use, one.ratio_to_bound(name), over))
    return table_of(
        f"Completion times by policy, {mix}",
        tuple(columns),
        lines,
        f"In seconds, means over {len(one.bounds)} seeds with 95 % intervals ({ABOVE} 0). Mean, "
        "median and 95th percentile of completion times. First start: mean time until the first "
        "start. Waiting: mean time of a job without GPUs. In use: fraction of all GPU-time until "
        "the last end. Bound: certified, so no schedule has a lower mean. Mean / bound and mean / "
        "SRSF: geometric mean of the ratio on the same jobs (Student's t on logarithms).",
    )


def _is_given(paper: Mapping[str, Mapping[str, float]], column: str) -> bool:
    return any(column in given for given in paper.values())


def changes_table(found: Mapping[str, Compared], changed: Mapping[str, Compared]) -> Table:
    """Return ratios to Tiresias-L when one thing is changed."""
    shown = (
        ("YARN-CS, mean", "YARN-CS", MEAN),
        ("YARN-CS, median", "YARN-CS", MEDIAN),
        ("YARN-CS, makespan", "YARN-CS", "makespan_s"),
        *((f"{name}, mean", name, MEAN) for name in ("Best-effort", "Gandiva", "SRTF", PACKED)),
    )
    lines = [(mix, AS_IT_IS, one) for mix, one in found.items()]
    lines += [(CHANGES[change][0], change, one) for change, one in changed.items()]
    lines.sort(key=lambda line: line[0])
    return table_of(
        "Sensitivity of the comparison: ratios to Tiresias-L",
        {"jobs": None, "change": None, **dict.fromkeys((head for head, _, _ in shown), 2)},
        (
            (mix, change, *(one.ratio(name, BASE, column) for _, name, column in shown))
            for mix, change, one in lines
        ),
        f"Geometric means {INTERVALS}. Above 1, Tiresias-L is better.",
        shared=1,
    )


def options_table(tuned: Mapping[str, Compared]) -> Table:
    """Return options of Tiresias-L over its defaults."""
    names = [name for name in tuned[TESTBED].rows if name != BASE]
    return table_of(
        "Options of Tiresias-L: mean completion time / mean completion time with the defaults",
        {"option": None, **dict.fromkeys(tuned, 3)},
        ((name, *(one.ratio(name, BASE) for one in tuned.values())) for name in names),
        "Defaults: two queues, threshold 3200 GPU-seconds, and jobs with one large tensor "
        f"wait for as few servers as can be. Geometric means {INTERVALS}. Below 1, the option "
        "is better.",
    )


def statements(found: Mapping[str, Compared], changed: Mapping[str, Compared]) -> Iterator[str]:
    """Count reproduced directions, and name the other ones."""
    known = list(directions(found))
    for mix in (TESTBED, TRACE):
        own = [one for one in known if one.mix == mix]
        kept = sum(one.verdict == HOLDS for one in own)
        yield f"{mix}: {kept} of the paper's {len(own)} directions hold"
        for verdict in (REVERSED, OTHER, OPEN):
            some = [f"{one.name}, {one.measure}" for one in own if one.verdict == verdict]
            if some:
                yield f"{mix}, {verdict}: {'; '.join(some)}"
    orders = {mix: one.order(one.rows) for mix, one in found.items()}
    for mix, order in orders.items():
        yield f"{mix}, least mean first: {order}"
    for change, one in changed.items():
        mix, order = CHANGES[change][0], one.order(one.rows)
        yield f"{mix}, {change}: {'the same order' if order == orders[mix] else order}"
