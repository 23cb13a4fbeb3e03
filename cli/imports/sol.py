"""`ringyard import sol`: what a solver wrote, as a schedule that the judge has seen."""

from math import isfinite
from pathlib import Path

from ...analysis.check import check
from ...families import family_of
from ...formulations.catalogue import Formulation, find_formulation
from ...formulations.files.sol import read_sol
from ...formulations.matrix import set_point, stated_model
from ...formulations.solver_interface.checked import checker_of
from ...formulations.solver_interface.solve import program_of
from ...instances import MakespanInstance, Schedule
from ...instances.arguments import at_least_one
from ...instances.catalogue import load_as
from ...instances.errors import raise_any
from ...instances.reading.parse import read_text
from ..shared.options import AsJson, Whole, out_problems, write_noun
from ..shared.output import emit, say
from ..shared.verdict_words import print_verdict, verdict_row


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
    """Turn a solver's point into a schedule, and check it against the instance.

    Parameters
    ----------
    file
        Lines of names and values, as MIPLIB, SCIP, Gurobi and HiGHS write them.
    instance
        The instance of the program: a name of the catalogue, or a file.
    formulation
        The program that was solved, from `ringyard list formulations`.
    horizon
        The horizon with which it was exported.
    out
        Write the schedule to this file (.json or .json.gz).
    """
    problems = out_problems(instance, out)
    problems += at_least_one("--horizon", horizon)
    raise_any("ringyard import", problems)
    problem = load_as(MakespanInstance, instance)
    schedule, value, miss = _read(file, problem, find_formulation(formulation), horizon)
    verdict = check(problem, schedule)
    if out is not None:
        write_noun(family_of(problem).claimed(schedule, verdict), out)
    if json:
        emit(
            {
                "instance": problem.name,
                "value": value,
                "violation": miss if isfinite(miss) else None,
                **verdict_row(family_of(problem), verdict),
            }
        )
    else:
        say(f"the point is worth {value:.6g} in the program and misses it by {miss:.3g}")
        print_verdict(family_of(problem), verdict)
    return 0 if verdict.valid else 1


def _read(
    file: Path, problem: MakespanInstance, program: Formulation, horizon: int | None
) -> tuple[Schedule, float, float]:
    """Return the schedule of the point in a file, its value and its violation."""
    model = stated_model(problem, program, horizon)
    stated = program_of(model)
    point = read_sol(read_text(file), stated.columns, str(file))
    set_point(model, stated, point)
    checker = checker_of(stated)
    return program.read(model), checker.value(point), checker.violation(point)
