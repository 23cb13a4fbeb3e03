"""Comparisons of two cases that come out another way under a second value of another axis."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from ...instances.errors import plural
from ...instances.errors import sentence as full_sentence
from ..trace.parts import time_texts
from .cases import (
    AXES,
    AxisRow,
    ahead,
    lead,
    outage_text,
    place_text,
    share,
    ties_text,
    values_of,
)

ALONG = ("policy", "placement", "cluster")
"""Axes whose values are compared with each other."""
ACROSS = ("contention", "load", "cluster", "outages")
"""Axes that may change the result of a comparison. The first value is the base."""

Kind = Literal["reversed", "vanished", "appeared", "kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Two values of an axis, compared under one value of another axis and then under a second.

    `before` and `after` have the mean completion times of both, and `first` is no worse before.
    `kept` comparisons are not reversed, and are ties both times or neither time.
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
    ties: tuple[bool, bool]
    """Whether the two tie before, and after."""
    kind: Kind

    @property
    def size(self) -> float:
        """Size of the smaller lead of a reversal, or else of the larger lead."""
        leads = [abs(lead(*self.before)), abs(lead(*self.after))]
        return min(leads) if self.kind == "reversed" else max(leads)


def comparisons(cases: Sequence[AxisRow], margin: float | None) -> list[Flip]:
    """Return every comparison that can be made under two values of another axis."""
    return [
        one
        for across in ACROSS
        for along in ALONG
        if along != across
        for one in _pairs(cases, along, across, margin)
    ]


def _pairs(
    cases: Sequence[AxisRow], along: str, across: str, margin: float | None
) -> Iterator[Flip]:
    rest = [axis for axis in AXES if axis not in (along, across)]
    found: dict[tuple[str, ...], dict[tuple[str, str], AxisRow]] = {}
    for case in cases:
        if case.mean is not None:
            own = found.setdefault(tuple(case.at[axis] for axis in rest), {})
            own[case.at[along], case.at[across]] = case
    base, *others = values_of(cases, across)
    for place, known in found.items():
        for one, two in combinations(values_of(cases, along), 2):
            for other in others:
                where = [(name, value) for value in (base, other) for name in (one, two)]
                if all(key in known for key in where):
                    a, b, c, d = (known[key] for key in where)
                    swap = _mean(b) < _mean(a)
                    before, after = ((b, a), (d, c)) if swap else ((a, b), (c, d))
                    first, then = ahead(*before, margin), ahead(*after, margin)
                    yield Flip(
                        along=along,
                        across=across,
                        at=dict(zip(rest, place, strict=True)),
                        first=two if swap else one,
                        second=one if swap else two,
                        base=base,
                        other=other,
                        before=(_mean(before[0]), _mean(before[1])),
                        after=(_mean(after[0]), _mean(after[1])),
                        ties=(not first, not then),
                        kind=_flip_kind(first, then),
                    )


def _mean(case: AxisRow) -> float:
    assert case.mean is not None
    return case.mean


def _flip_kind(before: int, after: int) -> Kind:
    """Return the kind of change of a lead, 1 or a tie before."""
    if before and after <= 0:
        return "vanished" if after == 0 else "reversed"
    return "appeared" if not before and after else "kept"


UNDER: dict[str, Callable[[str], str]] = {
    "contention": lambda value: "without contention" if value == "none" else f"under {value}",
    "load": "at load {}".format,
    "cluster": "on {}".format,
    "outages": outage_text,
}
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


def summaries(found: Sequence[Flip], margin: float | None) -> list[str]:
    """Return the numbers of changed comparisons, for each pair of axes."""
    kinds: dict[tuple[str, str, str], Counter[str]] = {}
    for one in found:
        kinds.setdefault((one.across, one.along, one.base), Counter())[one.kind] += 1
    return [
        f"{_change(across, base)} {_effect(count, along)} (ties: {ties_text(margin)})."
        for (across, along, base), count in kinds.items()
    ]


def _change(across: str, base: str) -> str:
    if base == "none":
        return f"Adding {across}"
    return f"Changing the {MODELS.get(across, across)} from {base}"


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


def sentence(one: Flip, varied: Sequence[str]) -> str:
    """Return the results of a comparison before and after, with the values of `varied` axes."""
    places = [place_text(axis, value) for axis, value in one.at.items() if axis in varied]
    where = f"{', '.join(places)}: " if places else ""
    here, there = map(UNDER[one.across], (one.base, one.other))
    names = one.first, one.second
    before, after = (
        _outcome(names, means, tie)
        for means, tie in zip((one.before, one.after), one.ties, strict=True)
    )
    return full_sentence(f"{where}{here}, {before}, but {there}, {after}")


def _outcome(names: tuple[str, str], means: tuple[float, float], tie: bool) -> str:
    if lead(*means) < 0:
        return _outcome(names[::-1], means[::-1], tie)
    times = ", ".join(time_texts(means))
    if tie:
        return f"{names[0]} and {names[1]} tie ({times})"
    return f"{names[0]} beats {names[1]} by {share(lead(*means))} ({times})"
