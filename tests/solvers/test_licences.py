"""Where a vendor's licence is missing or too small, the answer says so.

The modules here are stand-ins that do nothing but refuse as the vendors' ones do; with a
vendor's own module installed, the status matrix tries it.
"""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ringyard.formulations.program import Caps
from ringyard.formulations.solver_interface.child import attempt
from ringyard.formulations.solver_interface.solve import find_solver
from ringyard.instances import SolutionStatus, TerminationReason
from ringyard.testing.programs import TINY


class VendorError(Exception):
    """What all the stand-ins raise."""

    errno = 10009


def refuse(*_: object, **__: object) -> Any:
    """Raise as a vendor does whose licence is missing."""
    raise VendorError("no license found", None, 32201)


def stand_in(name: str, **parts: Any) -> ModuleType:
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None)
    vars(module).update(parts)
    return module


MODULES = {
    "gurobi": stand_in("gurobipy", Env=refuse, GurobiError=VendorError),
    "cplex": stand_in(
        "cplex", Cplex=refuse, exceptions=stand_in("cplex.exceptions", CplexError=VendorError)
    ),
    "xpress": stand_in(
        "xpress", problem=refuse, SolverError=VendorError, InterfaceError=VendorError
    ),
    "copt": stand_in("coptpy", Envr=refuse, CoptError=VendorError),
    "mosek": stand_in("mosek", Env=refuse, Error=VendorError),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_missing_licence_is_an_answer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    solver = find_solver(name)
    monkeypatch.setitem(sys.modules, solver.module, MODULES[name])
    assert solver.installed
    found = attempt(solver, TINY, Caps(), np.array([2.0, 3.0]), lambda point, bound: None)
    assert (found.termination, found.status) == (
        TerminationReason.UNLICENSED,
        SolutionStatus.NOTHING,
    )
    assert "no license found" in found.note
