"""A wrong answer on file: its program as MPS, what is wrong as JSON, and an issue ready to send.

The issue holds a script that needs the solver alone. `mended` is the first version that is known
to answer right.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...instances.writing import write_whole
from ..exact import Point, value
from ..program import Caps, Matrix
from ..solver_interface.settings import named_solver
from ..solver_interface.solve import solve
from ..wrong import EXACT, Suspect, Wrong, refuted
from .mps import mps_lines
from .read_mps import read_mps
from .write import write_lines

SECONDS = 60.0
"""What a solver may take for a program on file; these are small."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundWrong:
    """What is known of a wrong answer."""

    solver: str
    """With options as in ``highs:presolve=on``."""
    version: str
    kind: str
    text: str
    shown: str
    """`exact` where a point in fractions shows it, or a solver with its version."""
    value: str | None = None
    point: dict[str, str] | None = None
    """Columns that are not 0, as fractions."""
    source: str = ""
    interface: bool = True
    """Whether the solver interface gives the right answer all the same."""
    upstream: str | None = None
    """Where the solver's authors have it."""
    mended: str | None = None


def found_of(
    program: Matrix, wrong: Wrong, solver: str, source: str, second: str = ""
) -> FoundWrong:
    """Return the record of a wrong answer; `second` is the version of what shows it, if need be."""
    names = program.columns
    point = wrong.witness
    found = FoundWrong(
        solver=solver,
        version=named_solver(solver)[0].version or "",
        kind=wrong.kind,
        text=wrong.text,
        shown=f"{wrong.shown} {second}".strip(),
        value=None if point is None else str(value(program, point)),
        point=None
        if point is None
        else {n: str(x) for n, x in zip(names, point, strict=True) if x},
        source=source,
    )
    return replace(found, interface=wrong_behind_interface(found, program) is None)


def read_found(path: Path) -> FoundWrong:
    """Return a record on file; those of versions up to 0.1.0 call `interface` the door."""
    fields = json.loads(path.read_text(encoding="utf-8"))
    if "door" in fields:
        fields["interface"] = fields.pop("door")
    return FoundWrong(**fields)


def record_text(found: FoundWrong) -> str:
    """Return the text of a record."""
    fields = {name: getattr(found, name) for name in FoundWrong.__slots__}
    return json.dumps(fields, indent=1, ensure_ascii=False) + "\n"


def point_on_file(found: FoundWrong, program: Matrix) -> Point | None:
    """Return the point of a record in the order of the columns."""
    if found.point is None:
        return None
    return tuple(Fraction(found.point.get(name, "0")) for name in program.columns)


def still_wrong(found: FoundWrong, program: Matrix) -> Wrong | None:
    """Ask the installed solver again; return what is wrong with its answer."""
    solver, settings = named_solver(found.solver)
    caps = Caps(time_s=SECONDS, settings=settings)
    point = point_on_file(found, program)
    suspect = Suspect(solver=solver, against=solver, caps=caps, trusted=caps)
    return suspect.wrong(program, () if point is None else (point,), exact=True)


def wrong_behind_interface(found: FoundWrong, program: Matrix) -> Wrong | None:
    """Return what is wrong with the answer that the solver interface gives."""
    solver, settings = named_solver(found.solver)
    said = solve(program, solver, Caps(time_s=SECONDS, settings=settings))
    point = point_on_file(found, program)
    return None if point is None else refuted(program, said, point)


def write_found(stem: Path, program: Matrix, found: FoundWrong, said: Sequence[str] = ()) -> None:
    """Write ``stem`` with .mps, .json and .md; `said` is what the script printed."""
    write_lines(stem.with_suffix(".mps"), mps_lines(program))
    write_whole(stem.with_suffix(".json"), record_text(found).encode())
    text = issue_text(found, program, f"{stem.name}.mps", said)
    write_whole(stem.with_suffix(".md"), text.encode())


def program_of_found(path: Path) -> Matrix:
    """Return the program that belongs to a record."""
    return read_mps(path.with_suffix(".mps"))


HIGHS = """\
import highspy

for presolve in {presolve}:
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.readModel("{file}"){options}
    model.setOptionValue("presolve", presolve)
    model.run()
    status, info = model.modelStatusToString(model.getModelStatus()), model.getInfo()
    print(model.version(), "presolve", presolve, status, info.objective_function_value)
"""

SCIP = """\
import pyscipopt

for presolve in {presolve}:
    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem("{file}"){options}
    if presolve == "off":
        model.setPresolve(pyscipopt.SCIP_PARAMSETTING.OFF)
    model.optimize()
    best = model.getObjVal() if model.getNSols() else None
    print(model.version(), "presolve", presolve, model.getStatus(), best)
"""

CP_SAT = """\
import ortools
from ortools.linear_solver.python import model_builder

model = model_builder.Model()
model.import_from_mps_file("{file}")
solver = model_builder.Solver("sat")
status = solver.solve(model)
print(ortools.__version__, status.name)
"""

SCRIPTS = {
    "highs": (HIGHS, "    model.setOptionValue({name!r}, {value!r})"),
    "scip": (SCIP, "    model.setParam({name!r}, {value!r})"),
    "cp-sat": (CP_SAT, ""),
}
"""By solver: a script that needs nothing of ours, and a line of it for an option."""


def script_text(found: FoundWrong, file: str) -> str:
    """Return a short script that shows the answer, or nothing for a solver without one."""
    solver, settings = named_solver(found.solver)
    body, line = SCRIPTS.get(solver.name, ("", ""))
    plain = [(name, text) for name, text in settings if name != "presolve"]
    options = "".join("\n" + line.format(name=name, value=_typed(text)) for name, text in plain)
    given = dict(settings).get("presolve")
    presolve = f'("{given}",)' if given else '("choose", "off")'
    return body.format(file=file, presolve=presolve, options=options)


def _typed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def issue_text(found: FoundWrong, program: Matrix, file: str, said: Sequence[str]) -> str:
    """Return what an issue for the solver's authors could say."""
    solver = named_solver(found.solver)[0]
    package = solver.package
    size = f"{len(program.rows)} rows, {len(program.columns)} columns, {program.a.nnz} coefficients"
    lines = [f"# {solver.name} {found.version}: {_title(found)}", ""]
    about = f"The program `{file}` ({size}) is solved by {package} {found.version}"
    options = found.solver.partition(":")[2]
    about += f" with {options.replace(':', ', ')}" if options else ""
    lines += [f"{about}. {found.text[0].upper()}{found.text[1:]}.", ""]
    if found.point is not None:
        held = ", ".join(f"{name} = {x}" for name, x in found.point.items()) or "every column 0"
        how = (
            "Checked in fractions, it satisfies every row, bound and integer exactly"
            if found.shown == EXACT
            else f"It is the answer of {found.shown} and holds within its tolerance"
        )
        lines += [f"The point is {held}; other columns are 0. {how}.", ""]
    if script := script_text(found, file):
        lines += ["```python", *script.splitlines(), "```", ""]
    if said:
        lines += ["It prints:", "", "```text", *said, "```", ""]
    lines += [f"Made smaller from: {found.source}.", ""] if found.source else []
    lines += [f"Compare {found.upstream}.", ""] if found.upstream else []
    lines += ["```text", *mps_lines(program), "```", ""]
    return "\n".join(lines)


TITLES = {
    "infeasible": "a feasible program is called infeasible",
    "unbounded": "a program with bounds is called unbounded",
    "optimum": "an optimum is claimed that is none",
    "bound": "a bound lies above the value of a point",
    "point": "an optimal point misses the program",
}
"""By kind of wrong answer."""


def _title(found: FoundWrong) -> str:
    return TITLES[found.kind]
