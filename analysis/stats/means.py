"""Means of times and ratios, charges for failures, and integrals over a run.

The primal and the primal-dual integral measure the distance from the best over the whole run.
Source: Berthold 2013, Measuring the impact of primal heuristics, Operations Research Letters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log
from statistics import fmean

from ..rows import Row, Success, answered, solved
from .cases import Common
from .references import check_numbers, refusal


def charged_time(
    row: Row, *, success: Success = solved, factor: float = 1, limit: float | None = None
) -> float:
    """Return the seconds of a success, at most the limit, and `factor` limits for a failure.

    `limit` is for runs whose row has no limit. A failure without any limit is refused.
    """
    limit = row["time_limit"] if row["time_limit"] is not None else limit
    if success(row):
        (seconds,) = check_numbers(f"{row['instance']}: {row['method']}", [row["seconds"]], least=0)
        return seconds if limit is None else min(seconds, limit)
    if limit is None:
        place = f"{row['instance']}: {row['method']}, seed {row['seed']}: time_limit"
        expected = f"a limit to charge for the status {row['status']}"
        raise refusal("rows", place, None, expected, "set a time limit, or leave the method out")
    return factor * limit


def charged_times(
    common: Common, method: str, *, success: Success = solved, factor: float = 1
) -> list[float]:
    """Return the charged times of a method's runs. A case has one limit for all its runs."""
    runs = zip(common.runs[method], common.limits, strict=True)
    return [charged_time(row, success=success, factor=factor, limit=limit) for row, limit in runs]


def times_to_success(runs: Iterable[Row], *, success: Success = solved) -> list[float | None]:
    """Return the seconds of every success, at most its limit, and None for failures."""
    return [charged_time(row, success=success) if success(row) else None for row in runs]


SHIFT_S = 10.0
"""Default shift of times in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftedMean:
    """A shifted geometric mean, with its shift and of how many values it is."""

    value: float
    shift: float
    count: int


def shifted_geometric_mean(values: Iterable[float], shift: float = SHIFT_S) -> ShiftedMean:
    """Return ``exp(mean(ln(max(1, v + shift)))) - shift`` of values of at least 0."""
    source = "shifted geometric mean"
    numbers = check_numbers(source, values, least=0)
    check_numbers(f"{source}: shift", [shift], least=0)
    raised = [max(1.0, value + shift) for value in numbers]
    mean = exp(fmean(map(log, raised)))
    amid = min(max(mean, min(raised)), max(raised))  # Rounding may lead out of the values.
    return ShiftedMean(value=amid - shift, shift=shift, count=len(numbers))


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean of positive values."""
    numbers = check_numbers("geometric mean", values, least=0)
    if min(numbers) == 0:
        raise refusal("geometric mean", "values", 0, "above 0", "use a shifted mean")
    return exp(fmean(map(log, numbers)))


def scaled(means: Mapping[str, ShiftedMean]) -> dict[str, float]:
    """Return shifted means over their minimum, all with equal shifts and numbers of values."""
    if len({(mean.shift, mean.count) for mean in means.values()}) > 1:
        expected = "one shift and one number of values"
        advice = "compute the means over the same cases"
        raise refusal("scaled means", "means", list(means), expected, advice)
    least = min(mean.value for mean in means.values())
    if least <= 0:
        advice = "show the means without a scale"
        raise refusal("scaled means", "least", least, "above 0", advice)
    return {name: mean.value / least for name, mean in means.items()}


Step = Sequence[float | None]
"""Seconds, objective, and bound or None."""


def steps_of(row: Row) -> list[Step]:
    """Return the trajectory of a run, only its end if that is all, empty without an answer."""
    if not answered(row):
        return []
    return row["trajectory"] or [(row["seconds"], row["objective"], row["bound"])]


def relative_gap(value: float, reference: float) -> float:
    """Return the distance relative to the larger absolute value, 1 if the signs differ."""
    if value == reference:
        return 0.0
    if value * reference < 0:
        return 1.0
    return abs(value - reference) / max(abs(value), abs(reference))


def primal_integral(
    trajectory: Iterable[Step], reference: float, *, sense: str, limit: float
) -> float:
    """Return the integral of the gap between incumbent and reference from 0 to `limit`.

    The gap is 1 before the first incumbent, then the gap of the best incumbent so far. The
    reference is the best known value or a bound.
    """
    known = _known(trajectory, -1 if sense == "max" else 1)
    return _integral(((at, relative_gap(value, reference)) for at, value, _ in known), limit)


def primal_dual_integral(trajectory: Iterable[Step], *, sense: str, limit: float) -> float:
    """Return the integral of the gap between incumbent and own bound from 0 to `limit`.

    The gap is 1 while either is missing. Both are the best so far.
    """
    known = _known(trajectory, -1 if sense == "max" else 1)
    gaps = ((at, 1.0 if b is None else relative_gap(value, b)) for at, value, b in known)
    return _integral(gaps, limit)


def _known(trajectory: Iterable[Step], sign: int) -> Iterator[tuple[float, float, float | None]]:
    """Yield the best incumbent and bound so far at every step."""
    best, bound, before = inf, -inf, 0.0
    for i, (seconds, value, limit) in enumerate(trajectory):
        if seconds is None or value is None or not before <= seconds < inf:
            expected = f"seconds of at least {before:g}, and an objective"
            raise refusal("trajectory", f"[{i}]", seconds, expected, "write the steps in order")
        before, best = seconds, min(best, sign * value)
        bound = bound if limit is None else max(bound, sign * limit)
        yield seconds, sign * best, None if bound == -inf else sign * bound


def _integral(gaps: Iterable[tuple[float, float]], limit: float) -> float:
    """Integrate a step function that is 1 before its first step."""
    if not 0 < limit < inf:
        raise refusal("integral", "limit", limit, "seconds above 0", "state the time limit")
    area, since, gap = 0.0, 0.0, 1.0
    for seconds, after in gaps:
        if seconds >= limit:
            break
        area, since, gap = area + gap * (seconds - since), seconds, after
    return area + gap * (limit - since)
