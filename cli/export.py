"""`ringyard export`: a program in a file for any solver, or a schedule as a point of it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from ..instances.errors import ABSENT, InputError, Problem, Words
from .options import Whole, at_least_one
from .output import emit, note

if TYPE_CHECKING:
    from ..formulations.catalogue import Formulation
    from ..instances import Instance

Format = Literal["mps", "lp", "nl", "sol"]


def export_command(
    instance: str,
    /,
    *,
    formulation: str,
    format: Format,
    out: Path,
    horizon: Whole | None = None,
    schedule: Path | None = None,
    relax: Annotated[bool, Parameter(negative=())] = False,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Write the program of an instance to a file, or a schedule as a point of that program.

    Parameters
    ----------
    instance
        A name of the catalogue, or a file.
    formulation
        A name from `ringyard list formulations`.
    format
        mps, lp, nl (with .row and .col beside it); or sol, the point of a schedule.
    out
        The file to write; its name ends in the format.
    horizon
        Slots of the program; as many as the jobs take one by one if none is given.
    schedule
        The schedule to write as a point.
    relax
        Leave out that variables are integers.
    json
        Print one JSON object.
    """
    from ..formulations.catalogue import find_formulation
    from ..instances import digest
    from ..instances.catalogue import load

    _refuse(format, out, horizon, schedule)
    problem, program = load(instance), find_formulation(formulation)
    if schedule is not None:
        row = _point(problem, program, horizon, schedule, out)
    elif format == "nl":
        row = _nl(problem, program, horizon, relax, out)
    else:
        row = _matrix(problem, program, horizon, relax, out)
    note(f"wrote {out}")
    if json:
        head = {"instance": problem.name, "digest": digest(problem), "formulation": formulation}
        emit({**head, "format": format, "out": str(out), **row})
    return 0


def _refuse(format: Format, out: Path, horizon: int | None, schedule: Path | None) -> None:
    problems = []
    if out.suffix != f".{format}":
        expected = f"a name that ends in .{format}"
        advice = f"name the file, for example, {out.stem or 'program'}.{format}"
        problems.append(Problem("--out", str(out), expected, advice))
    if not os.access(out.parent, os.W_OK):
        expected = "a file in a folder that can be written"
        problems.append(Problem("--out", str(out), expected, "choose another path"))
    problems += at_least_one("--horizon", horizon)
    if (format == "sol") != (schedule is not None):
        found = ABSENT if schedule is None else str(schedule)
        expected = (
            "a schedule for --format sol" if schedule is None else "none but for --format sol"
        )
        problems.append(Problem("--schedule", found, expected, "give both or neither"))
    if problems:
        raise InputError("ringyard export", problems)


def _matrix(
    problem: "Instance",
    program: "Formulation",
    horizon: int | None,
    relaxing: bool,
    out: Path,
) -> dict[str, Any]:
    from ..formulations.files import write_matrix
    from ..formulations.stated import relaxed, stated_matrix

    matrix = stated_matrix(problem, program, horizon)
    write_matrix(out, relaxed(matrix) if relaxing else matrix)
    return {"columns": len(matrix.columns), "rows": len(matrix.rows), "nonzeros": matrix.a.nnz}


def _nl(
    problem: "Instance",
    program: "Formulation",
    horizon: int | None,
    relaxing: bool,
    out: Path,
) -> dict[str, Any]:
    from ..formulations.files import write_nl
    from ..formulations.relax import relax
    from ..formulations.stated import stated_model

    model = stated_model(problem, program, horizon)
    columns, rows = write_nl(out, relax(model) if relaxing else model)
    return {"columns": columns, "rows": rows}


def _point(
    problem: "Instance",
    program: "Formulation",
    horizon: int | None,
    schedule: Path,
    out: Path,
) -> dict[str, Any]:
    from ..analysis.check import check
    from ..formulations.checked import checker_of
    from ..formulations.checker import TOLERANCE
    from ..formulations.files import write_lines
    from ..formulations.matrix import point_of
    from ..formulations.sol_file import sol_lines
    from ..formulations.solve import program_of
    from ..formulations.stated import stated_model
    from ..instances import load_schedule

    plan = load_schedule(schedule)
    for fault in check(problem, plan).violations[:1]:
        found = Words(f"a violation of {fault.rule} at {fault.where}")
        advice = "`ringyard check` says more"
        raise InputError(str(schedule), [Problem("schedule", found, "a valid schedule", advice)])
    model = stated_model(problem, program, horizon)
    program.write(model, plan)
    stated = program_of(model)
    point, checker = point_of(model, stated), checker_of(stated)
    objective, miss = checker.value(point), checker.violation(point)
    write_lines(out, sol_lines(dict(zip(stated.columns, point, strict=True)), objective))
    if miss > TOLERANCE:
        note(f"note: this point misses the program by {miss:.3g}; is the horizon long enough?")
    return {"objective": objective, "violation": miss}
