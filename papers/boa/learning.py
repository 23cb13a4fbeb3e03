"""How near BOA online comes to BOA as it sees more jobs."""

from collections.abc import Iterator, Mapping

from ...analysis.tables import Table, columns_of, numbers, texts
from ..study import Settings
from .rented import APPS, BASE, FEW, ONLINE, SHARES, RentedRows
from .tables import INTERVALS, TAIL

LENGTHS = (100, 400, 1000)
"""Jobs of a path."""

Learned = Mapping[tuple[str, int], RentedRows]
"""What was made by budget and length."""


def cases(settings: Settings) -> Iterator[tuple[str, int]]:
    """Yield budgets and lengths."""
    for share in sorted(settings.some(SHARES), key=float):
        for jobs in (FEW,) if settings.points else LENGTHS:
            yield share, jobs


def learning_table(found: Learned, settings: Settings) -> Table:
    """Return BOA online over BOA, by the length of the path."""
    return Table(
        caption=f"BOA online on longer paths: {APPS}",
        columns=(
            *texts("budget / load"),
            *columns_of({"jobs": 0, "over BOA": 3}),
            *numbers("p95 over BOA's", digits=3),
            *columns_of({"spent, %": 1}),
        ),
        rows=tuple(
            (
                share,
                float(jobs),
                one.ratio(ONLINE, BASE),
                one.ratio(ONLINE, BASE, TAIL),
                100 * one.spent(ONLINE),
            )
            for (share, jobs), one in found.items()
        ),
        shared=1,
        notes=(
            f"{settings.seeds} paths; geometric means of ratios on the same path, {INTERVALS}.",
        ),
    )
