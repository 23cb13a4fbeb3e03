"""Which conclusions change: comparisons that come out one way here and another way there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from .cases import AXES, AxisRow, values_of

ALONG = ("policy", "placement", "cluster")
"""Axes whose values are compared with each other."""
ACROSS = ("contention", "load", "cluster")
"""Axes that may change how a comparison comes out; the first value is where to begin."""

Kind = Literal["reversed", "vanished", "appeared", "kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Two values of an axis, first under one value of another axis, then under a second one.

    `before` and `after` have the mean completion times of both; of the two, `first` is no worse
    before. `kept` is what is neither reversed nor lies within the margin only once.
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
        """How clear the weaker side of it is; what is within the margin does not count."""
        sides = [abs(lead(*self.before)), abs(lead(*self.after))]
        return min(sides) if self.kind == "reversed" else max(sides)


def lead(first: float, second: float) -> float:
    """Return how much less the first is, as a part of the larger; below 0 if it is more."""
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
                        kind=_kind(lead(*before), lead(*after), margin),
                    )


def _kind(before: float, after: float, margin: float) -> Kind:
    """Say what becomes of a lead that is not negative before."""
    clear = before > margin
    if clear and after < -margin:
        return "reversed"
    if clear and after <= margin:
        return "vanished"
    return "appeared" if not clear and abs(after) > margin else "kept"
