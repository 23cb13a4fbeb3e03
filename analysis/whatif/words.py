"""Conclusions in sentences; all are about mean completion times."""

from collections import Counter
from collections.abc import Sequence

from ..drawing.words import plural
from .flips import ACROSS, ALONG, Flip, lead

UNDER = {"contention": "under {}", "load": "at load {}", "cluster": "on {}"}
"""How a sentence says where it holds, by axis."""
MODELS = {"contention": "contention model", "load": "load", "cluster": "cluster"}
PLURAL = {"policy": "policies", "placement": "placements", "cluster": "clusters"}
RANK = ("reversed", "vanished", "appeared")
"""Kinds of change, the gravest first."""


def changes(found: Sequence[Flip]) -> list[Flip]:
    """Return the comparisons that do not keep, the gravest and clearest first."""
    changed = [one for one in found if one.kind in RANK]
    return sorted(changed, key=_rank)


def _rank(one: Flip) -> tuple[int, int, int, float]:
    return RANK.index(one.kind), ALONG.index(one.along), ACROSS.index(one.across), -one.size


def summaries(found: Sequence[Flip], margin: float) -> list[str]:
    """Return how many comparisons change, for each pair of axes."""
    kinds: dict[tuple[str, str, str], Counter[str]] = {}
    for one in found:
        kinds.setdefault((one.across, one.along, one.base), Counter())[one.kind] += 1
    return [
        f"From {base} to another {MODELS[across]}, {_changed(count, PLURAL[along])} "
        f"(equal: within {share(margin)})."
        for (across, along, base), count in kinds.items()
    ]


def _changed(count: Counter[str], what: str) -> str:
    of = f"of {plural(count.total(), 'comparison')} of {what} by mean JCT"
    if count["kept"] == count.total():
        return f"none {of} comes out another way"
    turns = zip(("reversed", "now equal", "no longer equal"), RANK, strict=True)
    return f"{of}: " + ", ".join(f"{count[kind]:,} {turn}" for turn, kind in turns)


def sentence(one: Flip, varied: Sequence[str], margin: float) -> str:
    """Say how a comparison comes out before and after, where `varied` axes have which values."""
    places = [f"{axis} {value}" for axis, value in one.at.items() if axis in varied]
    where = f"{', '.join(places)}: " if places else ""
    here, there = (UNDER[one.across].format(value) for value in (one.base, one.other))
    names = one.first, one.second
    return (
        f"{where}{here} {_outcome(names, one.before, margin)}; "
        f"{there} {_outcome(names, one.after, margin)}"
    )


def _outcome(names: tuple[str, str], means: tuple[float, float], margin: float) -> str:
    ahead = lead(*means)
    if ahead < 0:
        return _outcome(names[::-1], means[::-1], margin)
    digits = 0 if max(means) >= 1000 else 1
    times = ", ".join(f"{mean:,.{digits}f} s" for mean in means)
    if ahead <= margin:
        return f"{names[0]} and {names[1]} are equal ({times})"
    return f"{names[0]} takes {share(ahead)} less than {names[1]} ({times})"


def share(part: float) -> str:
    """Show a part in per cent."""
    return f"{100 * part:.3g} %"
