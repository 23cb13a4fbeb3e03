"""`ringyard import runs` and `sol`: the plan of another tool as a schedule, checked."""

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...analysis.check.judge import check
from ...families.registry import family_of
from ...instances import (
    AnySchedule,
    Instance,
    MakespanInstance,
    Schedule,
)
from ...instances.arguments import at_least_one
from ...instances.catalogue import load, load_as
from ...instances.errors import Problem, Words, raise_any
from ...instances.importers.runs import Clock, read_runs
from ...instances.reading.decode import read_text
from ..shared.options import AsJson, Whole, out_problems, write_entity
from ..shared.output import emit, say
from ..shared.verdicts import print_verdict, verdict_row

if TYPE_CHECKING:
    from ...families import ConstraintProgram
    from ...formulations.catalogue import Formulation


def runs_command(
    file: Path,
    /,
    *,
    instance: str,
    epoch: str | None = None,
    out: Path | None = None,
    json: AsJson = False,
) -> int:
    """Import the runs of a plan as a schedule, and check it against the instance.

    Parameters
    ----------
    file
        A CSV with the columns job, start_s, end_s and servers, as `ringyard export --runs` writes.
    instance
        The instance that the plan is for: a catalogue name, or a file.
    epoch
        Date and time of time 0, as for the export. The columns start and end then count.
    out
        Write the schedule to this file (.json or .json.gz).
    """
    raise_any("ringyard import", out_problems(instance, out))
    problem = load(instance)
    clock = None if epoch is None else Clock.of(epoch, "ringyard import")
    return _judged(problem, read_runs(file, problem, clock), out, {}, "", json=json)


def _judged(
    problem: Instance,
    schedule: AnySchedule,
    out: Path | None,
    row: Mapping[str, Any],
    said: str,
    *,
    json: bool,
) -> int:
    """Check an imported schedule, write it, and print the verdict after what was said."""
    verdict, family = check(problem, schedule), family_of(problem)
    if out is not None:
        write_entity(family.claimed(schedule, verdict), out)
    if json:
        emit({"instance": problem.name, **row, **verdict_row(family, verdict)})
    else:
        if said:
            say(said)
        print_verdict(family, verdict)
    return 0 if verdict.valid else 1


def sol_command(
    file: Path,
    /,
    *,
    instance: str,
    formulation: str,
    horizon: Whole | None = None,
    out: Path | None = None,
    json: AsJson = False,
) -> int:
    """Import a solver's point as a schedule, and check it against the instance.

    Parameters
    ----------
    file
        Lines of names and values, as MIPLIB, SCIP, Gurobi, HiGHS and MiniZinc write them.
    instance
        The instance of the program: a catalogue name, or a file.
    formulation
        The program that was solved, from `ringyard list formulations`.
    horizon
        The horizon that was given for the export, if any.
    out
        Write the schedule to this file (.json or .json.gz).
    """
    from ...formulations.catalogue import constraint_models, find_formulation

    problems = out_problems(instance, out)
    problems += at_least_one("--horizon", horizon)
    raise_any("ringyard import", problems)
    text, problem = read_text(file), load_as(MakespanInstance, instance)
    asked, row = constraint_models().get(formulation), dict[str, Any]()
    if asked is not None:
        schedule, broken = _read_values(text, file, problem, asked, horizon)
        row = {"broken": broken}
        said = f"the values break {broken}" if broken else "the values satisfy the model"
    else:
        program = find_formulation(formulation)
        schedule, value, miss = _read(text, file, problem, program, horizon)
        row = {"value": value, "violation": miss if isfinite(miss) else None}
        said = f"the point has value {value:.6g} in the program and violates it by {miss:.3g}"
    return _judged(problem, schedule, out, row, said, json=json)


def _read(
    text: str,
    file: Path,
    problem: MakespanInstance,
    program: "Formulation",
    horizon: int | None,
) -> tuple[Schedule, float, float]:
    """Return the schedule of the point in a file, its value and its violation."""
    from ...formulations.files.sol import read_sol
    from ...formulations.matrix import set_point, stated_model
    from ...formulations.solver_interface.checked import checker_of
    from ...formulations.solver_interface.solve import program_of

    model = stated_model(problem, program, horizon)
    stated = program_of(model)
    point = read_sol(text, stated.columns, str(file))
    set_point(model, stated, point)
    checker = checker_of(stated)
    return program.read(model), checker.value(point), checker.violation(point)


def _read_values(
    text: str,
    file: Path,
    problem: MakespanInstance,
    asked: "ConstraintProgram",
    horizon: int | None,
) -> tuple[Schedule, str | None]:
    """Return the schedule in values of a constraint model, and the first constraint they break."""
    from ...formulations.constraints import unmet
    from ...formulations.files.sol import exact_sol

    model = asked.question(problem, horizon)
    found = exact_sol(text, model.names, str(file))
    problems = [
        Problem(
            model.names[place],
            Words(f"{float(value):g}"),
            "a whole number",
            "take the solver's own values",
        )
        for place, value in found.items()
        if value.denominator != 1
    ]
    raise_any(str(file), problems)
    values = [int(found.get(place, 0)) for place in range(len(model.names))]
    schedule = asked.read(problem, dict(zip(model.names, values, strict=True)))
    return schedule, unmet(model, values)
