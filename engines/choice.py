"""The choice of an engine for a program: the quickest by class and size, and its additions.

An engine is first only if tests tell it apart from every other one. Means, intervals and tests are
those of `analysis/stats/clustered.py`, of the total seconds of a run with set-up.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import exp

from ..analysis.rows import Row, by_key
from ..analysis.stats.cases import Common
from ..analysis.stats.clustered import (
    Nested,
    Place,
    equal_mean,
    equal_shifted_mean,
    logs_of,
    nested,
)
from ..analysis.stats.comparisons import holm, signed_rank
from ..analysis.stats.means import charged_times
from ..analysis.tables import Cell, Column, Table, numbers, table_of, texts
from ..formulations.corpus.index import CorpusEntry
from .compared import CLASSES, EngineRuns
from .verdicts import code_of

SIZES = (("under 1,000", 1_000), ("under 10,000", 10_000), ("under 100,000", 100_000))
LARGER = "larger"

SHIFT_S = 1.0

LEVEL = 0.05

MOST_NAMES = 4
"""Maximum number of names in a cell."""

CLEAR, CLEAR_S = 1.1, 0.05
"""An engine is faster on an instance if its mean time is so much shorter, by factor and seconds."""

MEANS = (
    f"Means are geometric, shifted by {SHIFT_S:g} s if nothing else is said, of total times with "
    "set-up. A failure costs the limit. Families have equal weight. So have the instances of a "
    "family, and the programs of an instance."
)
TESTS = (
    "An engine is faster on an instance if its mean is shorter by more than 10 % and "
    f"{CLEAR_S:g} s. Two engines are told apart if Wilcoxon's signed-rank test of these "
    f"differences has p < {LEVEL:g} after Holm over all pairs, and the means agree with it."
)


@dataclass(frozen=True, slots=True)
class EngineMean:
    """An engine's mean time over some programs with its 95 % interval, and its solved share."""

    engine: str
    seconds: float
    low: float
    high: float
    solved: float


@dataclass(frozen=True)
class Ranking:
    """Engines on the programs that all have run, and which of them tests tell apart."""

    common: Common
    places: Sequence[Place]
    """Family, instance and program of each case."""

    @cached_property
    def means(self) -> list[EngineMean]:
        """All engines, the least mean first."""
        found = [
            EngineMean(
                engine,
                *equal_shifted_mean(charged_times(self.common, engine), self.places, SHIFT_S),
                equal_mean(nested([row["status"] != "unknown" for row in own], self.places)),
            )
            for engine, own in self.common.runs.items()
        ]
        return sorted(found, key=lambda one: (one.seconds, one.engine))

    @cached_property
    def _logs(self) -> Mapping[str, Nested]:
        return {
            name: nested(logs_of(charged_times(self.common, name), SHIFT_S), self.places)
            for name in self.common.runs
        }

    def _clear(self, one: str, other: str) -> list[float]:
        """Return by instance the logarithm of the ratio of means, 0 if neither is faster."""
        return [
            _clear(log, self._logs[other][family][name])
            for family, instances in self._logs[one].items()
            for name, log in instances.items()
        ]

    def wins(self, one: str, other: str) -> int:
        """Return on how many instances the first engine is faster."""
        return sum(log < 0 for log in self._clear(one, other))

    @cached_property
    def _apart(self) -> Set[tuple[str, str]]:
        """The pairs whose first engine, with the smaller mean, is faster by the test."""
        pairs = list(combinations([one.engine for one in self.means], 2))
        tests = [signed_rank(self._clear(one, other)) for one, other in pairs]
        chances = holm([test.p for test in tests])
        found = zip(pairs, tests, chances, strict=True)
        return {pair for pair, test, p in found if p < LEVEL and test.effect < 0}

    def apart(self, one: str, other: str) -> bool:
        """Return True if the test tells two engines apart, and their means agree with it."""
        return bool({(one, other), (other, one)} & self._apart)

    @property
    def leaders(self) -> list[EngineMean]:
        """The engine with the least mean, and all that are not told apart from it."""
        first, *rest = self.means
        return [first, *(one for one in rest if not self.apart(first.engine, one.engine))]


def _clear(log: float, other: float) -> float:
    less, more = sorted((exp(log) - SHIFT_S, exp(other) - SHIFT_S))
    return log - other if more > CLEAR * less and more > less + CLEAR_S else 0.0


def ranking(runs: EngineRuns, common: Common) -> Ranking:
    """Return the ranking of engines on their common cases."""
    return Ranking(common, runs.places(common))


def headline(found: Ranking) -> str:
    """Return who is first, or who is not told apart."""
    first, *rest = found.leaders
    if not any(one.solved for one in found.means):
        return "none is solved"
    if not rest:
        place = "first" if len(found.means) > 1 else "alone"
        return (
            f"{first.engine} {place}, {first.solved:.0%} solved, {first.seconds:.2f} s in the mean "
            f"(95 %: {first.low:.2f} to {first.high:.2f})"
        )
    names = ", ".join(one.engine for one in found.leaders[:-1])
    least, most = first.seconds, rest[-1].seconds
    return f"{names} and {rest[-1].engine} are not told apart, {least:.2f} to {most:.2f} s"


def size_of(entry: CorpusEntry) -> str:
    """Return the class of size of a program, by nonzeros."""
    return next((name for name, most in SIZES if entry.nonzeros < most), LARGER)


def choice_tables(runs: EngineRuns) -> dict[str, Table]:
    """Return who is quickest, for each class and size or family of programs.

    Not by difficulty, which depends on the times of two engines.
    """
    tables = {"choice": _by(runs, size_of, "nonzeros", "Which solver for which program")}
    if len({entry.family for entry in runs.programs.values()}) > 1:
        tables["families"] = _by(runs, lambda entry: entry.family, "family", "By family")
    return tables


def _by(runs: EngineRuns, group: Callable[[CorpusEntry], str], head: str, caption: str) -> Table:
    """Return a line for each group of programs of a class."""
    lines: list[tuple[Cell, ...]] = []
    order = [name for name, _ in SIZES]
    for kind in CLASSES:
        parts = by_key(runs.of(kind), lambda row: group(runs.entry(row)))
        for name in sorted(parts, key=lambda n: order.index(n) if n in order else len(order)):
            lines.append((kind, name, *_cells(runs, parts[name])))
    return table_of(
        caption,
        (
            *texts("class", head),
            *numbers("programs", "instances"),
            *texts("least mean"),
            *numbers("mean s", "from", "to", digits=3),
            *numbers("solved, %"),
            *texts("not told apart", "solves more"),
        ),
        lines,
        f"{MEANS} From, to: 95 % interval, bootstrap over instances. {TESTS} Free solvers, one "
        "thread, or two where the name says x2.",
        shared=1,
    )


def _cells(runs: EngineRuns, rows: Sequence[Row]) -> tuple[Cell, ...]:
    found = ranking(runs, runs.common(rows))
    counts = [len({row["instance"] for row in rows}), len({p[:2] for p in found.places})]
    best = found.means[0]
    if not any(one.solved for one in found.means):
        return *counts, "none", None, None, None, 0.0, "", ""
    same = [one.engine for one in found.leaders[1:]]
    others = "all others" if len(same) == len(found.means) - 1 > 1 else _some(same)
    most = max(found.means, key=lambda one: (one.solved, -one.seconds))
    more = f"{most.engine}, {most.solved:.0%}" if most.solved > best.solved else ""
    interval = best.low, best.high
    return *counts, best.engine, best.seconds, *interval, 100 * best.solved, others, more


def _some(names: Sequence[str]) -> str:
    """Return names, or the first of many."""
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[: MOST_NAMES - 1])} and {len(names) - MOST_NAMES + 1} more"


def best_table(runs: EngineRuns) -> Table:
    """Return each engine's additions: how often it is the quickest, and programs only it solves."""
    lines = [line for kind in runs.commons for line in _best_lines(kind, runs)]
    return table_of(
        "Comparison with the virtual best, the quickest solver for each run",
        (
            *texts("class", "solver"),
            *numbers("runs", "quickest", "within 10 %", "solved by its code alone"),
            Column(head="mean s", digits=2, best="min"),
        ),
        lines,
        f"{MEANS} Times below 0.1 s are rounded up to it.",
        shared=1,
    )


def _best_lines(kind: str, runs: EngineRuns) -> Iterator[tuple[Cell, ...]]:
    common = runs.commons[kind]
    places = runs.places(common)
    costs = {name: [max(0.1, t) for t in charged_times(common, name)] for name in common.runs}
    solved = {n: [row["status"] != "unknown" for row in own] for n, own in common.runs.items()}
    cases = range(len(common.cases))
    least = [min(costs[name][i] for name in costs) for i in cases]
    codes = [{code_of(own[i]) for n, own in common.runs.items() if solved[n][i]} for i in cases]
    for name, own in costs.items():
        won = [i for i in cases if solved[name][i]]
        alone = sum(len(codes[i]) == 1 for i in won)
        quickest = sum(own[i] <= least[i] for i in won)
        near = sum(own[i] <= 1.1 * least[i] for i in won)
        yield kind, name, len(own), quickest, near, alone, _mean(own, places)
    if len(costs) > 1:
        yield kind, "virtual best", len(least), None, None, None, _mean(least, places)


def _mean(times: Sequence[float], places: Sequence[Place]) -> float:
    return exp(equal_mean(nested(logs_of(times, SHIFT_S), places))) - SHIFT_S


def pair_table(kind: str, runs: EngineRuns) -> Table | None:
    """Return for each pair of engines on how many instances which one is faster."""
    if kind not in runs.commons or len(runs.commons[kind].runs) < 2:
        return None
    found = ranking(runs, runs.commons[kind])
    names = [one.engine for one in found.means]
    lines = [
        (
            one,
            *(
                None if one == other else f"{found.wins(one, other)}{'*' * found.apart(one, other)}"
                for other in names
            ),
        )
        for one in names
    ]
    instances = len({place[:2] for place in found.places})
    return table_of(
        f"Number of instances, of {instances}, on whose {CLASSES[kind]} the row's solver is faster "
        "than the column's",
        texts("solver", *names),
        lines,
        f"{TESTS} *: told apart.",
    )
