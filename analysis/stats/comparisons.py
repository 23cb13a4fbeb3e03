"""Comparisons of methods: all pairs over instances, and performance profiles.

Wilcoxon's signed-rank test decides whether differences are symmetric around 0. Holm's correction
adjusts for multiple tests. Sources: Wilcoxon 1945, Pratt 1959 for zero differences, Holm 1979,
Dolan and Moré 2002 for performance profiles.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import erfc, exp, inf, isinf, log, sqrt
from statistics import fmean

import numpy as np

from ..intervals import Interval, paired_ratio
from ..rows import Success, answered, solved
from .cases import Case, Common
from .means import SHIFT_S, charged_times, times_to_success
from .references import Key, check_numbers, ratio, refusal


def holm(chances: Sequence[float]) -> list[float]:
    """Return adjusted p. Rejecting p <= a bounds the chance of any false rejection by a."""
    adjusted = [0.0] * len(chances)
    worst = 0.0
    for place, i in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        worst = max(worst, min(1.0, (len(chances) - place) * chances[i]))
        adjusted[i] = worst
    return adjusted


EXACT = 200
"""Maximum number of nonzero differences with exact p. Beyond it, p is from the normal
distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRank:
    """Sums of the ranks of positive and of negative differences, and the two-sided p."""

    plus: float
    minus: float
    count: int
    zeros: int
    p: float
    exact: bool

    @property
    def effect(self) -> float:
        """The matched-pairs rank-biserial correlation: 1 if all are above 0, -1 if below."""
        whole = self.plus + self.minus
        return (self.plus - self.minus) / whole if whole else 0.0


def signed_rank(differences: Iterable[float], *, exact: int = EXACT) -> SignedRank:
    """Test differences. Zeros are ranked but have no sign.

    Equal sizes share their mean rank. Sizes are equal if they agree in 12 digits.
    """
    numbers = check_numbers("signed ranks", differences)
    doubled = _doubled_ranks([float(f"{abs(d):.12g}") for d in numbers])
    there = [(rank, d) for rank, d in zip(doubled, numbers, strict=True) if d]
    plus, minus = (sum(rank for rank, d in there if sign * d > 0) for sign in (1, -1))
    ranks, is_exact = [rank for rank, _ in there], len(there) <= exact
    return SignedRank(
        plus=plus / 2,
        minus=minus / 2,
        count=len(numbers),
        zeros=len(numbers) - len(there),
        p=_exact_p(ranks, min(plus, minus)) if is_exact else _normal_p(ranks, plus - minus),
        exact=is_exact,
    )


def _doubled_ranks(sizes: list[float]) -> list[int]:
    """Return twice the rank of every size, which is whole."""
    ordered = np.sort(sizes)
    below, upto = (np.searchsorted(ordered, sizes, side) for side in ("left", "right"))
    return [int(rank) for rank in below + upto + 1]


def _exact_p(ranks: list[int], least: int) -> float:
    """Return twice the part of all sign patterns whose positive ranks sum to at most `least`."""
    chances = np.zeros(sum(ranks) + 1)
    chances[0] = 1.0
    for rank in ranks:
        moved = np.zeros_like(chances)
        moved[rank:] = chances[: len(chances) - rank]
        chances = (chances + moved) / 2
    return min(1.0, 2 * float(chances[: least + 1].sum()))


def _normal_p(ranks: list[int], difference: int) -> float:
    """Return p from mean 0 and variance of a sum of ranks with random signs, uncorrected."""
    deviation = sqrt(sum(rank * rank for rank in ranks))
    return erfc(abs(difference) / deviation / sqrt(2))


Pairs = list[tuple[Case, float, float]]
"""Cases, with the values of two methods, where smaller is better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of two methods. A `ratio` below 1 or an effect above 0 favours the first.

    Numbers are of instances. `cases` are their seeds and repetitions, `excluded` the cases without
    answers of both methods. `ratio` is None if exactly one value is 0 or no case is left. `holm` is
    p corrected over all pairs.
    """

    method: str
    other: str
    wins: int
    ties: int
    losses: int
    ratio: Interval | None
    test: SignedRank | None
    effect: float
    holm: float
    shift: float
    cases: int
    excluded: int

    @property
    def instances(self) -> int:
        """Instances on which both are compared."""
        return self.wins + self.ties + self.losses


def compare_times(common: Common, *, success: Success = solved) -> list[Comparison]:
    """Compare times of all pairs of methods, with failures at the limit of their case."""
    costs = {name: charged_times(common, name, success=success) for name in common.runs}

    def pairs(method: str, other: str) -> Pairs:
        return list(zip(common.cases, costs[method], costs[other], strict=True))

    return _compare(common, pairs, SHIFT_S)


def compare_values(common: Common) -> list[Comparison]:
    """Compare objectives of all pairs of methods, each on the cases that both answered."""

    def pairs(method: str, other: str) -> Pairs:
        found = []
        runs = zip(common.cases, common.runs[method], common.runs[other], strict=True)
        for case, one, two in runs:
            if answered(one) and answered(two):
                values = (one["objective"], two["objective"])
                found.append((case, *(values if one["sense"] == "min" else values[::-1])))
        return found

    return _compare(common, pairs, 0)


def signed_gap(cost: float, other: float) -> float:
    """Return (cost - other) / max(cost, other), which ranks like the log ratio."""
    return (cost - other) / max(cost, other) if cost != other else 0.0


def log_ratio(cost: float, other: float) -> float:
    """Return the logarithm of cost over other, infinite if one of them is 0."""
    if cost == other:
        return 0.0
    return log(cost / other) if cost and other else inf


def _compare(common: Common, pairs: Callable[[str, str], Pairs], shift: float) -> list[Comparison]:
    found = [
        _comparison(method, other, pairs(method, other), len(common.cases), shift)
        for method, other in combinations(common.runs, 2)
    ]
    adjusted = holm([one.holm for one in found])
    return [replace(one, holm=p) for one, p in zip(found, adjusted, strict=True)]


def _comparison(method: str, other: str, pairs: Pairs, cases: int, shift: float) -> Comparison:
    gaps = _means(pairs, shift, signed_gap)
    test = signed_rank(gaps) if gaps else None
    return Comparison(
        method=method,
        other=other,
        wins=sum(gap < 0 for gap in gaps),
        ties=sum(gap == 0 for gap in gaps),
        losses=sum(gap > 0 for gap in gaps),
        ratio=_ratio(_means(pairs, shift, log_ratio)),
        test=test,
        effect=0.0 - test.effect if test else 0.0,
        holm=test.p if test else 1.0,
        shift=shift,
        cases=len(pairs),
        excluded=cases - len(pairs),
    )


def _means(pairs: Pairs, shift: float, of: Callable[[float, float], float]) -> list[float]:
    """Return for every instance the mean over its cases."""
    found: dict[Key, list[float]] = {}
    for case, cost, other in pairs:
        check_numbers("comparison", [cost, other, shift], least=0)
        found.setdefault(case.key, []).append(of(cost + shift, other + shift))
    return [fmean(values) for values in found.values()]


def _ratio(logs: list[float]) -> Interval | None:
    if not logs or any(map(isinf, logs)):
        return None
    return paired_ratio([exp(one) for one in logs], [1.0] * len(logs))


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCurve:
    """The share of `count` values that are at most x: `heights[i]` from `places[i]` on.

    It is 0 before the first place. Values of None are beyond every x.
    """

    places: tuple[float, ...]
    heights: tuple[float, ...]
    count: int

    def __call__(self, x: float) -> float:
        """Return the height at x, the step at x included."""
        return self.heights[i - 1] if (i := bisect_right(self.places, x)) else 0.0

    @property
    def end(self) -> float:
        """The height that is reached in the end: the part of values that there are."""
        return self.heights[-1] if self.heights else 0.0


def cumulative(values: Iterable[float | None]) -> StepCurve:
    """Return the share of the values that are at most x as a function of x."""
    values = list(values)
    if not values:
        raise refusal("steps", "values", values, "at least one", "add a value")
    there = sorted(value for value in values if value is not None)
    if there:
        check_numbers("steps", there)
    upto = {value: i / len(values) for i, value in enumerate(there, 1)}
    return StepCurve(places=tuple(upto), heights=tuple(upto.values()), count=len(values))


FLOOR_S = 0.01
"""Minimum in seconds. Shorter times are raised to it as noise."""

Costs = Mapping[str, Sequence[float | None]]
"""The cost of every case for each method, in one order of the cases, None for failures."""


def performance_profiles(costs: Costs, floor: float) -> dict[str, StepCurve]:
    """Return the share of cases on which each method is within a factor x of the best.

    Costs are raised to `floor` > 0. A failure is within no factor. A case that all methods failed
    is still part of the total.
    """
    check_numbers("performance profile: floor", [floor], least=0)
    if floor == 0 or len({len(costs[name]) for name in costs}) != 1:
        what = "a floor above 0, and an equal number of costs for each method"
        advice = "compare all methods over the same cases"
        raise refusal("performance profile", "costs", list(costs), what, advice)
    for values in costs.values():
        if there := [value for value in values if value is not None]:
            check_numbers("performance profile", there, least=0)
    raised = {n: [None if v is None else max(v, floor) for v in costs[n]] for n in costs}
    cases = zip(*raised.values(), strict=True)
    best = [min((v for v in case if v is not None), default=None) for case in cases]
    return {
        name: cumulative(
            None if value is None or least is None else value / least
            for value, least in zip(values, best, strict=True)
        )
        for name, values in raised.items()
    }


def time_profiles(common: Common, *, success: Success = solved) -> dict[str, StepCurve]:
    """Return the performance profiles of all methods on their times to success."""
    costs = {name: times_to_success(common.runs[name], success=success) for name in common.runs}
    return performance_profiles(costs, FLOOR_S)


def ratio_profiles(common: Common, references: Mapping[Key, float]) -> dict[str, StepCurve]:
    """Return per method the part of cases whose objective is within a factor x of its reference.

    `references` are best values or bounds: `common.best`, `common.bounds`. A case without one
    is refused unless no method has a valid answer to it.
    """
    return {name: cumulative(ratios_of(common, name, references)) for name in common.runs}


def ratios_of(common: Common, method: str, references: Mapping[Key, float]) -> list[float | None]:
    """Return the ratio of every case to its reference, None without a valid answer."""
    ratios: list[float | None] = []
    for case, row in zip(common.cases, common.runs[method], strict=True):
        if not answered(row):
            ratios.append(None)
            continue
        if case.key not in references:
            advice = "add a run of the method `bound`, or compare with the best values"
            raise refusal("ratios", row["instance"], None, "a reference", advice)
        ratios.append(ratio(row["objective"], references[case.key], row["sense"]))
    return ratios


def solved_within(common: Common) -> dict[str, StepCurve]:
    """Return per method the part of cases that it solved within x seconds."""
    return {
        name: cumulative(times_to_success(runs, success=solved))
        for name, runs in common.runs.items()
    }
