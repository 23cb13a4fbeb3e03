"""HiGHS: linear and mixed-integer programs, the default solver, and linear programs that grow."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...instances import RefusedError, SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from ..stated import Stated, Value, ours, own
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

if TYPE_CHECKING:
    from highspy import HighsBasisStatus


CAPS = ("threads", "random_seed", "mip_rel_gap", "time_limit", "mip_max_nodes")

CONFIRM = 1_000
"""Nodes that may pass without presolve. Some infeasible programs in whole numbers never end."""

BY_PRESOLVE = "infeasible by presolve alone"


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a linear or mixed-integer program.

    The presolve of HiGHS 1.15.1 called feasible programs infeasible, once while HiGHS held an
    almost feasible point. An infeasible program is therefore solved a second time without presolve
    if presolve alone claims it or such a point contradicts it. If `CONFIRM` nodes neither refute
    nor confirm it, it stands, and the note says that it rests on presolve.
    """
    assert isinstance(program, Matrix)
    began = time.monotonic()
    answer = _run(program, caps, start, report, "choose")
    if answer is not None and answer.note != BY_PRESOLVE:
        return answer
    caps = caps.since(began)
    if answer is not None:
        caps = replace(caps, nodes=min(caps.nodes or CONFIRM, CONFIRM))
    again = _run(program, caps, start, report, "off")
    if again is not None:
        setups = [one.setup_s for one in (answer, again) if one is not None]
        again = replace(again, setup_s=sum(filter(None, setups)))
    if answer is not None and again is not None and again.status is SolutionStatus.NOTHING:
        return answer
    return again or claim(TerminationReason.NUMERICAL, "contradicts itself")


def plain(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a program once, and return the claims of HiGHS without a check."""
    assert isinstance(program, Matrix)
    return _once(program, caps, start, report, "choose")[0]


def _run(
    program: Matrix, caps: Caps, start: Floats | None, report: Report, presolve: str
) -> Solution | None:
    """Return the answer, or None if HiGHS contradicts itself."""
    answer, model = _once(program, caps, start, report, presolve)
    if answer.status is SolutionStatus.INFEASIBLE:
        info, mixed = model.getInfo(), answer.nodes is not None
        if mixed and model.getSolution().value_valid:
            return None
        searched = info.mip_node_count if mixed else info.simplex_iteration_count
        if presolve != "off" and searched <= 0:
            return replace(answer, note=BY_PRESOLVE)
    return answer


def _once(
    program: Matrix, caps: Caps, start: Floats | None, report: Report, presolve: str
) -> tuple[Solution, Any]:
    """Return the claims of HiGHS, and its model."""
    began, model = time.monotonic(), load(program)
    if model is None:
        return claim(TerminationReason.FAILED, "HiGHS rejects the numbers"), None
    _set(model, caps, presolve)
    mixed = bool(program.integer.any())
    if start is not None:
        places = np.arange(len(start), dtype=np.int32)
        model.setSolution(len(start), places, np.asarray(start, dtype=float))
    if mixed:
        model.cbMipImprovingSolution += lambda event: report(
            np.array(event.data_out.mip_solution), event.data_out.mip_dual_bound
        )
    setup_s = time.monotonic() - began
    solve_model(model, report)
    return replace(_answer(model, mixed), setup_s=setup_s), model


def _set(model: Any, caps: Caps, presolve: str) -> None:
    hand_over(caps, CAPS, model.setOptionValue)
    model.setOptionValue("presolve", presolve)
    model.setOptionValue("mip_abs_gap", 0.0)
    for name, value in caps.settings:
        if presolve == "choose" or name != "presolve":
            model.setOptionValue(name, value)


def _asked(caps: Caps, name: str) -> Value:
    model = silent()
    _set(model, caps, "choose")
    found: Value = model.getOptionValue(name)[1]
    return found


def _known() -> list[str]:
    return [name for name in dir(silent().getOptions()) if not name.startswith("_")]


def _takes(name: str, value: str) -> bool:
    import highspy

    accepted: bool = silent().setOptionValue(name, value) == highspy.HighsStatus.kOk
    return accepted


@cache
def _silent_class() -> Any:
    """Return the class of a HiGHS that never prints.

    HiGHS 1.16.0 prints a banner while it registers callbacks, which its constructor does.
    """
    from highspy import Highs

    class SilentHighs(Highs):  # type: ignore[misc]
        def enableCallbacks(self) -> None:  # noqa: N802
            self.setOptionValue("output_flag", False)
            super().enableCallbacks()

    return SilentHighs


@contextmanager
def silenced() -> Iterator[None]:
    """Keep HiGHS silent while another package, such as CVXPY, makes instances of it."""
    import highspy

    printing = highspy.Highs
    highspy.Highs = _silent_class()
    try:
        yield
    finally:
        highspy.Highs = printing


def silent() -> Any:
    """Return a HiGHS object without a program that prints no output."""
    model = _silent_class()()
    model.setOptionValue("allow_unbounded_or_infeasible", False)
    return model


def load(program: Matrix) -> Any:
    """Return a silent HiGHS with the program in it, or None if it rejects the numbers."""
    import highspy

    model, a = silent(), program.a
    sizes = (len(program.columns), len(program.rows), a.nnz)
    kinds = (int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMinimize))
    sides = (program.cost, program.lower, program.upper, program.row_lower, program.row_upper)
    entries = (a.indptr.astype(np.int32), a.indices.astype(np.int32), a.data)
    integer = program.integer.astype(np.int32)
    accepted = model.passModel(*sizes, *kinds, program.offset, *sides, *entries, integer)
    return None if accepted == highspy.HighsStatus.kError else model


def solve_model(model: Any, report: Report | None = None) -> None:
    """Run HiGHS so that Ctrl-C ends it at once, because its own handler prints."""
    model.HandleUserInterrupt = True
    interruptible(model.run, model.cancelSolve, report)


ENDS: dict[str, End] = {
    "kOptimal": SolutionStatus.OPTIMAL,
    "kModelEmpty": SolutionStatus.OPTIMAL,
    "kInfeasible": SolutionStatus.INFEASIBLE,
    "kUnbounded": SolutionStatus.UNBOUNDED,
    "kUnboundedOrInfeasible": SolutionStatus.UNBOUNDED,
    "kTimeLimit": TerminationReason.TIME_LIMIT,
    "kIterationLimit": TerminationReason.WORK_LIMIT,
    "kSolutionLimit": TerminationReason.WORK_LIMIT,
    "kInterrupt": TerminationReason.INTERRUPTED,
    "kHighsInterrupt": TerminationReason.INTERRUPTED,
    "kMemoryLimit": TerminationReason.MEMORY_LIMIT,
}

HOLDS = 2
"""HiGHS's number for a point that satisfies the rows."""


def end_of(model: Any) -> End:
    """Return how the run of HiGHS ended."""
    return ENDS.get(model.getModelStatus().name, TerminationReason.NUMERICAL)


def _answer(model: Any, mixed: bool) -> Solution:
    info, found, end = model.getInfo(), model.getSolution(), end_of(model)
    optimal = end is SolutionStatus.OPTIMAL
    stopped = isinstance(end, TerminationReason) and info.primal_solution_status == HOLDS
    bound = info.mip_dual_bound if mixed else info.objective_function_value
    return claim(
        end,
        model.modelStatusToString(model.getModelStatus()),
        point=np.array(found.col_value) if optimal or stopped else None,
        bound=bound if mixed or optimal else None,
        duals=np.array(found.row_dual) if optimal and not mixed else None,
        nodes=int(info.mip_node_count) if mixed else None,
    )


STATED: Stated = {
    "relative gap": ours("mip_rel_gap", 0),
    "absolute gap or increment": ours("mip_abs_gap", 0),
    "row tolerance": own("primal_feasibility_tolerance", 1e-7),
    "integer tolerance": own("mip_feasibility_tolerance", 1e-6),
    "infeasibility tolerance": own("dual_feasibility_tolerance", 1e-7),
    "presolve": ours("presolve", "choose"),
    "seed": ours("random_seed", 0),
    "threads": ours("threads", 1),
    "algorithm": own("solver", "choose"),
}

SOLVER = Solver(
    name="highs",
    module="highspy",
    install="ringyard",
    can=("lp", "milp", "start", "watch", "duals", "options"),
    run=run,
    plain=plain,
    options=SolverOptions(_known, _takes, {"time_limit": BY_LIMIT, "output_flag": MUTE}),
    stated=STATED,
    asked=_asked,
)


DEVEX = 1
"""HiGHS's number for devex pricing: edge weights that are cheap to update."""


class Optimum(NamedTuple):
    """The least value, a point that has it, and the dual of each row."""

    value: float
    point: Floats
    duals: Floats
    steps: int
    """Of the simplex method."""


class _Until:
    """Ends a run once `over` says so, like a listener that raises."""

    def __init__(self, over: Callable[[], bool]) -> None:
        self._over = over

    def __call__(self, point: Floats, bound: float | None) -> None:
        """Ignore the point: linear programs report none."""

    @property
    def ended(self) -> bool | None:
        return self._over() or None


class IncrementalLP:
    """A linear program to which columns and rows can be added. `integer` means nothing here."""

    def __init__(self, matrix: Matrix | None = None, *, most: int | None = None) -> None:
        """Load the program, or begin without columns and rows.

        With `most` no solve performs more simplex steps. Solves are cheaper, and more are needed.
        Costs are then not perturbed: in correcting for this, HiGHS 1.15.1 can loop forever if all
        sides of rows are 0.
        """
        if matrix is None:
            self._model = silent()
            return
        model = load(matrix)
        if model is None:
            raise RefusedError("HiGHS rejects the numbers of this program")
        everything = np.arange(len(matrix.columns), dtype=np.int32)
        model.changeColsIntegrality(
            len(everything), everything, np.zeros(len(everything), np.uint8)
        )
        if most is not None:
            model.setOptionValue("simplex_dual_edge_weight_strategy", DEVEX)
            model.setOptionValue("dual_simplex_cost_perturbation_multiplier", 0.0)
            model.setOptionValue("simplex_iteration_limit", most)
        self._model = model

    def add_column(
        self, cost: float, rows: Sequence[int], values: Sequence[float], upper: float = np.inf
    ) -> None:
        """Add a column with these values in these rows, at least 0."""
        places, numbers = np.asarray(rows, np.int32), np.asarray(values, float)
        self._model.addCol(cost, 0.0, upper, len(places), places, numbers)

    def add_row(
        self, columns: Sequence[int], values: Sequence[float], lower: float, upper: float = np.inf
    ) -> None:
        """Add a row with these values in these columns."""
        places, numbers = np.asarray(columns, np.int32), np.asarray(values, float)
        self._model.addRow(lower, upper, len(places), places, numbers)

    def basis(self) -> "tuple[list[HighsBasisStatus], list[HighsBasisStatus]]":
        """Return the statuses of columns and rows at the last optimum."""
        held = self._model.getBasis()
        return list(held.col_status), list(held.row_status)

    def begin_at(
        self,
        columns: "Iterable[HighsBasisStatus | None]",
        rows: "Iterable[HighsBasisStatus | None]",
    ) -> None:
        """Begin near a basis in which columns and rows have these statuses. None means basic."""
        from highspy import HighsBasis, HighsBasisStatus

        start, basic = HighsBasis(), HighsBasisStatus.kBasic
        start.col_status = [basic if one is None else one for one in columns]
        start.row_status = [basic if one is None else one for one in rows]
        start.valid = start.alien = True
        self._model.setBasis(start)

    def matrix(self) -> Matrix:
        """Return the program as it is now, its columns and rows called by their numbers."""
        from scipy.sparse import csc_array, csr_array

        held = self._model.getLp()
        a = held.a_matrix_
        shape, sparse = (held.num_row_, held.num_col_), (a.value_, a.index_, a.start_)
        wise = csr_array if a.format_.name == "kRowwise" else csc_array
        return Matrix(
            columns=tuple(f"column[{j}]" for j in range(held.num_col_)),
            rows=tuple(f"row[{i}]" for i in range(held.num_row_)),
            cost=np.array(held.col_cost_),
            offset=float(held.offset_),
            lower=np.array(held.col_lower_),
            upper=np.array(held.col_upper_),
            integer=np.zeros(held.num_col_, dtype=np.bool_),
            a=wise(sparse, shape=shape).tocsr(),
            row_lower=np.array(held.row_lower_),
            row_upper=np.array(held.row_upper_),
        )

    def solve(self, over: Callable[[], bool] | None = None) -> Optimum:
        """Return the optimum, starting from the basis of the last one.

        Raises:
            RefusedError: If there is no optimum. The message names the status of HiGHS. Also once
                `over` is true.
        """
        solve_model(self._model, over and _Until(over))
        if end_of(self._model) is not SolutionStatus.OPTIMAL:
            words = self._model.modelStatusToString(self._model.getModelStatus()).lower()
            raise RefusedError(f"this linear program has no optimum: HiGHS says {words}")
        found, info = self._model.getSolution(), self._model.getInfo()
        point, duals = np.array(found.col_value), np.array(found.row_dual)
        steps = int(info.simplex_iteration_count)
        return Optimum(info.objective_function_value, point, duals, steps)

    def centre(self) -> Floats:
        """Return a point near the centre of all optima, by an interior point method.

        If that fails, the optimum of `solve` is returned, which is a corner.
        """
        self._model.setOptionValue("solver", "ipm")
        self._model.setOptionValue("run_crossover", "off")
        solve_model(self._model)
        found, end = np.array(self._model.getSolution().col_value), end_of(self._model)
        self._model.setOptionValue("solver", "choose")
        self._model.setOptionValue("run_crossover", "on")
        return found if end is SolutionStatus.OPTIMAL else self.solve().point
