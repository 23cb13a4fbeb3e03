"""Which runs came to nothing, and why."""

from collections.abc import Sequence

from ...instances.errors import brief
from ..rows import BOUND, FAILED, Row, answered, solved
from ..sources import NOTHING, Sources
from ..stats.wrong import WRONG, mark_wrong
from ..tables import Table, columns_of, texts

REASON = 300
"""Characters of a reason that are shown."""


def failures(rows: Sequence[Row], _: Sources = NOTHING) -> Table:
    """Return every run without an answer, with its reason."""
    failed = [row for row in mark_wrong(rows) if _failed(row)]
    return Table(
        caption="Runs without an answer",
        columns=(
            *texts("status", "method", "instance"),
            *columns_of({"seed": 0, "time, s": 1, "reason": None}),
        ),
        rows=tuple(
            (
                row["status"],
                row["method"],
                row["instance"],
                row["seed"],
                row["seconds"],
                brief(row["note"], REASON) if row["note"] else None,
            )
            for row in sorted(failed, key=lambda row: (row["status"], row["method"]))
        ),
        notes=(f"{len(failed)} of {len(rows)} runs.",),
        shared=2,
    )


def _failed(row: Row) -> bool:
    if row["method"] == BOUND:
        return row["status"] in (*FAILED, WRONG)
    return not answered(row) and not solved(row)
