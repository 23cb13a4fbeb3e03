"""Wrong answers of solvers, shown by a point in fractions if possible.

A solver may err within its tolerances. Wrong answers are:

- "infeasible" though a point holds;
- a bound, or an optimal value, above the value of a point that holds by more than errors of
  `SLACK` in every cost, column and row explain;
- a point that violates the program by more than `MISS`;
- "unbounded" though a point holds and the bounds of the columns limit the objective.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from ..instances import MissingError, RefusedError, SolutionStatus, TerminationReason
from ..instances.writing import write_whole
from .adapters.solver import Solver
from .exact import Point, activity, exact_point, holds, value
from .files.mps import mps_lines
from .files.mps_reader import read_mps
from .files.write import write_lines
from .program import TOLERANCE, Caps, Matrix, Solution, matrix_checker
from .solver_interface.call import plain_answer
from .solver_interface.solve import named_solver, solve, solver_words

MISS = 1e-4
"""A hundred times the tolerance that solvers are given."""

SLACK = Fraction(1, 10**6)

NO_END = "it claims that the objective has no end, but the bounds of columns end it"

EXACT = "exact"
"""The mark of a proof in fractions. Otherwise the field names a second solver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A wrong answer: its kind, which shrinking keeps, the message, and its evidence."""

    kind: str
    text: str
    witness: Point | None = None
    """A point that holds, unless the solver's own point is wrong."""
    shown: str = EXACT


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A solver whose answers are doubted, and one that supplies points."""

    solver: Solver
    against: Solver
    caps: Caps
    trusted: Caps = Caps()
    """The caps of the second one."""

    def wrong(
        self, program: Matrix, hints: Sequence[Point] = (), exact: bool = False
    ) -> Wrong | None:
        """Return the error in the solver's answer, if any. `hints` are points that may hold.

        With `exact` it must be shown in fractions.
        """
        answer = self.answer(program)
        return None if answer is None else self.judged(program, answer, hints, exact)

    def answer(self, program: Matrix) -> Solution | None:
        """Return the solver's answer, or None if it refuses the program."""
        return _asked(self.solver, program, self.caps)

    def judged(
        self, program: Matrix, answer: Solution, hints: Sequence[Point] = (), exact: bool = False
    ) -> Wrong | None:
        """Return the error in an answer, if any, as `wrong` does."""
        if (own := own_point_wrong(program, answer)) is not None:
            return own
        if not _claims(answer):
            return None
        for hint in hints:
            if holds(program, hint) and (found := refuted(program, answer, hint)) is not None:
                return found
        return self._by_second(program, answer, exact)

    def _by_second(self, program: Matrix, answer: Solution, exact: bool) -> Wrong | None:
        other = _asked(self.against, program, self.trusted)
        if other is None or other.point is None:
            return None
        point = exact_point(program, other.point)
        if point is not None:
            return refuted(program, answer, point)
        misses = matrix_checker(program).violation(other.point) > TOLERANCE
        if exact or misses or other.status is not SolutionStatus.OPTIMAL:
            return None
        return refuted(
            program, answer, tuple(map(Fraction, other.point.tolist())), self.against.name
        )


SECOND = {"scip": "highs:presolve=off", "scip-no-presolve": "highs:presolve=off"}
"""By doubted solver: the solver that supplies points, unless SCIP."""


def doubted(solver: Solver, caps: Caps, against: str | None = None) -> Suspect:
    """Return a solver as a suspect, beside a second one with the same limits.

    Raises:
        MissingError: If the second solver is not installed. The message says how to get it.
    """
    other, settings = named_solver(against or SECOND.get(solver.name, "scip"))
    if other.missing:
        raise MissingError(f"a second solver supplies points: {other.missing}")
    trusted = Caps(time_s=caps.time_s, own_process=caps.own_process, settings=settings)
    return Suspect(solver=solver, against=other, caps=caps, trusted=trusted)


def _asked(solver: Solver, program: Matrix, caps: Caps) -> Solution | None:
    """Return the answer of a solver, or None if it refuses the program."""
    try:
        answer = plain_answer(solver, program, caps)
    except RefusedError:
        return None
    if answer.termination is TerminationReason.INTERRUPTED:
        raise KeyboardInterrupt
    return answer


def _claims(answer: Solution) -> bool:
    """Return True if an answer claims a statement that a point can refute."""
    whole = (SolutionStatus.INFEASIBLE, SolutionStatus.UNBOUNDED, SolutionStatus.OPTIMAL)
    return answer.status in whole or _bound(answer) > -inf


def _bound(answer: Solution) -> float:
    return -inf if answer.bound is None or np.isnan(answer.bound) else answer.bound


def own_point_wrong(program: Matrix, answer: Solution) -> Wrong | None:
    """Return the error of an answer whose own point does not hold."""
    if answer.status is not SolutionStatus.OPTIMAL or answer.point is None:
        return None
    miss = matrix_checker(program).violation(answer.point)
    if miss <= MISS:
        return None
    return Wrong(kind="point", text=f"its optimal point violates the program by {miss:.2g}")


def refuted(program: Matrix, answer: Solution, point: Point, shown: str = EXACT) -> Wrong | None:
    """Return the error of an answer that a point shows. The point holds."""
    worth = value(program, point)
    text = f"a point of value {float(worth):.9g} holds"
    if answer.status is SolutionStatus.INFEASIBLE:
        return Wrong(
            kind="infeasible", text=f"it says infeasible, but {text}", witness=point, shown=shown
        )
    if answer.status is SolutionStatus.UNBOUNDED:
        if not boxed(program):
            return None
        text = f"it says unbounded, but {text} and the bounds of columns limit the objective"
        return Wrong(kind="unbounded", text=text, witness=point, shown=shown)
    above = _bound(answer)
    if answer.status is SolutionStatus.OPTIMAL and answer.point is not None:
        above = max(above, matrix_checker(program).value(answer.point))
    if above == inf or above == -inf or above - worth <= _margin(program, point, worth):
        return None
    kind = "optimum" if answer.status is SolutionStatus.OPTIMAL else "bound"
    text = f"it says that no value is below {above:.9g}, but {text}"
    return Wrong(kind=kind, text=text, witness=point, shown=shown)


def _margin(program: Matrix, point: Point, worth: Fraction) -> Fraction:
    """Return the largest change of a bound by errors of `SLACK` in costs and duals."""
    rows = sum(abs(activity(program, i, point)) for i in range(len(program.rows)))
    return SLACK * (1 + abs(worth) + sum(map(abs, point)) + rows)


def boxed(program: Matrix) -> bool:
    """Return True if bounds of columns limit the objective from below."""
    ends = np.where(program.cost > 0, program.lower, program.upper)[program.cost != 0]
    return bool(np.isfinite(ends).all())


FOUND = Path(__file__).parents[1] / "instances/found"
"""The folder of small programs that solvers answer wrongly."""

SECONDS = 60.0
"""The time limit for a program on file. These programs are small."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundWrong:
    """The record of a wrong answer."""

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
    program: str = ""
    """The program of the corpus about which it was said, if there is one."""
    interface: bool = True
    """True if the solver interface gives the right answer all the same."""
    upstream: str | None = None
    """Its report to the solver's authors."""
    mended: str | None = None


def found_of(
    program: Matrix,
    wrong: Wrong,
    solver: str,
    source: str,
    second: str = "",
    about: str = "",
    apart: bool = False,
) -> FoundWrong:
    """Return the record of a wrong answer.

    `second` is the version of the second solver, if needed. `about` is the program of the corpus
    that was made small. With `apart`, the solver is asked in a separate process.
    """
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
        program=about,
    )
    return replace(found, interface=wrong_behind_interface(found, program, apart) is None)


def all_found() -> dict[Path, FoundWrong]:
    """Return the records that come with a checkout, by file. A wheel has none."""
    return {path: read_found(path) for path in sorted(FOUND.glob("*.json"))}


def read_found(path: Path) -> FoundWrong:
    """Return a record on file. Versions up to 0.1.0 call `interface` the door."""
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


def still_wrong(found: FoundWrong, program: Matrix, apart: bool = False) -> Wrong | None:
    """Rerun the installed solver, and return the error in its answer."""
    solver, settings = named_solver(found.solver)
    caps = Caps(time_s=SECONDS, settings=settings, own_process=apart)
    point = point_on_file(found, program)
    suspect = Suspect(solver=solver, against=solver, caps=caps, trusted=caps)
    return suspect.wrong(program, () if point is None else (point,), exact=True)


def wrong_behind_interface(found: FoundWrong, program: Matrix, apart: bool = False) -> Wrong | None:
    """Return the error in the answer of the solver interface, if any."""
    solver, settings = named_solver(found.solver)
    answer = solve(program, solver, Caps(time_s=SECONDS, settings=settings, own_process=apart))
    point = point_on_file(found, program)
    return None if point is None else refuted(program, answer, point)


def write_found(stem: Path, program: Matrix, found: FoundWrong) -> None:
    """Write ``stem`` with .mps, .json and .md, the report with the output of its script."""
    write_lines(stem.with_suffix(".mps"), mps_lines(program))
    write_whole(stem.with_suffix(".json"), record_text(found).encode())
    file = f"{stem.name}.mps"
    printed = _printed(script_text(found, file), stem.resolve().parent)
    text = issue_text(found, program, file, printed)
    write_whole(stem.with_suffix(".md"), text.encode())


def _printed(script: str, folder: Path) -> list[str]:
    """Run the script of a wrong answer in the program's folder and return its output."""
    if not script:
        return []
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    return (done.stdout or done.stderr.strip()[-200:]).splitlines()


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
"""By solver: a script without Ringyard, and its line for an option."""

SEEDS = {"highs": "random_seed", "scip": "randomization/randomseedshift"}
"""By solver: the name of the option that sets the seed."""


def script_text(found: FoundWrong, file: str) -> str:
    """Return a short script that shows the answer, or an empty text for a solver without one."""
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


def issue_text(found: FoundWrong, program: Matrix, file: str, printed: Sequence[str]) -> str:
    """Return the text of an issue for the authors of the solver.

    The issue holds a script that needs the solver alone. `mended` is the first version that is
    known to answer right.
    """
    solver = named_solver(found.solver)[0]
    package = solver.name if ".py:" in solver.name else solver.distribution
    size = f"{len(program.rows)} rows, {len(program.columns)} columns, {program.a.nnz} coefficients"
    lines = [f"# {solver.name} {found.version}: {TITLES[found.kind]}", ""]
    about = f"The program `{file}` ({size}) is solved by {package} {found.version}"
    options = solver_words(found.solver)[1]
    about += f" with {', '.join(options)}" if options else ""
    lines += [f"{about}. {found.text[0].upper()}{found.text[1:]}.", ""]
    if found.point is not None:
        held = ", ".join(f"{name} = {x}" for name, x in found.point.items()) or "every column 0"
        how = (
            "Checked in fractions, it satisfies every row, bound and integer exactly"
            if found.shown == EXACT
            else f"It is the answer of {found.shown} and holds within its tolerance"
        )
        lines += [f"The point is {held}, and other columns are 0. {how}.", ""]
    if script := script_text(found, file):
        lines += ["```python", *script.splitlines(), "```", ""]
    if printed:
        lines += ["It prints:", "", "```text", *printed, "```", ""]
    lines += [f"Made smaller from: {found.source}.", ""] if found.source else []
    lines += [f"Compare {found.upstream}.", ""] if found.upstream else []
    lines += ["```text", *mps_lines(program), "```", ""]
    return "\n".join(lines)


TITLES = {
    "infeasible": "a feasible program is called infeasible",
    "unbounded": "a program with bounds is called unbounded",
    "optimum": "a claimed optimum is not optimal",
    "bound": "a bound lies above the value of a point",
    "point": "an optimal point violates the program",
}
"""By kind of wrong answer."""
