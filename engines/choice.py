"""The choice of an engine for a program: the quickest by class and size, and its additions."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from ..analysis.rows import Row, by_key
from ..analysis.stats.cases import Common
from ..analysis.stats.comparisons import holm
from ..analysis.stats.means import charged_times, shifted_geometric_mean
from ..analysis.tables import Cell, Column, Table, numbers, table_of, texts
from ..formulations.corpus.index import CorpusEntry
from .compared import CLASSES, EngineRuns

SIZES = (("under 1,000", 1_000), ("under 10,000", 10_000), ("under 100,000", 100_000))
LARGER = "larger"

SHIFT_S = 1.0

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class EngineMean:
    """An engine's shifted mean time over some programs, and how much it solves of them."""

    engine: str
    seconds: float
    solved: float


def size_of(entry: CorpusEntry) -> str:
    """Return the class of size of a program, by nonzeros."""
    return next((name for name, most in SIZES if entry.nonzeros < most), LARGER)


def ranking(common: Common) -> list[EngineMean]:
    """Return engines on the programs that all have run, the quickest first."""
    found = [
        EngineMean(
            engine,
            shifted_geometric_mean(charged_times(common, engine), SHIFT_S).value,
            sum(row["status"] != "unknown" for row in own) / len(own),
        )
        for engine, own in common.runs.items()
    ]
    return sorted(found, key=lambda one: (one.seconds, one.engine))


def choice_tables(runs: EngineRuns) -> dict[str, Table]:
    """Return who is quickest, for each class and size, family or difficulty of programs."""
    return {
        "choice": _by(runs, size_of, "nonzeros", "Which solver for which program"),
        "families": _by(runs, lambda entry: entry.family, "family", "By family"),
        "difficulties": _by(runs, lambda entry: entry.difficulty, "difficulty", "By difficulty"),
    }


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
            *numbers("programs"),
            *texts("quickest"),
            *numbers("mean s", digits=3),
            *numbers("solved, %"),
            *texts("as quick", "next"),
            *numbers("mean s", digits=3, over="next"),
            *texts("solves more"),
        ),
        lines,
        f"Means are geometric, shifted by {SHIFT_S:g} s, and a failure costs the limit. As "
        f"quick: within 10 % or {NEAR_S:g} s. Free solvers, one thread, or two where the name "
        "says x2.",
        shared=1,
    )


NEAR_S = 0.01
"""Means that differ by less are not distinguished."""


def _cells(runs: EngineRuns, rows: Sequence[Row]) -> tuple[Cell, ...]:
    programs = len({row["instance"] for row in rows})
    ranked = [one for one in ranking(runs.common(rows)) if one.solved]
    if not ranked:
        return programs, "none", None, 0.0, "", "", None, ""
    best = ranked[0]
    near = max(1.1 * best.seconds, best.seconds + NEAR_S)
    same = [one.engine for one in ranked[1:] if one.seconds <= near]
    later = next((one for one in ranked if one.seconds > near), None)
    most = max(ranked, key=lambda one: (one.solved, -one.seconds))
    more = f"{most.engine}, {most.solved:.0%}" if most.solved > best.solved else ""
    following = (later.engine, later.seconds) if later else ("", None)
    return programs, best.engine, best.seconds, 100 * best.solved, ", ".join(same), *following, more


def best_table(runs: EngineRuns) -> Table:
    """Return each engine's additions: how often it is the quickest, and programs only it solves."""
    lines = [line for kind, common in runs.commons.items() for line in _best_lines(kind, common)]
    return table_of(
        "Comparison with the virtual best, the quickest solver for each run",
        (
            *texts("class", "solver"),
            *numbers("runs", "quickest", "within 10 %", "solved by it alone"),
            Column(head="mean s", digits=2, best="min"),
        ),
        lines,
        f"Means are geometric, shifted by {SHIFT_S:g} s. Times below 0.1 s are rounded up to it.",
        shared=1,
    )


def _best_lines(kind: str, common: Common) -> Iterator[tuple[Cell, ...]]:
    costs = {name: [max(0.1, t) for t in charged_times(common, name)] for name in common.runs}
    solved = {n: [row["status"] != "unknown" for row in own] for n, own in common.runs.items()}
    cases = range(len(common.cases))
    least = [min(costs[name][i] for name in costs) for i in cases]
    for name, own in costs.items():
        won = [i for i in cases if solved[name][i]]
        alone = sum(sum(solved[other][i] for other in solved) == 1 for i in won)
        quickest = sum(own[i] <= least[i] for i in won)
        near = sum(own[i] <= 1.1 * least[i] for i in won)
        mean = shifted_geometric_mean(own, SHIFT_S).value
        yield kind, name, len(own), quickest, near, alone, mean
    if len(costs) > 1:
        mean = shifted_geometric_mean(least, SHIFT_S).value
        yield kind, "virtual best", len(least), None, None, None, mean


def pair_table(kind: str, runs: EngineRuns) -> Table | None:
    """Return for each pair of engines on how many programs which one is quicker."""
    common = runs.commons.get(kind)
    names = [one.engine for one in ranking(common)] if common else []
    if common is None or len(names) < 2:
        return None
    wins = _wins(common)
    sure = _told_apart(names, wins)
    lines = [
        (
            one,
            *(
                None if one == other else f"{wins[one, other]}{'*' * ({one, other} in sure)}"
                for other in names
            ),
        )
        for one in names
    ]
    return table_of(
        f"Number of {CLASSES[kind]} on which the row's solver is faster than the column's",
        texts("solver", *names),
        lines,
        "Times: means over the orders of a program, failures at the limit. Faster: by more "
        "than 10 % and 0.05 s. *: a sign test finds a difference (p < 0.05 after Holm).",
    )


def leaders(common: Common) -> list[EngineMean]:
    """Return the quickest engine, and those that the pair test does not tell from it."""
    ranked = ranking(common)
    sure = _told_apart([one.engine for one in ranked], _wins(common))
    return [one for one in ranked if {ranked[0].engine, one.engine} not in sure]


def _told_apart(names: Sequence[str], wins: Mapping[tuple[str, str], int]) -> set[frozenset[str]]:
    """Return the pairs between which a sign test finds a difference."""
    pairs = list(combinations(names, 2))
    chances = holm([sign_test(wins[one, other], wins[other, one]) for one, other in pairs])
    return {frozenset(pair) for pair, p in zip(pairs, chances, strict=True) if p < LEVEL}


def _wins(common: Common) -> dict[tuple[str, str], int]:
    """Return for each pair on how many programs the first is clearly quicker."""
    means: dict[str, dict[str, float]] = {}
    for name in common.runs:
        times: dict[str, list[float]] = defaultdict(list)
        for case, seconds in zip(common.cases, charged_times(common, name), strict=True):
            times[case.digest].append(seconds)
        means[name] = {digest: sum(some) / len(some) for digest, some in times.items()}
    return {
        (one, other): sum(
            1.1 * means[one][digest] < means[other][digest]
            and means[one][digest] + 0.05 < means[other][digest]
            for digest in means[one]
        )
        for one in means
        for other in means
    }


def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided chance of numbers so uneven if both sides were equally likely."""
    count, least = wins + losses, min(wins, losses)
    tail = sum(comb(count, k) for k in range(least + 1))
    return min(1.0, tail / 2.0 ** (count - 1))
