"""What the charts of papers have in common: what came out here, beside the paper's numbers."""

from collections.abc import Iterable

from ..analysis.charts import PALETTE, Kind, Series, Value, over


def beside_paper(
    here: tuple[str, Iterable[Value]], paper: tuple[str, Iterable[Value]], kind: Kind
) -> tuple[Series, ...]:
    """Return what came out here, with the paper's numbers as hollow marks; each with its name."""
    return over(*here, kind, PALETTE[0]), over(*paper, "marks", PALETTE[1])
