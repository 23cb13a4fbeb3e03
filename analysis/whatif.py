"""Conclusions from replays of one workload, and their contradictions.

A replay is a question with its row. Comparisons of two replays may differ between cases, and
tables, sentences and a chart show the differences.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations, pairwise
from typing import Any, Literal

from ..instances.errors import plural
from ..instances.errors import sentence as full_sentence
from .figures.canvas import Figure, finished
from .figures.categories import by_name, category_figure
from .rows import FAILED, Row, by_key
from .stats.references import best_bounds, key_of
from .tables.model import Cell, Column, Table, decimals, texts

AXES = ("cluster", "load", "contention", "policy", "placement")
"""The axes along which replays of one workload differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisRow:
    """The value of every axis, a row, and the best proved bound of its instance."""

    at: Mapping[str, str]
    row: Row
    bound: float | None
    kind: str

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


def cases_of(pairs: Iterable[tuple[Mapping[str, str], Row]], rows: Sequence[Row]) -> list[AxisRow]:
    """Return the cases, with the best bounds over all `rows` and methods."""
    bounds = best_bounds(rows)
    best = {key_of(row): row for row in rows if row["bound"] == bounds.get(key_of(row))}
    return [
        AxisRow(
            at=at, row=row, bound=bounds.get(key_of(row)), kind=_value_kind(best.get(key_of(row)))
        )
        for at, row in pairs
    ]


def _value_kind(row: Row | None) -> str:
    return str(row["bound_kind"]) if row else ""


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


ALONG = ("policy", "placement", "cluster")
"""Axes whose values are compared with each other."""
ACROSS = ("contention", "load", "cluster")
"""Axes that may change the result of a comparison. The first value is the base."""

Kind = Literal["reversed", "vanished", "appeared", "kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Two values of an axis, compared under one value of another axis and then under a second.

    `before` and `after` have the mean completion times of both, and `first` is no worse before.
    `kept` comparisons are not reversed, and are within the margin both times or neither time.
    """

    along: str
    across: str
    at: Mapping[str, str]
    """The other axes."""
    first: str
    second: str
    base: str
    other: str
    before: tuple[float, float]
    after: tuple[float, float]
    kind: Kind

    @property
    def size(self) -> float:
        """Size of the smaller lead of a reversal, or else of the larger lead."""
        leads = [abs(lead(*self.before)), abs(lead(*self.after))]
        return min(leads) if self.kind == "reversed" else max(leads)


def lead(first: float, second: float) -> float:
    """Return the relative difference to the larger value, negative if the first is larger."""
    return (second - first) / max(first, second)


def comparisons(cases: Sequence[AxisRow], margin: float) -> list[Flip]:
    """Return every comparison that can be made under two values of another axis."""
    return [
        one
        for across in ACROSS
        for along in ALONG
        if along != across
        for one in _pairs(cases, along, across, margin)
    ]


def _pairs(cases: Sequence[AxisRow], along: str, across: str, margin: float) -> Iterator[Flip]:
    rest = [axis for axis in AXES if axis not in (along, across)]
    means: dict[tuple[str, ...], dict[tuple[str, str], float]] = {}
    for case in cases:
        if case.mean is not None:
            own = means.setdefault(tuple(case.at[axis] for axis in rest), {})
            own[case.at[along], case.at[across]] = case.mean
    base, *others = values_of(cases, across)
    for place, known in means.items():
        for one, two in combinations(values_of(cases, along), 2):
            for other in others:
                where = [(name, value) for value in (base, other) for name in (one, two)]
                if all(key in known for key in where):
                    a, b, c, d = (known[key] for key in where)
                    swap = b < a
                    before, after = ((b, a), (d, c)) if swap else ((a, b), (c, d))
                    yield Flip(
                        along=along,
                        across=across,
                        at=dict(zip(rest, place, strict=True)),
                        first=two if swap else one,
                        second=one if swap else two,
                        base=base,
                        other=other,
                        before=before,
                        after=after,
                        kind=_flip_kind(lead(*before), lead(*after), margin),
                    )


def _flip_kind(before: float, after: float, margin: float) -> Kind:
    """Return the kind of change of a lead that is nonnegative before."""
    clear = before > margin
    if clear and after < -margin:
        return "reversed"
    if clear and after <= margin:
        return "vanished"
    return "appeared" if not clear and abs(after) > margin else "kept"


UNDER = {"contention": "under {}", "load": "at load {}", "cluster": "on {}"}
"""Phrase of a sentence for a value of an axis."""
MODELS = {"contention": "contention model", "load": "load", "cluster": "cluster"}
RANK = ("reversed", "vanished", "appeared")
"""Kinds of change, the gravest first."""


def changes(found: Sequence[Flip]) -> list[Flip]:
    """Return the comparisons that do not keep, the gravest and clearest first."""
    changed = [one for one in found if one.kind in RANK]
    return sorted(changed, key=_rank)


def _rank(one: Flip) -> tuple[int, int, int, float]:
    return RANK.index(one.kind), ALONG.index(one.along), ACROSS.index(one.across), -one.size


def summaries(found: Sequence[Flip], margin: float) -> list[str]:
    """Return the numbers of changed comparisons, for each pair of axes."""
    kinds: dict[tuple[str, str, str], Counter[str]] = {}
    for one in found:
        kinds.setdefault((one.across, one.along, one.base), Counter())[one.kind] += 1
    return [
        f"{_change(across, base)} {_effect(count, along)} (ties: within {share(margin)})."
        for (across, along, base), count in kinds.items()
    ]


def _change(across: str, base: str) -> str:
    if (across, base) == ("contention", "none"):
        return "Adding contention"
    return f"Changing the {MODELS[across]} from {base}"


def _effect(count: Counter[str], along: str) -> str:
    of = f"of {plural(count.total(), f'{along} comparison')} by mean JCT"
    if count["kept"] == count.total():
        return f"changed none {of}"
    effects = [f"reversed {count['reversed']:,} {of}"]
    if ties := count["vanished"]:
        effects.append(f"turned {ties:,} into {'a tie' if ties == 1 else 'ties'}")
    if broken := count["appeared"]:
        effects.append(f"broke {plural(broken, 'tie')}")
    return ", ".join(effects[:-1]) + " and " * (len(effects) > 1) + effects[-1]


def sentence(one: Flip, varied: Sequence[str], margin: float) -> str:
    """Return the results of a comparison before and after, with the values of `varied` axes."""
    places = [f"{axis} {value}" for axis, value in one.at.items() if axis in varied]
    where = f"{', '.join(places)}: " if places else ""
    here, there = (
        "without contention"
        if (one.across, value) == ("contention", "none")
        else UNDER[one.across].format(value)
        for value in (one.base, one.other)
    )
    names = one.first, one.second
    before, after = (_outcome(names, means, margin) for means in (one.before, one.after))
    return full_sentence(f"{where}{here}, {before}, but {there}, {after}")


def _outcome(names: tuple[str, str], means: tuple[float, float], margin: float) -> str:
    ahead = lead(*means)
    if ahead < 0:
        return _outcome(names[::-1], means[::-1], margin)
    digits = 0 if max(means) >= 1000 else 1
    times = ", ".join(f"{mean:,.{digits}f} s" for mean in means)
    if ahead <= margin:
        return f"{names[0]} and {names[1]} tie ({times})"
    return f"{names[0]} beats {names[1]} by {share(ahead)} ({times})"


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
    ("without GPUs, s", "before start", _seconds("mean_queueing_s"), 1, True),
    ("without GPUs, s", "total", _seconds("mean_waiting_s"), 1, True),
    ("", "makespan, s", _seconds("makespan_s"), 0, True),
    ("", "preempted", _seconds("preemptions"), 0, False),
    ("GPU-time, %", "used", _percent("utilisation_arriving"), 1, False),
    ("GPU-time, %", "across", _percent("spread_share"), 1, False),
    ("GPU-time, %", "fragments", _percent("fragmentation"), 1, False),
    ("", "gap, %", lambda case: None if case.gap is None else 100 * case.gap, 1, False),
)
"""Both heads of a column, its value, its decimals, and whether its least is marked."""

UNSAID = ("own", "1", "usual")
"""Default values that are not stated."""

NOTE = (
    "JCT: from arrival to completion. Without GPUs: mean time of a job, before its first start and "
    "in total. Preempted: stops of unfinished jobs. GPU-time used: until the last arrival. Across: "
    "share of used GPU-time in multi-server runs. Fragments: share of idle GPU-time in pieces too "
    "small for the jobs. Gap: largest possible distance of the mean JCT from the optimum."
)


def comparison_table(cases: Sequence[AxisRow], caption: str) -> Table:
    """Return a line for each replay, with axes of a single value in the caption."""
    axes = varied(cases) or ["policy"]
    fixed = {axis: values_of(cases, axis)[0] for axis in AXES if axis not in axes}
    stated = [f"{axis} {value}" for axis, value in fixed.items() if value not in UNSAID]
    lines = [[take(case) for _, _, take, _, _ in METRICS] for case in cases]
    columns = [*texts(*axes)]
    for i, (over, head, _, most, best) in enumerate(METRICS):
        digits = decimals((line[i] for line in lines), most)
        columns.append(Column(head=head, over=over, digits=digits, best="min" if best else None))
    failed = any(case.mean is None for case in cases)
    columns += texts("status") * failed
    return Table(
        caption=f"{caption} ({', '.join(stated)})" if stated else caption,
        columns=tuple(columns),
        rows=tuple(
            (*(case.at[axis] for axis in axes), *line, *[case.row["status"]] * failed)
            for case, line in zip(cases, lines, strict=True)
        ),
        notes=(NOTE, *bound_notes(cases), *failures(cases)),
        shared=sum(axis in ("cluster", "load", "contention") for axis in axes),
    )


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
    return broken or named or (row["status"] if row["status"] in FAILED else "no schedule")


def orders(cases: Sequence[AxisRow], margin: float) -> Table | None:
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
        notes=(f"`=` separates policies within {share(margin)}.",),
    )


def _order(cases: list[AxisRow], margin: float) -> str:
    ranked = sorted((case.mean or 0.0, contender(case, cases)) for case in cases)
    text = ranked[0][1]
    for (before, _), (mean, name) in pairwise(ranked):
        text += f" {'=' if lead(before, mean) <= margin else '<'} {name}"
    return text


ABOUT = "Mean JCT in seconds by contention model. Lines that cross are reversed comparisons"
MOST_PANELS = 4
"""Maximum number of readable panels in a row."""


def crossings(cases: Sequence[AxisRow]) -> Callable[[], Figure] | None:
    """Return a function that draws a panel per cluster and load, None for one contention model."""
    return partial(_draw, cases) if len(values_of(cases, "contention")) > 1 else None


def _draw(cases: Sequence[AxisRow]) -> Figure:
    axes = [axis for axis in varied(cases) if axis in ("cluster", "load")]
    places = by_key(cases, lambda case: ", ".join(f"{axis} {case.at[axis]}" for axis in axes))
    shown = list(places.items())[:MOST_PANELS]
    models, across = values_of(cases, "contention"), "contention model"
    titles = [": ".join(filter(None, ("mean JCT, s", place))) for place, _ in shown]
    figure, row = category_figure(ABOUT, *((across, models, title) for title in titles))
    names = sorted({contender(case, cases) for case in cases})  # In the looks of other figures.
    for one, (_, some) in zip(row, shown, strict=True):
        means = {(contender(case, cases), case.at["contention"]): case.mean for case in some}
        values = {name: [means.get((name, model)) for model in models] for name in names}
        by_name(one, values, "line")
    more = len(places) - len(shown)
    note = f"{plural(more, 'more panel')} not shown: choose fewer clusters or loads"
    return finished(figure, (note,) if more else ())


COLUMNS = (
    "status", "note", "key", "instance", "digest", "method", "seed", "valid", "objective",
    "median_jct_s", "p95_jct_s", "p99_jct_s", "mean_queueing_s", "mean_waiting_s", "makespan_s",
    "utilisation", "utilisation_arriving", "fragmentation", "spread_share", "preemptions",
    "seconds",
)  # fmt: skip
"""Columns of rows that programs get."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusions:
    """Tables, a chart, numbers of changes, and sentences about them."""

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
        """Numbers first, then sentences, the most serious first."""
        return self.summaries + self.sentences

    def plain(self) -> dict[str, Any]:
        """Return everything for programs."""
        rows = [
            {
                **case.at,
                **{name: case.row[name] for name in COLUMNS},
                **{"bound": case.bound, "bound_kind": case.kind or None, "gap": case.gap},
            }
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
    """Return the conclusions from the rows that answer the questions."""
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
