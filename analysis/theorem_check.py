"""Runs checked against theorems: whether a value keeps within the factor that is proved."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..instances.outcome import TerminationReason
from .guarantees import FactorVerdict, Guarantee, guarantees_of, rule
from .rows import Row, answered
from .sources import Sources
from .stats.references import Key, best_bounds, best_values, key_of, ratio

ROUNDING = 1 + Fraction(1, 10**12)
"""Tolerance of factors, because rows hold numbers to about 15 digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TheoremCheck:
    """A run's verdict on a theorem, or the reason why the theorem does not apply."""

    verdict: FactorVerdict = FactorVerdict.INCONCLUSIVE
    factor: Fraction | None = None
    ratio: float | None = None
    silent: str = ""


def check_theorems(
    chosen: Iterable[Row], rows: Sequence[Row], sources: Sources
) -> Iterator[tuple[Row, Guarantee, TheoremCheck]]:
    """Check each chosen run against every theorem about its method.

    Bounds and best schedules are over all `rows`, with wrong ones marked.
    """
    best, bounds = best_values(rows), best_bounds(rows)
    for row in chosen:
        for guarantee in guarantees_of(row["method"]):
            yield row, guarantee, _check(row, guarantee, best, bounds, sources)


def _check(
    row: Row,
    guarantee: Guarantee,
    best: dict[Key, float],
    bounds: dict[Key, float],
    sources: Sources,
) -> TheoremCheck:
    key = key_of(row)
    if not answered(row):
        return TheoremCheck(silent="no schedule")
    if key not in bounds:
        return TheoremCheck(silent="no proved bound: add the method `bound`")
    far = ratio(row["objective"], bounds[key], row["sense"])
    if row["termination"] and (stop := TerminationReason(row["termination"]).words):
        return TheoremCheck(ratio=far, silent=f"needs the whole run: {stop}")
    instance = sources.instance(row["digest"])
    if instance is None or instance.kind != row["family"]:
        return TheoremCheck(ratio=far, silent="the instance is not available")
    unmet = sources.unmet(guarantee, row, instance)
    if unmet is not None:
        return TheoremCheck(ratio=far, silent=unmet)
    factor = guarantee.factor(instance)
    numbers = (Fraction(str(value)) for value in (row["objective"], bounds[key], best[key]))
    verdict = rule(factor * ROUNDING, *numbers, maximize=row["sense"] == "max")
    return TheoremCheck(verdict=verdict, factor=factor, ratio=far)
