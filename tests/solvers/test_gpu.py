"""Solvers on GPUs: missing where there is none, and called as their manual says, on a stand-in."""

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ringyard.formulations.adapters import gpu
from ringyard.formulations.program import Caps
from ringyard.formulations.solver_interface.solve import find_solver, solve
from ringyard.instances import MissingError, SolutionStatus, TerminationReason
from ringyard.testing.programs import TINY, relaxed


def stand_in(**ended: Any) -> ModuleType:
    """Return a module whose models end as told."""

    class Model:
        def __init__(self, **program: Any) -> None:
            self.program, self.options = program, dict[str, Any]()
            vars(self).update(ended)

        def setParam(self, name: str, value: Any) -> None:  # noqa: N802
            self.options[name] = value

        def setParams(self, **options: Any) -> None:  # noqa: N802
            self.options.update(options)

        def optimize(self) -> None:
            assert self.program["objective_constant"] == 1.0
            assert self.options["OutputFlag"] is False
            assert self.options["TimeLimit"] == 9.0

    made = ModuleType("cupdlpx")
    made.__spec__ = ModuleSpec("cupdlpx", None)
    made.Model = Model  # type: ignore[attr-defined]
    return made


@pytest.mark.parametrize(
    ("status", "point", "stop", "left"),
    [
        ("OPTIMAL", [2.4, 2.2], TerminationReason.DONE, SolutionStatus.OPTIMAL),
        ("OPTIMAL", [2.4, 2.1], TerminationReason.NUMERICAL, SolutionStatus.NOTHING),
        ("TIME_LIMIT", [3.0, 3.0], TerminationReason.TIME_LIMIT, SolutionStatus.FEASIBLE),
        ("UNSPECIFIED", None, TerminationReason.NUMERICAL, SolutionStatus.NOTHING),
    ],
)
def test_answers_of_cupdlpx_are_checked(
    status: str,
    point: list[float] | None,
    stop: TerminationReason,
    left: SolutionStatus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = None if point is None else np.array(point)
    module = stand_in(Status=status, X=values, Pi=np.array([1.4, 0.2]))
    monkeypatch.setitem(sys.modules, "cupdlpx", module)
    (tmp_path / "0000:01:00.0").mkdir()
    monkeypatch.setattr(gpu, "DEVICES", tmp_path)
    found = solve(relaxed(TINY), "cupdlpx", Caps(time_s=9.0))
    assert (found.termination, found.status) == (stop, left)
    if left is SolutionStatus.OPTIMAL:
        assert found.bound == pytest.approx(12.6)


@pytest.mark.parametrize("name", ["cupdlpx", "cvxpy-cuopt"])
def test_without_a_gpu_the_reason_is_said(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "DEVICES", tmp_path)
    assert not find_solver(name).installed
    with pytest.raises(MissingError, match=f"{name} needs an NVIDIA GPU"):
        solve(relaxed(TINY), name)
