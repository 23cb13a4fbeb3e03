"""Options behind a solver's name: tried before anything is solved, handed on, and recorded."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from ringyard.campaigns.runs import Run
from ringyard.cli import main
from ringyard.formulations.program import Caps, Matrix
from ringyard.formulations.solver_interface.solve import SOLVERS, find_solver, read_settings, solve
from ringyard.instances import SolutionStatus, TerminationReason
from ringyard.instances.catalogue import load
from ringyard.instances.errors import InputError
from ringyard.methods import find_method
from ringyard.testing.programs import packing, relaxed

GAP = {"highs": "mip_rel_gap", "scip": "limits/gap", "cp-sat": "relative_gap_limit"}
"""What three solvers call the gap at which they may stop."""

NUMBER = {
    "highs": "threads",
    "scip": "limits/nodes",
    "cp-sat": "num_workers",
    "highs-simplex": "threads",
    "glop": "random_seed",
    "glpk": "ps_tm_lim",
}

TIME = {
    "highs": "time_limit",
    "scip": "limits/time",
    "cp-sat": "max_time_in_seconds",
    "highs-simplex": "time_limit",
    "glop": "max_time_in_seconds",
    "glpk": "tm_lim",
}


def knapsack() -> Matrix:
    """Five knapsacks at once over thirty things."""
    rng, n = np.random.default_rng(1), 30
    weights = rng.integers(10, 99, size=(5, n)).astype(float)
    return Matrix(
        columns=tuple(f"x{i}" for i in range(n)),
        rows=tuple("abcde"),
        cost=-rng.integers(10, 99, n).astype(float),
        offset=0.0,
        lower=np.zeros(n),
        upper=np.ones(n),
        integer=np.ones(n, dtype=np.bool_),
        a=csr_array(weights),
        row_lower=np.full(5, -np.inf),
        row_upper=weights.sum(axis=1) // 3,
    )


@pytest.mark.parametrize(
    "solver",
    [pytest.param(one, marks=[pytest.mark.slow] if one == "cp-sat" else []) for one in GAP],
)
def test_an_option_is_handed_on(solver: str) -> None:
    """With half of the value as gap a solver may stop before it has proved anything."""
    exact = solve(knapsack(), solver)
    loose = solve(knapsack(), solver, Caps(settings=((GAP[solver], "0.5"),)))
    assert exact.status is SolutionStatus.OPTIMAL
    assert loose.termination is TerminationReason.DONE
    assert loose.status is SolutionStatus.FEASIBLE
    assert loose.bound is not None
    assert exact.value is not None
    assert loose.bound <= exact.value


@pytest.mark.parametrize("solver", NUMBER)
def test_what_a_solver_does_not_take_names_it(solver: str) -> None:
    for word, said in (
        ("nonsense=1", f"a name of an option of {solver}"),
        (f"{NUMBER[solver]}=many", f"a value that {solver} takes"),
        (f"{NUMBER[solver]}=99999999999999999999", f"a value that {solver} takes"),
        (f"{TIME[solver]}=5", "Use --time-limit"),
        (NUMBER[solver], "name=value"),
        (f"{NUMBER[solver]}=1:{NUMBER[solver]}=2", "each option once"),
    ):
        with pytest.raises(InputError, match=said) as error:
            find_method(f"linearised:{solver}:{word}", "makespan")
        assert f"options of {solver}" in str(error.value)


@pytest.mark.parametrize(
    ("solver", "option", "steps"),
    [
        ("glop", "max_number_of_iterations", "1"),
        ("glpk", "it_lim", "1"),
        ("highs-simplex", "simplex_iteration_limit", "1"),
        ("highs-pdlp", "pdlp_iteration_limit", "1"),
    ],
)
def test_a_limit_by_an_option_of_its_own_ends_a_solver(
    solver: str, option: str, steps: str
) -> None:
    found = solve(relaxed(packing()), solver, Caps(settings=((option, steps),)))
    assert found.termination is TerminationReason.WORK_LIMIT
    assert found.status is not SolutionStatus.OPTIMAL


def test_an_algorithm_cannot_be_set_twice() -> None:
    with pytest.raises(InputError, match="Take the solver of that name"):
        read_settings(find_solver("highs-ipm"), ["solver=simplex"])


def test_a_near_name_is_proposed() -> None:
    with pytest.raises(InputError, match="Did you mean 'mip_rel_gap'"):
        find_method("linearised:highs:mip_relgap=0.1", "makespan")


def test_solvers_without_names_of_options_say_so() -> None:
    assert find_solver("cplex").options is None
    with pytest.raises(InputError, match="passes none to cplex"):
        find_method("linearised:cplex:x=1", "makespan")
    told = {solver.name for solver in SOLVERS if "options" in solver.can}
    assert told == {solver.name for solver in SOLVERS if solver.options is not None}


def test_the_name_of_a_method_has_its_options_in_order() -> None:
    one, other = (
        find_method(f"linearised{words}", "makespan")
        for words in (":highs:threads=2:mip_rel_gap=0.01", ":mip_rel_gap=0.01:threads=2")
    )
    assert one == other
    assert one.name == "linearised:highs:mip_rel_gap=0.01:threads=2"
    assert one.settings == (("mip_rel_gap", "0.01"), ("threads", "2"))


def test_rows_and_keys_of_campaigns_have_them() -> None:
    run = Run(instance=load("hand-lpt"), method="linearised:highs:threads=2:mip_rel_gap=0.01")
    assert run.stated()["options"] == "mip_rel_gap=0.01:threads=2"
    assert run.stated()["solver"] == "highs"
    assert run.key != Run(instance=run.instance, method="linearised:highs:threads=2").key


def test_the_command_line_refuses_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "hand-lpt", "--method", "linearised:scip:limits/gap=-3"]) == 2
    assert "scip" in capsys.readouterr().err
    assert main(["compare", "hand-lpt", "--method", "linearised:highs:nonsense=1"]) == 2
