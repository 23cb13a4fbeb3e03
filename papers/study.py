"""Shared parts of studies: bounds, runs, the comparison of methods seed by seed, tables."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, combinations, pairwise
from typing import Any

from ..analysis.intervals import Interval, mean_above, paired_ratio
from ..analysis.rows import BOUND, Row
from ..analysis.tables import table_of as table_of
from ..campaigns.reproductions import Answers, Run, Settings
from ..instances import BoundEvidence, Instance, MakespanInstance, RingyardError
from ..instances.catalogue import load
from ..methods import find_method
from ..run import ContradictionError

POLICIES = {"SJF-BCO": "sjf-bco", "LS": "list-scheduling", "FF": "first-fit", "RAND": "random"}
"""The schedulers of the paper's Figure 4, and the methods that stand for them here."""


def sound(answers: Answers) -> Answers:
    """Return answers that raise an error unless a row has a valid schedule or is a bound."""

    def row(run: Run) -> Row:
        found = answers(run)
        if found["valid"] or (run.method == BOUND and found["bound"] is not None):
            return found
        raise RingyardError(
            f"{run.instance.name}: {run.method} gave no valid answer ({found['status']}: "
            f"{found['note']}), so use another --out to repeat it"
        )

    return row


def certified(rows: Sequence[Row], *, maximize: bool = False) -> float:
    """Return the best certified bound among the rows of one instance. No value crosses it.

    Bounds are from below, or from above if the objective is maximized. Only bounds with a
    certificate are used. The row names its rules.
    """
    others, sign = set(BoundEvidence) - {BoundEvidence.CERTIFIED}, -1 if maximize else 1
    bound = max(sign * row["bound"] for row in rows if row["certificate"] not in others)
    for row in rows:
        if row["valid"] and sign * row["objective"] < bound:
            side = "above" if maximize else "below"
            value = f"a valid {row['objective']}, {side} a certified bound of {sign * bound}"
            raise ContradictionError(f"{row['instance']}: {row['method']} gave {value}")
    return float(sign * bound)


def ours() -> str:
    """Return the method that stands for our best schedule: the default of the family."""
    return find_method(None, "makespan").name


@cache
def named(name: str) -> Any:
    """Return an instance of the catalogue, read or made once."""
    return load(name)


def certificate_runs(instance: MakespanInstance, seed: int, settings: Settings) -> tuple[Run, Run]:
    """Return the runs of our best schedule and of the bound, which no search limit changes."""
    free, limit = replace(instance, horizon_slots=None), settings.time_limit
    best = Run(instance=free, method=ours(), seed=seed, time_limit=limit)
    return best, Run(instance=free, method=BOUND, time_limit=limit)


RunsByName = Mapping[str, Sequence[Run]]
"""The runs of each method, one for each seed."""

OBJECTIVE = "objective"
BEST = "our best"

HOLDS, OPEN, REVERSED = "holds", "open", "reversed"
"""Verdict on a paper's conclusion: its interval is on the paper's side of 1, includes 1, or is
on the other side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The rows of each method, one per seed, and the certified bound of each seed."""

    rows: Mapping[str, Sequence[Row]]
    bounds: Sequence[float] = ()

    def values(self, name: str, column: str = OBJECTIVE) -> list[float]:
        """Return a column, seed by seed."""
        return [float(row[column]) for row in self.rows[name]]

    def mean(self, name: str, column: str = OBJECTIVE) -> Interval:
        """Return the mean of a column over the seeds, whose values are never negative."""
        return mean_above(self.values(name, column), 0.0)

    def ratio(self, name: str, base: str, column: str = OBJECTIVE) -> Interval:
        """Return a column over another column: the geometric mean over the seeds."""
        return paired_ratio(self.values(name, column), self.values(base, column))

    def over_bound(self, name: str) -> list[float]:
        """Return objectives over the certified bounds, seed by seed."""
        return [value / bound for value, bound in zip(self.values(name), self.bounds, strict=True)]

    def above_bound(self, name: str) -> list[float]:
        """Return by how many per cent each objective exceeds its bound."""
        return [100 * (ratio - 1) for ratio in self.over_bound(name)]

    def ratio_to_bound(self, name: str) -> Interval:
        """Return the objective over the certified bound: the geometric mean over the seeds."""
        return paired_ratio(self.values(name), self.bounds)

    def order(self, names: Iterable[str]) -> str:
        """List names by ascending mean. A tilde joins two that the seeds cannot distinguish."""
        means = {name: self.mean(name).mean for name in names}
        return in_order(means, lambda less, more: self.ratio(less, more).high < 1)


def in_order(values: Mapping[str, float], apart: Callable[[str, str], bool]) -> str:
    """Name by ascending value. A tilde between neighbours that cannot be distinguished."""
    names = sorted(values, key=lambda name: values[name])
    signs = ["<" if apart(less, more) else "~" for less, more in pairwise(names)]
    return " ".join(chain(*zip(names, [*signs, ""], strict=True))).rstrip()


def compared(
    runs: RunsByName, answers: Answers, bounds: Sequence[Run] = (), *, maximize: bool = False
) -> Compared:
    """Collect the rows of runs, a run for each seed. An objective across a bound is an error.

    The bound of a seed is the best certified one of all its rows, and of the run in `bounds`.
    """
    rows = answered(runs, answers).rows
    bounding = [[answers(run) for run in bounds]] if bounds else []
    by_seed = zip(*rows.values(), *bounding, strict=True)
    return Compared(rows=rows, bounds=[certified(some, maximize=maximize) for some in by_seed])


def seeded(
    methods: Mapping[str, str],
    draw: Callable[[int], Instance],
    seeds: Iterable[int],
    limits: Mapping[str, float] | None = None,
) -> dict[str, list[Run]]:
    """Return the runs of methods by name: a run for each seed, on the instance of the seed.

    Some methods have time limits, in seconds.
    """
    drawn, known = {seed: draw(seed) for seed in seeds}, limits or {}
    return {
        name: [
            Run(instance=one, method=method, seed=seed, time_limit=known.get(method))
            for seed, one in drawn.items()
        ]
        for name, method in methods.items()
    }


def answered(runs: RunsByName, answers: Answers) -> Compared:
    """Collect the rows of runs, without bounds."""
    return Compared(rows={name: list(map(answers, some)) for name, some in runs.items()})


def flat(groups: Iterable[RunsByName]) -> Iterator[Run]:
    """Yield the runs of groups, each once."""
    runs = chain.from_iterable(chain.from_iterable(group.values()) for group in groups)
    yield from {run.key: run for run in runs}.values()


def beside_best(
    methods: Mapping[str, str],
    draw: Callable[[int], MakespanInstance],
    settings: Settings,
    answers: Answers,
) -> Compared:
    """Compare methods by name, and our best schedule, on the instance of each seed."""
    seeds = range(settings.seeds)
    pairs = [certificate_runs(draw(seed), seed, settings) for seed in seeds]
    runs = seeded(methods, draw, seeds)
    runs[BEST] = [best for best, _ in pairs]
    return compared(runs, answers, [bound for _, bound in pairs])


def about_best(settings: Settings) -> str:
    """Return the note of a table that says which method gives our best schedule."""
    return (
        f"Our best: {ours()}, at most {settings.time_limit:g} s an instance, so it depends on "
        "the machine."
    )


def smallest_clashes(sets: Sequence[frozenset[str]], all_of: Sequence[str]) -> list[set[str]]:
    """Return the smallest subsets of names that no single set contains, [] if one contains all."""
    for size in range(1, len(all_of) + 1):
        some = [set(one) for one in combinations(all_of, size) if not _together(sets, one)]
        if some:
            return some
    return []


def _together(sets: Sequence[frozenset[str]], names: Sequence[str]) -> bool:
    return any(own.issuperset(names) for own in sets)
