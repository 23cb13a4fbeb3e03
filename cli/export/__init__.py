"""`ringyard export`: a program for any solver, a schedule as a point of it, jobs as CSV."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from ...instances import Instance, digest, load_schedule
from ...instances.arguments import at_least_one
from ...instances.catalogue import load
from ...instances.errors import ABSENT, InputError, Problem, Words, raise_any
from ..shared.options import AsJson, Flag, Whole, place_problems, write, written
from ..shared.output import emit, note

if TYPE_CHECKING:
    from ...formulations.catalogue import Formulation
    from ...formulations.constraints import ConstraintModel


Format = Literal["mps", "lp", "nl", "sol", "mzn", "cpjson", "csv", "tiresias", "sacct", "slurm"]
LISTS = ("csv", "tiresias", "sacct", "slurm")
"""Formats of jobs and their runs, which have no program."""

CONSTRAINTS = ("mzn", "cpjson")
"""Formats of constraint models."""

ENDS = {"tiresias": ".csv", "cpjson": ".json", "sacct": ".txt", "slurm": ".sh"}
"""Ends of file names that differ from the format's name."""


def export_command(
    instance: str,
    /,
    *,
    formulation: str | None = None,
    format: Format | None = None,
    out: Path,
    horizon: Whole | None = None,
    schedule: Path | None = None,
    runs: Flag = False,
    epoch: str | None = None,
    job_ids: Path | None = None,
    relax: Flag = False,
    json: AsJson = False,
) -> int:
    """Write the program of an instance to a file, a schedule as a point of it, jobs, or runs.

    Parameters
    ----------
    instance
        A catalogue name, or a file.
    formulation
        The program to write, from `ringyard list formulations`. Not for lists of jobs and runs.
    format
        mps, lp, nl (with .row and .col), or sol (a schedule as a solution). For constraint models:
        mzn (MiniZinc), or cpjson (CP-SAT). For traces: csv (the jobs, or their completion in a
        schedule), tiresias (the job list of that simulator), or sacct (as a log of Slurm, with
        starts of a schedule). For schedules with runs on servers: csv with --runs, or slurm
        (commands for scontrol). The default is the suffix of the file.
    out
        The file to write. Its name ends in the format, in .csv for tiresias, in .json for cpjson,
        in .txt for sacct, in .sh for slurm.
    horizon
        Number of slots of the program (default: enough to run the jobs one by one). Constraint
        models have no default.
    schedule
        A schedule file, to be written as a solution (sol), with the jobs (csv, sacct), or as runs.
    runs
        Write a line for each run of the schedule (csv): job, start, end, and GPUs on each server.
        `ringyard import runs` and `ringyard check` read it.
    epoch
        Date and time of time 0, such as 2024-03-01T08:00+01:00, which adds dates to runs (csv). For
        slurm, the clock of the cluster.
    job_ids
        For slurm: a CSV with the columns job and job_id (default: the names of jobs are their ids).
    relax
        Make all variables continuous.
    """
    from ...formulations.catalogue import constraint_models, find_formulation

    if format is None:
        format = _format_of(out)
    _refuse(instance, formulation, format, out, horizon, schedule)
    _refuse_runs(format, schedule, runs=runs, epoch=epoch, job_ids=job_ids)
    problem = load(instance)
    asked = constraint_models().get(formulation or "") if format in CONSTRAINTS else None
    program = None if formulation is None or asked else find_formulation(formulation)
    if asked is not None:
        row = _constraints(asked.question(problem, horizon), f"{asked.name} {problem.name}", out)
    elif schedule is not None and (runs or format == "slurm"):
        from .lists import export_runs

        made = export_runs(problem, format, schedule, out, epoch=epoch, job_ids=job_ids)
        row = {"runs": made}
    elif program is None:
        from .lists import export_trace

        row = {"jobs": export_trace(problem, format, schedule, out)}
    elif schedule is not None:
        row = _point(problem, program, horizon, schedule, out)
    elif format == "nl":
        row = _nl(problem, program, horizon, relax, out)
    else:
        row = _matrix(problem, program, horizon, relax, out)
    if json:
        head = {"instance": problem.name, "digest": digest(problem)}
        head |= {} if formulation is None else {"formulation": formulation}
        emit({**head, "format": format, "out": str(out), **row})
    return 0


def _format_of(out: Path) -> Format:
    """Return the format that the name of a file ends in."""
    known: tuple[Format, ...] = get_args(Format)
    for one in known:
        if one != "tiresias" and out.suffix == ENDS.get(one, f".{one}"):
            return one
    expected = f"one of {', '.join(known)}"
    problem = Problem("--format", ABSENT, expected, "name it, or let the name of --out end in it")
    raise InputError("ringyard export", [problem])


def _refuse(
    instance: str,
    formulation: str | None,
    format: Format,
    out: Path,
    horizon: int | None,
    schedule: Path | None,
) -> None:
    problems = []
    end = ENDS.get(format, f".{format}")
    if out.suffix != end:
        expected = f"a name that ends in {end}"
        advice = f"name the file, for example, {out.stem or 'program'}{end}"
        problems.append(Problem("--out", str(out), expected, advice))
    problems += place_problems("--out", instance, out)
    if format in LISTS and formulation is not None:
        expected, advice = f"no value for --format {format}", "leave it out"
        problems.append(Problem("--formulation", formulation, expected, advice))
    elif format not in LISTS and formulation is None:
        expected = "the program to write"
        advice = "see `ringyard list formulations`"
        problems.append(Problem("--formulation", ABSENT, expected, advice))
    problems += at_least_one("--horizon", horizon)
    problems += _form_problems(formulation, format)
    if format == "sol" and schedule is None:
        expected = "a schedule for --format sol"
        problems.append(Problem("--schedule", ABSENT, expected, "give both or neither"))
    elif format not in ("sol", "csv", "sacct", "slurm") and schedule is not None:
        expected = "no schedule, except for --format sol, csv, sacct or slurm"
        problems.append(Problem("--schedule", str(schedule), expected, "leave it out"))
    raise_any("ringyard export", problems)


def _refuse_runs(
    format: Format,
    schedule: Path | None,
    *,
    runs: bool,
    epoch: str | None,
    job_ids: Path | None,
) -> None:
    """Raise an error for options of runs that do not belong together."""
    slurm, problems = format == "slurm", []
    if runs and format != "csv":
        expected = "no --runs, except for --format csv"
        problems.append(Problem("--runs", Words("given"), expected, "leave it out"))
    if (slurm or (runs and format == "csv")) and schedule is None:
        expected = "a schedule, whose runs are written"
        problems.append(Problem("--schedule", ABSENT, expected, "make one with `ringyard solve`"))
    if slurm and epoch is None:
        expected = "the date and time of time 0, because StartTime= needs them"
        advice = "add for example --epoch 2024-03-01T08:00"
        problems.append(Problem("--epoch", ABSENT, expected, advice))
    elif epoch is not None and not (runs or slurm):
        expected = "no value without --runs, except for --format slurm"
        problems.append(Problem("--epoch", epoch, expected, "add --runs or leave it out"))
    if job_ids is not None and not slurm:
        expected = "no value, except for --format slurm"
        problems.append(Problem("--job-ids", str(job_ids), expected, "leave it out"))
    raise_any("ringyard export", problems)


def _form_problems(formulation: str | None, format: Format) -> list[Problem]:
    """Return the problem if a format cannot hold a program."""
    from ...formulations.catalogue import constraint_models

    known = constraint_models()
    if format in CONSTRAINTS and formulation is not None and formulation not in known:
        expected = f"a constraint model: {' or '.join(known)}"
        advice = "name one, or write this program as mps, lp or nl"
    elif format in ("mps", "lp", "nl", "sol") and formulation in known:
        expected = f"a program with rows for --format {format}"
        advice = f"write {formulation} as mzn or cpjson"
    else:
        return []
    return [Problem("--formulation", formulation, expected, advice)]


def _constraints(model: "ConstraintModel", title: str, out: Path) -> dict[str, Any]:
    from ...formulations.files.constraints import cp_json, minizinc_lines
    from ...formulations.files.write import write_lines

    lines = minizinc_lines(model, title) if out.suffix == ".mzn" else [cp_json(model, title)]
    with written(out):
        write_lines(out, lines)
    return {"variables": len(model.variables), "constraints": len(model.constraints)}


def _matrix(
    problem: Instance,
    program: "Formulation",
    horizon: int | None,
    relaxing: bool,
    out: Path,
) -> dict[str, Any]:
    from ...formulations.files.write import write_matrix
    from ...formulations.matrix import relaxed, stated_matrix

    matrix = stated_matrix(problem, program, horizon)
    with written(out):
        write_matrix(out, relaxed(matrix) if relaxing else matrix)
    return {"columns": len(matrix.columns), "rows": len(matrix.rows), "nonzeros": matrix.a.nnz}


def _nl(
    problem: Instance,
    program: "Formulation",
    horizon: int | None,
    relaxing: bool,
    out: Path,
) -> dict[str, Any]:
    from ...formulations.files.write import write_nl
    from ...formulations.matrix import relax, stated_model

    model = stated_model(problem, program, horizon)
    columns, rows = write_nl(out, relax(model) if relaxing else model, write)
    return {"columns": columns, "rows": rows}


def _point(
    problem: Instance,
    program: "Formulation",
    horizon: int | None,
    schedule: Path,
    out: Path,
) -> dict[str, Any]:
    from ...analysis.check.judge import check
    from ...formulations.files.sol import sol_lines
    from ...formulations.files.write import write_lines
    from ...formulations.matrix import point_of, stated_model
    from ...formulations.program import TOLERANCE
    from ...formulations.solver_interface.checked import checker_of
    from ...formulations.solver_interface.solve import program_of

    plan = load_schedule(schedule)
    for violation in check(problem, plan).violations[:1]:
        found = Words(f"a violation of {violation.rule} at {violation.where}")
        advice = "see `ringyard check` for details"
        raise InputError(str(schedule), [Problem("schedule", found, "a valid schedule", advice)])
    model = stated_model(problem, program, horizon)
    program.write(model, plan)
    stated = program_of(model)
    point, checker = point_of(model, stated), checker_of(stated)
    objective, miss = checker.value(point), checker.violation(point)
    with written(out):
        write_lines(out, sol_lines(dict(zip(stated.columns, point, strict=True)), objective))
    if miss > TOLERANCE:
        note(f"note: the schedule violates the program by {miss:.3g}. Is the horizon long enough?")
    return {"objective": objective, "violation": miss}
