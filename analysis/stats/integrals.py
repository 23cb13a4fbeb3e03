"""How far from the best a run was, over all its time: primal and primal-dual integral.

Source: Berthold 2013, Measuring the impact of primal heuristics, Operations Research Letters.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from ..rows import Row, answered
from .refusals import refusal

Step = Sequence[float | None]
"""Seconds, objective, and bound or None."""


def steps_of(row: Row) -> list[Step]:
    """Return the trajectory of a run, its end if that is all there is; none without an answer."""
    if not answered(row):
        return []
    return row["trajectory"] or [(row["seconds"], row["objective"], row["bound"])]


def relative_gap(value: float, reference: float) -> float:
    """Return their distance as a part of the larger absolute value; 1 if their signs differ."""
    if value == reference:
        return 0.0
    if value * reference < 0:
        return 1.0
    return abs(value - reference) / max(abs(value), abs(reference))


def primal_integral(
    trajectory: Iterable[Step], reference: float, *, sense: str, limit: float
) -> float:
    """Return the integral of the gap between incumbent and reference from 0 to `limit`.

    The gap is 1 before the first incumbent, then that of the best incumbent so far. The
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
    """Yield what is known from every step on: the best incumbent and bound so far."""
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
