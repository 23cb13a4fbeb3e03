"""How large an instance each exact method still solves to proved optimality."""

from collections.abc import Sequence
from re import findall
from statistics import median

from ...instances.size import extent
from ..by_key import by_key
from ..rows import Row
from ..sources import NOTHING, Sources
from ..stats.references import best_values, key_of
from ..stats.wrong import mark_wrong
from ..tables import Cell, Table, columns_of, numbers, value_decimals

NOTE = (
    "Seconds to a proved optimum, the median of several runs; where not all of them prove it, "
    "how many do; else how the run ended. Optimum: of the objective, where a method proves it. "
    "Only exact methods that prove any."
)


def frontier(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return instances from small to large, and a column for each method that proves optima."""
    marked = mark_wrong(rows)
    exact = sorted({row["method"] for row in marked if _proved(row) and sources.exact(row)})
    problems = by_key((row for row in marked if row["method"] in exact), key_of)
    sizes = {key: _size(some[0], sources) for key, some in problems.items()}
    ordered = sorted(problems, key=lambda key: _order(problems[key][0], sizes[key]))
    best = best_values(marked)
    optima = {key: best.get(key) for key, some in problems.items() if any(map(_proved, some))}
    return Table(
        caption="Proved optima by size of the instance",
        columns=(
            *columns_of({"instance": None, "jobs": 0, "servers": 0}),
            *numbers("optimum", digits=value_decimals(list(optima.values()))),
            *numbers(*exact, digits=2),
        ),
        rows=tuple(
            (
                problems[key][0]["instance"],
                *sizes[key],
                optima.get(key),
                *(_cell(problems[key], method) for method in exact),
            )
            for key in ordered
        ),
        notes=(NOTE,),
    )


def _size(row: Row, sources: Sources) -> tuple[int | None, int | None]:
    """Return the numbers of jobs (or their types) and of servers, as far as it has them."""
    instance = sources.instance(row["digest"])
    if instance is None:
        return None, None
    found = extent(instance)
    return found.jobs, found.servers


def _order(row: Row, size: tuple[int | None, int | None]) -> tuple[object, ...]:
    """Sort by size, or else by the numbers in the name, which tell it of many."""
    told = tuple(number or 0 for number in size)
    in_name = tuple(map(int, findall("[0-9]+", row["instance"])))
    return row["family"], told, in_name, row["instance"], row["digest"], row["horizon"] or 0


def _proved(row: Row) -> bool:
    return bool(row["status"] == "optimal")


def _cell(rows: list[Row], method: str) -> Cell:
    mine = [row for row in rows if row["method"] == method]
    proved = [row["seconds"] for row in mine if _proved(row)]
    if not mine:
        return None
    if len(proved) == len(mine):
        return float(median(proved))
    return f"{len(proved)} of {len(mine)}" if proved else str(mine[0]["status"])
