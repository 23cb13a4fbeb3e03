"""What methods made of the same instances, seed by seed, and one of them over another."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from ..analysis.intervals import Interval, mean_above, paired_ratio
from ..analysis.rows import Row
from ..campaigns.runs import Run
from ..instances import MakespanInstance
from .study import Answers, Settings, certificate_runs, certified, ours

OBJECTIVE = "objective"
BEST = "our best"

HOLDS, OPEN, REVERSED = "holds", "open", "reversed"
"""What is said of a paper's conclusion by an interval: clear of 1 on its side, on neither, on the
other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Rows by name of what is compared, one for each seed, and the certified bounds by seed."""

    rows: Mapping[str, Sequence[Row]]
    bounds: Sequence[float] = ()

    def values(self, name: str, column: str = OBJECTIVE) -> list[float]:
        """Return a column, seed by seed."""
        return [float(row[column]) for row in self.rows[name]]

    def mean(self, name: str, column: str = OBJECTIVE) -> Interval:
        """Return its mean over the seeds; none of what is compared is below 0."""
        return mean_above(self.values(name, column), 0.0)

    def ratio(self, name: str, base: str, column: str = OBJECTIVE) -> Interval:
        """Return a column over that of another: the geometric mean over the seeds."""
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
        """Name some by ascending mean of the objective; a tilde if seeds do not tell two apart."""
        means = {name: self.mean(name).mean for name in names}
        return in_order(means, lambda less, more: self.ratio(less, more).high < 1)


def in_order(values: Mapping[str, float], apart: Callable[[str, str], bool]) -> str:
    """Name by ascending value; a tilde between neighbours that cannot be distinguished."""
    names = sorted(values, key=lambda name: values[name])
    signs = ["<" if apart(less, more) else "~" for less, more in pairwise(names)]
    return " ".join(chain(*zip(names, [*signs, ""], strict=True))).rstrip()


def compared(
    runs: Mapping[str, Sequence[Run]],
    answers: Answers,
    bounds: Sequence[Run] = (),
    *,
    maximize: bool = False,
) -> Compared:
    """Collect the rows of runs, a run for each seed; an objective across a bound is an error.

    The bound of a seed is the best certified one of all its rows, and of the run in `bounds`.
    """
    rows = {name: list(map(answers, some)) for name, some in runs.items()}
    bounding = [[answers(run) for run in bounds]] if bounds else []
    by_seed = zip(*rows.values(), *bounding, strict=True)
    return Compared(rows=rows, bounds=[certified(some, maximize=maximize) for some in by_seed])


def beside_best(
    methods: Mapping[str, str],
    draw: Callable[[int], MakespanInstance],
    settings: Settings,
    answers: Answers,
) -> Compared:
    """Compare methods by name, and our best schedule, on the instance of each seed."""
    drawn = {seed: draw(seed) for seed in range(settings.seeds)}
    pairs = [certificate_runs(one, seed, settings) for seed, one in drawn.items()]
    runs = {
        name: [Run(instance=one, method=method, seed=seed) for seed, one in drawn.items()]
        for name, method in methods.items()
    }
    runs[BEST] = [best for best, _ in pairs]
    return compared(runs, answers, [bound for _, bound in pairs])


def about_best(settings: Settings) -> str:
    """Say what our best schedule is, for notes of tables."""
    return (
        f"Our best: {ours()}, at most {settings.time_limit:g} s an instance, so it depends on "
        "the machine."
    )
