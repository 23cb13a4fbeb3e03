"""The part of `ringyard shrink` for programs: a minimal program that a solver answers wrongly."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from ...formulations.files.read import format_of, read_program
from ...formulations.program import Caps, Matrix
from ...formulations.shrink import Shrinking, renamed
from ...formulations.solver_interface.solve import named_solver
from ...formulations.wrong import EXACT, Suspect, found_of, script_text, write_found
from ...instances import Limits
from ...instances.errors import InputError, Problem, plural
from ...interrupts import keeping
from ..shared.options import written
from ..shared.output import emit, note, say

LINEAR = (".mps", ".lp")

SECOND = {"scip": "highs:presolve=off"}
"""Default reference solvers by doubted solver, unless SCIP."""


def shrink_program(
    file: Path,
    solver: str,
    against: str | None,
    out: Path,
    time_limit: float | None,
    run_limit: float,
    json: bool,
) -> int:
    """Reduce a program while the answer of a solver is wrong, and write it."""
    program = _program(file)
    suspect = _suspect(solver, against, run_limit)
    wrong = suspect.wrong(program)
    if wrong is None:
        if json:
            emit({"program": str(file), "solver": solver, "wrong": None})
        else:
            say(f"{file.name}: no answer of {solver} is shown to be wrong")
        return 3
    note(f"{file.name}: {wrong.text}")
    size = _size(program)

    def tell(state: Shrinking) -> None:
        nonlocal size
        if _size(state.program) != size:
            size = _size(state.program)
            note(f"  {size}, {state.asked} asked")

    state = Shrinking(suspect, program, wrong, Limits(time_s=time_limit), tell)
    stop = _run(state)
    small = renamed(state.program)
    version = "" if state.wrong.shown == EXACT else suspect.against.version or ""
    found = found_of(small, state.wrong, solver, f"{file.name}, {_size(program)}", version)
    stem = out.with_suffix("")
    with written(out):
        write_found(stem, small, found)
    script = shown_by_script(stem, script_text(found, out.name))
    with written(stem.with_suffix(".md")):
        write_found(stem, small, found, script)
    record = {"wrong": found.text, "kind": found.kind, "shown": found.shown}
    if json:
        counts = {"rows": len(small.rows), "columns": len(small.columns)}
        emit({"program": str(file), "solver": solver, **record, **counts, "termination": stop})
    else:
        say(f"{_size(program)} shrunk to {_size(small)}{'' if stop == 'done' else f' ({stop})'}")
        say(f"  {found.text}")
        how = "in fractions" if found.shown == EXACT else f"by {found.shown}, within its tolerance"
        say(f"  shown {how}; {solver.partition(':')[0]} is version {found.version}")
    return 130 if stop == "interrupted" else 0


def _program(file: Path) -> Matrix:
    if format_of(file) not in LINEAR:
        expected, advice = (
            "a name that ends in .mps, .lp or one of these and .gz",
            "export it as MPS",
        )
        raise InputError("ringyard shrink", [Problem("--program", str(file), expected, advice)])
    program = read_program(file)
    assert isinstance(program, Matrix)
    if not program.columns:
        problem = Problem("COLUMNS", "nothing", "a program with columns", "name another file")
        raise InputError(str(file), [problem])
    return program


def _suspect(solver: str, against: str | None, run_limit: float) -> Suspect:
    one, settings = named_solver(solver)
    other, others = named_solver(against or SECOND.get(one.name, "scip"))
    caps = Caps(time_s=run_limit, settings=settings)
    trusted = replace(caps, settings=others)
    return Suspect(solver=one, against=other, caps=caps, trusted=trusted)


def _run(state: Shrinking) -> str:
    try:
        with keeping():
            state.run()
    except KeyboardInterrupt:
        return "interrupted"
    return "time limit" if state.limits.over() else "done"


def shown_by_script(stem: Path, script: str) -> list[str]:
    """Run the script of a wrong answer in the program's folder and return its output."""
    if not script:
        return []
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=stem.resolve().parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    return (done.stdout or done.stderr.strip()[-200:]).splitlines()


def _size(program: Matrix) -> str:
    counts = ((len(program.rows), "row"), (len(program.columns), "column"))
    entries = plural(program.a.nnz, "coefficient")
    return ", ".join([*(plural(count, word) for count, word in counts), entries])
