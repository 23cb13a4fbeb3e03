"""SCIP: linear and mixed-integer programs, and nonconvex ones to proven optimality."""

import os
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Nonlinear, Program, Solution
from ..stated import Value, fixed, ours, own
from .solver import (
    BY_LIMIT,
    MUTE,
    End,
    Report,
    Solver,
    SolverOptions,
    claim,
    hand_over,
    interruptible,
)

CAPS = (None, "randomization/randomseedshift", "limits/gap", "limits/time", "limits/nodes")

ENDS: dict[str, End] = {
    "optimal": SolutionStatus.OPTIMAL,
    "infeasible": SolutionStatus.INFEASIBLE,
    "unbounded": SolutionStatus.UNBOUNDED,
    "inforunbd": SolutionStatus.UNBOUNDED,
    "gaplimit": SolutionStatus.FEASIBLE,
    "timelimit": TerminationReason.TIME_LIMIT,
    "nodelimit": TerminationReason.WORK_LIMIT,
    "totalnodelimit": TerminationReason.WORK_LIMIT,
    "memlimit": TerminationReason.MEMORY_LIMIT,
    "userinterrupt": TerminationReason.INTERRUPTED,
}


def refuses(program: Program) -> str | None:
    """Return None: SCIP takes programs of all kinds."""


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a program of any kind."""
    began = time.monotonic()
    import pyscipopt

    model = pyscipopt.Model()
    model.hideOutput()
    variables = _load(model, program)
    _set(model, caps.since(began))
    if start is not None:
        _give(model, variables, start)
    _report(model, variables, report)
    setup_s = time.monotonic() - began
    interruptible(model.optimizeNogil, model.interruptSolve, report)
    return replace(_answer(model, variables), setup_s=setup_s)


def _set(model: Any, caps: Caps) -> None:
    model.setParam("misc/catchctrlc", False)
    hand_over(caps, CAPS, model.setParam)
    for name, value in caps.settings:
        model.setParam(name, _typed(model, name, value))


def _asked(caps: Caps, name: str) -> Value:
    import pyscipopt

    model = pyscipopt.Model()
    _set(model, caps)
    found: Value = model.getParam(name)
    return found


def _typed(model: Any, name: str, value: str) -> Any:
    """Return the value of an option in the type that it has."""
    kind = type(model.getParam(name))
    if kind is bool:
        return {"true": True, "false": False}[value.lower()]
    return kind(value)


def _known() -> list[str]:
    import pyscipopt

    return list(pyscipopt.Model().getParams())


def _takes(name: str, value: str) -> bool:
    import pyscipopt

    model, errors = pyscipopt.Model(), os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)  # SCIP prints the reason for a refusal there, in four lines.
    try:
        model.setParam(name, _typed(model, name, value))
    except (KeyError, ValueError, OverflowError):
        return False
    finally:
        os.dup2(errors, 2)
        os.close(errors)
        os.close(nowhere)
    return True


def _load(model: Any, program: Program) -> list[Any]:
    """Put the program into SCIP and return its variables in the order of the columns."""
    return _load_matrix(model, program) if isinstance(program, Matrix) else _load_nl(model, program)


def _load_matrix(model: Any, program: Matrix) -> list[Any]:
    import pyscipopt

    infinity = model.infinity()
    columns = zip(program.lower, program.upper, program.integer, program.cost, strict=True)
    variables = [
        model.addVar(lb=low, ub=high, vtype="I" if whole else "C", obj=cost)
        for low, high, whole, cost in columns
    ]
    model.addObjoffset(program.offset)
    for i, (low, high) in enumerate(zip(program.row_lower, program.row_upper, strict=True)):
        span = slice(program.a.indptr[i], program.a.indptr[i + 1])
        terms = zip(program.a.data[span], program.a.indices[span], strict=True)
        body = pyscipopt.quicksum(factor * variables[j] for factor, j in terms)
        if low > -infinity or high < infinity:
            model.addCons(pyscipopt.ExprCons(body, max(low, -infinity), min(high, infinity)))
    return variables


def _load_nl(model: Any, program: Nonlinear) -> list[Any]:
    """Read NL text. SCIP sorts its variables, so they get their numbers as names."""
    names = [f"c{i}" for i in range(len(program.columns))]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "program.nl"
        file.write_bytes(program.nl)
        file.with_suffix(".col").write_text("".join(f"{name}\n" for name in names))
        model.readProblem(str(file))
    known = {variable.name: variable for variable in model.getVars()}
    return [known[name] for name in names]


def _give(model: Any, variables: list[Any], start: Floats) -> None:
    """Hand over a point. SCIP completes its own variables."""
    point = model.createPartialSol()
    for variable, value in zip(variables, start, strict=True):
        model.setSolVal(point, variable, float(value))
    model.addSol(point)


def _report(model: Any, variables: list[Any], report: Report) -> None:
    """Report each point that becomes the best."""
    import pyscipopt

    class ScipReporter(pyscipopt.Eventhdlr):  # type: ignore[misc]
        def eventinit(self) -> None:
            self.model.catchEvent(pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND, self)

        def eventexit(self) -> None:
            self.model.dropEvent(pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND, self)

        def eventexec(self, event: Any) -> None:
            report(_point(model, variables), model.getDualbound())

    model.includeEventhdlr(ScipReporter(), "reporter", "reports each better point")


def _point(model: Any, variables: list[Any]) -> Floats:
    best = model.getBestSol()
    return np.array([model.getSolVal(best, variable) for variable in variables])


def _answer(model: Any, variables: list[Any]) -> Solution:
    status = model.getStatus()
    point = _point(model, variables) if model.getNSols() > 0 else None
    if point is not None and (np.abs(point) >= model.infinity()).any():
        point = None  # The far end of a program without one.
    bound = model.getDualbound()
    return claim(
        ENDS.get(status, TerminationReason.NUMERICAL),
        status,
        point=point,
        bound=None if abs(bound) >= model.infinity() else bound,
        nodes=model.getNTotalNodes(),
    )


SOLVER = Solver(
    name="scip",
    module="pyscipopt",
    install="'ringyard[scip]'",
    can=("lp", "milp", "nonconvex", "start", "watch", "options"),
    run=run,
    refuses=refuses,
    options=SolverOptions(
        _known,
        _takes,
        {"limits/time": BY_LIMIT, "display/verblevel": MUTE, "misc/catchctrlc": "Ctrl-C ends it"},
    ),
    stated={
        "relative gap": ours("limits/gap", 0),
        "absolute gap or increment": own("limits/absgap", 0),
        "row tolerance": own("numerics/feastol", 1e-6),
        "integer tolerance": own("numerics/feastol", 1e-6),
        "infeasibility tolerance": own("numerics/dualfeastol", 1e-7),
        "presolve": own("presolving/maxrounds", -1),
        "seed": ours("randomization/randomseedshift", 0),
        "threads": fixed("1"),
        "algorithm": own("lp/initalgorithm", "s"),
    },
    asked=_asked,
)
