"""What rows say about theorems: whether values keep within the factors that are proved."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..guarantees import Guarantee, Verdict, guarantees_of, rule
from ..rows import Row
from ..stats.cases import BOUND
from ..stats.references import Key, best_bounds, best_values, key_of
from ..stats.success import answered
from ..stats.wrong import mark_wrong
from ..tables import Cell, Column, Table
from .sources import NOTHING, Sources

ROUNDING = 1 + Fraction(1, 10**12)
"""Rows hold numbers to about 15 digits; a factor missed by less than this is not missed."""

NOTE = (
    "Holds: the value is within the factor of the best certified bound of these rows. Violated: "
    "it is not within the factor of the best valid schedule of these rows. Open: neither. Silent: "
    "the theorem does not speak of the run. Ratio: value over bound, or bound over value where "
    "it is to be large. Proved: in the documentation of Ringyard; else only printed somewhere."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A run held against a theorem; without a factor the theorem is silent, and says why."""

    verdict: Verdict = Verdict.INCONCLUSIVE
    factor: Fraction | None = None
    ratio: Fraction | None = None
    silent: str = ""


def verdicts(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return for each theorem and method how often it holds, and how near runs come to it."""
    marked = mark_wrong(rows)
    best, bounds = best_values(marked), best_bounds(marked)
    found: dict[tuple[str, bool, str], list[Held]] = {}
    for row in marked:
        for guarantee in guarantees_of(row["method"]) if row["method"] != BOUND else ():
            place = (guarantee.name, guarantee.proved, row["method"])
            found.setdefault(place, []).append(_held(row, guarantee, best, bounds, sources))
    reasons = sorted({held.silent for some in found.values() for held in some if held.silent})
    return Table(
        caption="Theorems held against runs",
        columns=(
            Column(head="theorem", digits=None),
            Column(head="proved", digits=None),
            Column(head="method", digits=None),
            Column(head="runs"),
            Column(head="holds"),
            Column(head="violated"),
            Column(head="open"),
            Column(head="silent"),
            Column(head="largest ratio", digits=3),
            Column(head="largest ratio / factor", digits=3),
        ),
        rows=tuple(
            (name, "yes" if proved else "no", method, *_counts(some))
            for (name, proved, method), some in sorted(found.items())
        ),
        notes=(NOTE, *([f"Silent because: {'; '.join(reasons)}."] if reasons else [])),
        shared=2,
    )


def _held(
    row: Row,
    guarantee: Guarantee,
    best: dict[Key, float],
    bounds: dict[Key, float],
    sources: Sources,
) -> Held:
    yard, key = sources.instance(row["digest"]), key_of(row)
    if not answered(row):
        return Held(silent="no schedule")
    if row["stop"] != "done":
        return Held(silent="needs the whole run")
    if yard is None:
        return Held(silent="the instance is not at hand")
    if key not in bounds:
        return Held(silent="no certified bound")
    unmet = sources.unmet(guarantee, row, yard)
    if unmet:
        return Held(silent=_kind(unmet))
    value, bound, least = (Fraction(str(x)) for x in (row["objective"], bounds[key], best[key]))
    factor, most = guarantee.factor(yard), row["sense"] == "max"
    verdict = rule(factor * ROUNDING, value, bound, least, most=most)
    above, below = (bound, value) if most else (value, bound)
    return Held(verdict=verdict, factor=factor, ratio=above / below if below else None)


def _kind(unmet: str) -> str:
    """Keep of a hypothesis that is not met what does not depend on the instance."""
    return unmet.partition(":")[0]


def _counts(some: list[Held]) -> tuple[Cell, ...]:
    spoken = [held for held in some if held.factor is not None]
    ratios = [float(held.ratio) for held in spoken if held.ratio is not None]
    parts = [float(held.ratio / held.factor) for held in spoken if held.ratio and held.factor]
    counts = [sum(held.verdict is verdict for held in spoken) for verdict in Verdict]
    return (
        len(some),
        *counts,
        len(some) - len(spoken),
        max(ratios, default=None),
        max(parts, default=None),
    )
