"""What moves when rows and columns are put into another order."""

from collections.abc import Iterator, Sequence
from statistics import median

from ...analysis.rows import Row, by_key
from ...analysis.tables import Cell, Table, numbers, texts
from ...campaigns.engine_runs import CLASSES, FLOOR_S, EngineRuns, by_engine, solving


def order_table(runs: EngineRuns) -> Table:
    """Return by class and engine how much one program's times differ, and what is then solved."""
    lines = [line for kind in CLASSES for line in _class_lines(kind, runs)]
    return Table(
        caption="The same programs in several orders of rows and columns",
        columns=(
            *texts("class", "engine"),
            *numbers("programs", "in all", "in some only", over="solved"),
            *numbers("median", "nine in ten", "largest", digits=2, over="slowest over fastest"),
        ),
        rows=tuple(lines),
        shared=1,
        notes=(
            "Programs solved in at least one order. Factors are of those solved in all, and times "
            f"below {FLOOR_S:g} s count as that.",
        ),
    )


def _class_lines(kind: str, runs: EngineRuns) -> Iterator[tuple[Cell, ...]]:
    for engine, rows in by_engine(runs.of(kind)).items():
        programs = by_key(rows, lambda row: str(row["instance"]))
        several = [own for own in programs.values() if len(own) > 1]
        solved = [own for own in several if any(runs.kind(row) == "solved" for row in own)]
        always = [own for own in solved if all(runs.kind(row) == "solved" for row in own)]
        if solved:
            factors = sorted(map(factor, always))
            high = min(len(factors) - 1, int(0.9 * len(factors)))
            spread = (median(factors), factors[high], factors[-1]) if factors else (None,) * 3
            counts = len(solved), len(always), len(solved) - len(always)
            yield kind, engine, *counts, *spread


def factor(rows: Sequence[Row]) -> float:
    """Return the slowest time over the fastest of one program."""
    times = [max(FLOOR_S, solving(row) or 0.0) for row in rows]
    return max(times) / min(times)
