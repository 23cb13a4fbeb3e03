"""Every run in a line of its own."""

from collections.abc import Sequence

from ..rows import BOUND, Row, objective_head
from ..sources import NOTHING, Sources
from ..stats.wrong import mark_wrong
from ..tables import Table, columns_of, numbers, value_decimals


def runs(rows: Sequence[Row], _: Sources = NOTHING) -> Table:
    """Return what each run found, in what time."""
    marked = mark_wrong(rows)
    objectives, bounds = (
        value_decimals([row[name] for row in marked]) for name in ("objective", "bound")
    )
    return Table(
        caption="Runs",
        columns=(
            *columns_of({"instance": None, "method": None, "seed": 0, "status": None}),
            *columns_of({objective_head(marked): objectives, "bound": bounds}),
            *numbers("gap, %", "time, s", digits=2),
        ),
        rows=tuple(
            (
                row["instance"],
                row["method"],
                row["seed"],
                "bound" if row["method"] == BOUND and row["status"] == "unknown" else row["status"],
                row["objective"],
                row["bound"],
                None if row["gap"] is None else 100 * row["gap"],
                row["seconds"],
            )
            for row in marked
        ),
        notes=("Gap: how far objective and the run's own bound are apart, as part of the larger.",),
        shared=1,
    )
