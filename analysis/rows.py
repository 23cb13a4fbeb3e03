"""Rows: the record of every run, its success, and the selection of rows.

Rows are flat and therefore readable by any program. Every row has every column, with None for
missing values. Columns shared with `ringyard solve --json` have the same meaning.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from ..families.registry import FAMILIES
from ..instances.errors import InputError, Problem, Words, raise_any, unknown

Row = dict[str, Any]

VERSION = 3
"""Version of the columns. Readers refuse rows of a different version."""

PROGRAM = "program"
"""The family of a run on a program from a file, which is of no problem family."""

BOUND = "bound"
"""The method of a run that computes a bound and no schedule."""

COLUMNS: dict[str, tuple[str, str]] = {
    "v": ("integer", "version of these columns"),
    "key": ("text", "digest of all inputs of the run that can change its answer"),
    "instance": ("text", "name of the instance"),
    "digest": ("text", "digest of the instance, stored as `instances/<digest>.json.gz`"),
    "family": (
        "text",
        "problem family, the `kind` of the instance: `makespan`, `online`, .., or `program` for a "
        "program from a file",
    ),
    "sense": ("text", "`min` or `max`: whether the objective is minimized or maximized"),
    "method": ("text", "method as it was called, or `bound` if only a bound was computed"),
    "options": ("text", "options given after the method's name"),
    "source": ("text", "digest of the source of a method from outside this package"),
    "solver": ("text", "solver of a program"),
    "solver_version": ("text", "version of the solver"),
    "solver_code": ("text", "known solver that a solver of your own calls, by its field `code`"),
    "random": (
        "boolean",
        "whether the method has random steps. Otherwise, its run holds for every seed",
    ),
    "seed": ("integer", "seed of the random steps"),
    "repetition": ("integer", "number of the run among identical runs"),
    "threads": ("integer", "threads the method was allowed"),
    "workers": ("integer", "largest number of concurrent runs"),
    "horizon": ("integer", "last slot by which a schedule must end"),
    "time_limit": ("number", "seconds after which the method must stop"),
    "cpu_limit": ("number", "seconds of processor time after which it is terminated"),
    "memory_limit": ("number", "megabytes beyond which it is terminated"),
    "gap_limit": ("number", "gap at which the run stops"),
    "target": ("number", "objective at which the run stops"),
    "status": (
        "text",
        "`optimal`, `feasible`, `infeasible`, `unknown`, `refused`, `error`, `out of memory`, "
        "`timed out`, `crashed`, or `killed`",
    ),
    "termination": ("text", "why the method stopped"),
    "solution_status": (
        "text",
        "status of its solution: `optimal`, `feasible`, `infeasible`, `nothing`, ..",
    ),
    "note": ("text", "reason of a failure, or a remark"),
    "objective": ("number", "makespan, utility, gain or mean completion time, by the judge"),
    "bound": ("number", "bound on the objective"),
    "bound_kind": ("text", "kind of the bound"),
    "claimed_bound": ("number", "tighter bound that your method claims without a proof"),
    "certificate": (
        "text",
        "rules by which a [certificate](../concepts/certificates.md) proves the bound, or "
        "`searched`, `computed`, `claimed`, `none`: [who can check it]"
        "(../concepts/ideas.md#certified-searched-claimed)",
    ),
    "checked": (
        "text",
        "if certificates were requested: `accepted` if `certificates/<key>.jsonl.gz` has one, "
        "`refused` with the reason, or `not followed` for a search that the checker cannot repeat",
    ),
    "gap": ("number", "distance between objective and bound, relative to the larger of the two"),
    "seconds": (
        "number",
        "time of the method, without [compiling its kernels](../project/kernels.md)",
    ),
    "seconds_bound": ("number", "time of the first bound"),
    "seconds_check": ("number", "time of the judge"),
    "seconds_certificate": ("number", "time of the checker of certificates"),
    "phases": ("text", "seconds by phase as a JSON object, if the method reports phases"),
    "cpu_seconds": ("number", "processor time of the run with all its processes"),
    "memory_mb": ("number", "most memory of its processes, libraries included"),
    "primal_residual": (
        "number",
        "of an engine's own point: the largest miss of a row or bound, relative to its numbers",
    ),
    "dual_residual": ("number", "of its duals: the largest miss of a sign, relative to the costs"),
    "integrality": ("number", "of its own point: the largest distance of an integer from whole"),
    "nodes": ("integer", "nodes of the search tree"),
    "valid": ("boolean", "whether there is a schedule that the judge accepts"),
    "violations": ("integer", "number of broken rules"),
    "violation": ("text", "the first broken rule"),
    "rejection": (
        "text",
        "why the method's final schedule was rejected in favour of a better one reported earlier",
    ),
    "trajectory": ("list", "[seconds, objective, bound] of every incumbent"),
    "mean_end": ("number", "mean end of the jobs, in slots (`makespan`)"),
    "completed": ("integer", "jobs that completed (`online`)"),
    "median_slots": ("number", "median of completion minus arrival, in slots (`online`)"),
    "median_jct_s": ("number", "median time from a job's arrival to its end (`trace`, `fleet`)"),
    "p95_jct_s": ("number", "95th percentile of completion times (`trace`, `fleet`)"),
    "p99_jct_s": ("number", "99th percentile of completion times (`trace`, `fleet`)"),
    "late_share": ("number", "share of the jobs with a deadline that miss it (`trace`, `fleet`)"),
    "mean_queueing_s": ("number", "mean time from a job's arrival to its first start (`trace`)"),
    "median_queueing_s": (
        "number",
        "median time from a job's arrival to its first start (`trace`)",
    ),
    "p95_queueing_s": ("number", "95th percentile of these times (`trace`)"),
    "p99_queueing_s": ("number", "99th percentile of these times (`trace`)"),
    "mean_slowdown": ("number", "mean of completion time over duration at full speed (`trace`)"),
    "p95_slowdown": ("number", "95th percentile of slowdowns (`trace`)"),
    "worst_unfairness": ("number", "largest finish-time fairness ratio of a job (`trace`)"),
    "unfair_share": ("number", "share of the jobs with such a ratio above 1.05 (`trace`)"),
    "worst_ftf": ("number", "largest such ratio as Shockwave's simulator counts it (`trace`)"),
    "unfair_fraction": ("number", "share of the jobs with this ratio above 1.05 (`trace`)"),
    "group_fairness": (
        "number",
        "Jain's index of the groups' GPU-time over their shares, while jobs arrive (`trace`)",
    ),
    "mean_waiting_s": ("number", "mean time of a job without GPUs (`trace`)"),
    "makespan_s": ("number", "time from the first arrival to the last end (`trace`)"),
    "utilisation": (
        "number",
        "share of all GPU-time until the last end (`trace`), or paid for (`fleet`), that jobs hold",
    ),
    "utilisation_arriving": (
        "number",
        "share of all GPU-time from the first to the last arrival that jobs hold (`trace`)",
    ),
    "fragmentation": (
        "number",
        "share of the idle GPU-time until the last end in pieces too small for the jobs (`trace`)",
    ),
    "spread_share": ("number", "share of the GPU-time held in multi-server runs (`trace`)"),
    "goodput": ("number", "work of the jobs over the GPU-time that they hold (`trace`)"),
    "lost_s": ("number", "work lost in outages, as time at full speed (`trace`)"),
    "lost_gpu_s": ("number", "the same as GPU-time: times the requested GPUs (`trace`)"),
    "preemptions": ("integer", "stops of unfinished jobs (`trace`)"),
    "mean_gpus": ("number", "GPUs paid for, on average over time (`rental`, `fleet`)"),
    "schedule": ("text", "file of the schedule, in the folder of the campaign"),
    "schedule_digest": ("text", "digest of the unpacked text of this file, as written"),
    "host": ("text", "name of the machine"),
    "python": ("text", "version of Python"),
    "version": ("text", "version of Ringyard"),
    "code": (
        "text",
        "digest of the Ringyard code on which the row depends: [details]"
        "(../howto/run-a-campaign.md#what-is-rerun)",
    ),
    "writer": ("text", "process that wrote the row, the name of its file"),
    "started": ("text", "UTC time at which the run began"),
    "finished": ("text", "UTC time at which its row was written"),
    "row_digest": ("text", "digest of the row as written, up to this column"),
}
"""Type and meaning by name, in the order of the file."""

LATER = (
    *("rejection", "schedule_digest", "row_digest", "source", "gap_limit", "target", "random"),
    *("certificate", "checked", "seconds_certificate", "late_share", "claimed_bound"),
    *("primal_residual", "dual_residual", "integrality", "solver_code"),
    *("median_queueing_s", "p95_queueing_s", "p99_queueing_s", "mean_slowdown", "p95_slowdown"),
    *("worst_unfairness", "unfair_share", "group_fairness", "worst_ftf", "unfair_fraction"),
    *("goodput", "lost_s", "lost_gpu_s"),
)
"""Columns that older rows lack and that are read as None."""

FORMER = {"stop": "termination", "left": "solution_status", "fault": "rejection"}
"""New names of columns, by their names in older rows."""

NEEDED = (
    *("v", "key", "instance", "digest", "family", "sense", "method", "seed", "repetition"),
    *("status", "valid", "violations"),
)
"""Columns without None in every row."""

ANSWERED = ("optimal", "feasible", "infeasible")
"""Every `status` that says something about the instance."""

FAILED = ("refused", "error", "out of memory", "timed out", "crashed", "killed")
"""Every `status` of a run that came to no regular end."""

ACCEPTED, REFUSED = "accepted", "refused"
"""The first words of `checked`."""

UNKNOWN = "unknown"
"""The `status` of a run that found no schedule and no proof of infeasibility."""


def objective_head(rows: Iterable[Row]) -> str:
    """Return the objective's name, with its unit if all rows have the same."""
    units = {FAMILIES[row["family"]].clock for row in rows if row["family"] != PROGRAM}
    unit = units.pop() if len(units) == 1 else None
    return f"objective, {unit}" if unit else "objective"


def is_rejected(row: Row) -> bool:
    """Return True if the schedule of a run breaks rules, or was replaced by one reported before."""
    return bool(row["violations"] or row["rejection"])


def metric_names(place: str, text: str | None) -> list[str]:
    """Return the names of numbers in rows that an option lists with commas."""
    known = [name for name, (kind, _) in COLUMNS.items() if kind in ("number", "integer")]
    names = [name.strip() for name in text.split(",")] if text is not None else []
    hint = "see `docs/reference/columns.md`"
    expected = "names of numbers in rows, such as p95_queueing_s"
    wrong = (one for one in names if one not in known)
    raise_any(place, [unknown("--metrics", one, known, hint, expected) for one in wrong])
    return names


def whole_row(columns: Mapping[str, Any]) -> Row:
    """Return a row with every column in order, and refuse an unknown column."""
    unknown = columns.keys() - COLUMNS.keys()
    if unknown:
        raise ValueError(f"no such columns: {', '.join(sorted(unknown))}")
    row = {**_EMPTY, **columns}
    for name in _NUMBERS:
        # Floats even if whole, because readers infer types from a few rows.
        if (value := row[name]) is not None:
            row[name] = float(value)
    return row


_EMPTY: Row = dict.fromkeys(COLUMNS)
_NUMBERS = tuple(name for name, (kind, _) in COLUMNS.items() if kind == "number")


Success = Callable[[Row], bool]


def solved(row: Row) -> bool:
    """Return True if a run proved optimality or infeasibility."""
    return row["status"] in ("optimal", "infeasible")


def answered(row: Row) -> bool:
    """Return True if a run has a schedule that the judge accepts."""
    return bool(row["valid"]) and row["objective"] is not None


K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def by_key(things: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return the items of each key in their order."""
    found: dict[K, list[T]] = {}
    for one in things:
        found.setdefault(key(one), []).append(one)
    return found


WHERE = "rows of the campaign"

RUNS = ("method", "seed")
"""Columns that select runs of an instance. Bounds are kept for every selection."""

MANY = 12
"""Maximum number of existing values that an error names."""


def chosen(rows: Sequence[Row], column: str, values: Sequence[str], option: str) -> list[Row]:
    """Return the rows that have one of some values in a column. Each value must occur.

    A value may be a pattern such as 'tight-*'. `option` names the source in errors.
    """
    there = sorted({_text(row[column]) for row in rows}, key=_order)
    for value in values:
        if not any(_fits(one, value) for one in there):
            problem = Problem(
                option,
                value,
                f"one of {listed([one for one in there if one])}",
                "choose one of them",
            )
            raise InputError(WHERE, [problem])
    return [
        row
        for row in rows
        if (column in RUNS and row["method"] == BOUND)
        or any(_fits(_text(row[column]), value) for value in values)
    ]


def refuse_mixed(rows: Sequence[Row], column: str, lead: str = "--") -> None:
    """Refuse rows that differ in a column."""
    there = sorted({row[column] for row in rows})
    if len(there) > 1:
        found = Words(f"{len(there):,} of them: {listed(there)}")
        problem = Problem(lead + column, found, "a single one for this figure", "choose one")
        raise InputError(WHERE, [problem])


def listed(names: Sequence[object]) -> str:
    """List names, the first of very many."""
    shown = ", ".join(map(str, names[:MANY]))
    return f"{shown} and {len(names) - MANY:,} more" if len(names) > MANY else shown


def _text(value: object) -> str:
    """Write a value as it is given on the command line."""
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _order(text: str) -> tuple[int, str]:
    """Sort texts, and whole numbers by their size."""
    return len(text) if text.isdigit() else 0, text


def _fits(text: str, wanted: str) -> bool:
    return text == wanted or fnmatchcase(text, wanted)
