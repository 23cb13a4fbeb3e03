"""Tables of single runs: all runs, failures, proved optima by size, theorems."""

from collections.abc import Sequence
from dataclasses import replace
from re import findall
from statistics import median

from ...instances.errors import brief
from ...instances.size import extent
from ..guarantees import FactorVerdict
from ..rows import BOUND, FAILED, Row, answered, by_key, objective_head, solved
from ..sources import NOTHING, Sources
from ..stats.references import WRONG, best_values, key_of, mark_wrong
from ..tables import Cell, Column, Table, value_decimals
from ..theorem_check import TheoremCheck, check_theorems
from .quality import METHOD, RUNS

INSTANCE = Column(head="instance", digits=None, about="name of the instance")
SEED = Column(head="seed", about="seed of the random steps", optional=2)
STATUS = Column(head="status", digits=None, about="how the run ended")

OBJECTIVE = Column(head="objective", about="objective of the schedule, by the judge")
BOUND_FOUND = Column(head="bound", about="bound of the run itself", optional=1)
RUN_COLUMNS = (
    INSTANCE,
    METHOD,
    SEED,
    STATUS,
    OBJECTIVE,
    BOUND_FOUND,
    Column(
        head="gap, %",
        digits=2,
        about="gap between objective and bound",
        notes=(
            "Gap: difference between objective and the run's own bound, relative to the larger of "
            "the two.",
        ),
    ),
    Column(head="time, s", digits=2, about="time of the method"),
)
"""Columns of the table of runs."""


def runs(rows: Sequence[Row], _: Sources = NOTHING) -> Table:
    """Return objective, bound and time of each run."""
    marked = mark_wrong(rows)
    objective_digits, bound_digits = (
        value_decimals([row[name] for row in marked]) for name in ("objective", "bound")
    )
    changed = {
        OBJECTIVE: replace(OBJECTIVE, head=objective_head(marked), digits=objective_digits),
        BOUND_FOUND: replace(BOUND_FOUND, digits=bound_digits),
    }
    return Table(
        caption="Runs",
        columns=tuple(changed.get(one, one) for one in RUN_COLUMNS),
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
        shared=1,
    )


REASON = 300
"""Characters of a reason that are shown."""

FAILURE_COLUMNS = (
    STATUS,
    METHOD,
    INSTANCE,
    SEED,
    Column(head="time, s", digits=1, about="time of the method", optional=1),
    Column(head="reason", digits=None, about="reason of the failure"),
)
"""Columns of the table of failures."""


def failures(rows: Sequence[Row], _: Sources = NOTHING) -> Table:
    """Return every run without an answer, with its reason."""
    failed = [row for row in mark_wrong(rows) if _failed(row)]
    return Table(
        caption="Runs without an answer",
        columns=FAILURE_COLUMNS,
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
        notes=(f"{len(failed)} of {len(rows)} runs ended without an answer.",),
        shared=2,
    )


def _failed(row: Row) -> bool:
    if row["method"] == BOUND:
        return row["status"] in (*FAILED, WRONG)
    return not answered(row) and not solved(row)


OPTIMUM = Column(
    head="optimum",
    about="optimal objective, if a method proved it",
    notes=("Optimum: the optimal objective, if a method proved it.",),
)
PROOF = Column(
    head="<method>",
    digits=2,
    about="seconds to the proof, or the status of the run (one column per exact method)",
    notes=(
        "Method columns: median seconds to proved optimality. If only some runs proved it, the "
        "table gives their number. Without any proof, it gives the status of the run. Only exact "
        "methods that proved an optimum are shown.",
    ),
)
FRONTIER_COLUMNS = (
    INSTANCE,
    Column(
        head="jobs",
        about="number of jobs, or of job types, coded workers, rows or updates",
        optional=1,
    ),
    Column(head="servers", about="number of servers or workers", optional=2),
    OPTIMUM,
    PROOF,
)
"""Columns of the table of proved optima."""


def frontier(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return instances from small to large, and a column for each method that proves optima."""
    marked = mark_wrong(rows)
    exact = sorted({row["method"] for row in marked if _proved(row) and sources.exact(row)})
    problems = by_key((row for row in marked if row["method"] in exact), key_of)
    sizes = {key: _size(some[0], sources) for key, some in problems.items()}
    ordered = sorted(problems, key=lambda key: _order(problems[key][0], sizes[key]))
    best = best_values(marked)
    optima = {key: best.get(key) for key, some in problems.items() if any(map(_proved, some))}
    optimum = replace(OPTIMUM, digits=value_decimals(list(optima.values())))
    return Table(
        caption="Times to proved optima, from small to large instances",
        columns=(
            *(optimum if one is OPTIMUM else one for one in FRONTIER_COLUMNS if one is not PROOF),
            *(replace(PROOF, head=method) for method in exact),
        ),
        rows=tuple(
            (
                problems[key][0]["instance"],
                *sizes[key],
                optima.get(key),
                *(_proof_cell(problems[key], method) for method in exact),
            )
            for key in ordered
        ),
    )


def _size(row: Row, sources: Sources) -> tuple[int | None, int | None]:
    """Return the numbers of jobs (or their types) and of servers, as far as it has them."""
    instance = sources.instance(row["digest"])
    if instance is None:
        return None, None
    found = extent(instance)
    return found.jobs, found.servers


def _order(row: Row, size: tuple[int | None, int | None]) -> tuple[object, ...]:
    """Sort by size, or else by the numbers in the name, which often give it."""
    known = tuple(number or 0 for number in size)
    in_name = tuple(map(int, findall("[0-9]+", row["instance"])))
    return row["family"], known, in_name, row["instance"], row["digest"], row["horizon"] or 0


def _proved(row: Row) -> bool:
    return bool(row["status"] == "optimal")


def _proof_cell(rows: list[Row], method: str) -> Cell:
    mine = [row for row in rows if row["method"] == method]
    proved = [row["seconds"] for row in mine if _proved(row)]
    if not mine:
        return None
    if len(proved) == len(mine):
        return float(median(proved))
    return f"{len(proved)} of {len(mine)}" if proved else str(mine[0]["status"])


OF_LARGEST = "Ratio: objective / best proved bound (inverse when maximizing)."

SILENT = Column(
    head="silent",
    about="runs to which the theorem does not apply",
    notes=("Silent: runs to which the theorem does not apply.",),
    optional=3,
)
VERDICT_COLUMNS = (
    Column(head="theorem", digits=None, about="name of the theorem"),
    Column(
        head="proved",
        digits=None,
        about="yes if Ringyard's documentation proves the theorem",
        notes=(
            "Proved: yes if Ringyard's documentation proves the theorem. Other theorems are taken "
            "from the literature as printed.",
        ),
        optional=1,
    ),
    METHOD,
    RUNS,
    Column(
        head="holds",
        about="runs in which the theorem holds",
        notes=(
            "Holds: runs with an objective within the theorem's factor of the best proved bound in "
            "these rows.",
        ),
    ),
    Column(
        head="violated",
        about="runs in which the theorem is violated",
        notes=(
            "Violated: runs with an objective that is not within the theorem's factor of the best "
            "valid schedule in these rows.",
        ),
    ),
    Column(
        head="open",
        about="runs that leave the theorem undecided",
        notes=("Open: runs for which these rows do not decide whether the theorem holds.",),
        optional=2,
    ),
    SILENT,
    Column(
        head="largest ratio",
        digits=3,
        about="largest ratio of objective to bound",
        notes=(OF_LARGEST,),
        optional=4,
    ),
    Column(
        head="largest ratio / factor",
        digits=3,
        about="largest ratio of objective to bound, divided by the theorem's factor",
        notes=(OF_LARGEST,),
    ),
)
"""Columns of the table of theorems."""


def verdicts(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return the frequency of each theorem for each method, and the largest ratio."""
    marked = mark_wrong(rows)
    found: dict[tuple[str, bool, str], list[TheoremCheck]] = {}
    for row, guarantee, one in check_theorems(marked, marked, sources):
        place = (guarantee.name, guarantee.proved, row["method"])
        found.setdefault(place, []).append(one)
    silent = [one.silent for some in found.values() for one in some if one.silent]
    reasons = sorted({reason.partition(":")[0] for reason in silent})
    why = [f"Reasons why theorems do not apply: {'; '.join(reasons)}."] if reasons else []
    column = replace(SILENT, notes=(*SILENT.notes, *why))
    return Table(
        caption="Theorems checked against runs",
        columns=tuple(column if one is SILENT else one for one in VERDICT_COLUMNS),
        rows=tuple(
            (name, "yes" if proved else "no", method, *_counts(some))
            for (name, proved, method), some in sorted(found.items())
        ),
        shared=2,
    )


def _counts(some: list[TheoremCheck]) -> tuple[Cell, ...]:
    spoken = [(one.verdict, one.factor, one.ratio) for one in some if one.factor is not None]
    known = [(ratio, float(factor)) for _, factor, ratio in spoken if ratio is not None]
    return (
        len(some),
        *(sum(verdict is one for one, _, _ in spoken) for verdict in FactorVerdict),
        len(some) - len(spoken),
        max((ratio for ratio, _ in known), default=None),
        max((ratio / factor for ratio, factor in known), default=None),
    )
