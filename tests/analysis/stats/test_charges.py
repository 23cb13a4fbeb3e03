"""What runs are charged: successes their time, failures the limit, and nobody an infinity."""

import pytest
from stats_rows import failed, run

from ringyard.analysis.rows import answered
from ringyard.analysis.stats.cases import common_set
from ringyard.analysis.stats.means import charged_time, charged_times, times_to_success
from ringyard.instances.errors import InputError


def test_a_success_costs_its_seconds() -> None:
    assert charged_time(run(seconds=7.5), factor=10) == 7.5


def test_a_success_that_stopped_late_costs_the_limit() -> None:
    assert charged_time(run(seconds=100.3)) == 100


@pytest.mark.parametrize("factor", [1, 2, 10])
def test_a_failure_costs_a_multiple_of_the_limit_however_soon_it_came(factor: float) -> None:
    assert charged_time(failed(seconds=0.1), factor=factor) == factor * 100


def test_what_success_is_can_be_chosen() -> None:
    only_feasible = run(status="feasible", bound=8, seconds=60)
    assert charged_time(only_feasible) == 100
    assert charged_time(only_feasible, success=answered) == 60


def test_a_proof_that_there_is_no_schedule_is_a_success() -> None:
    assert charged_time(failed(status="infeasible", seconds=3)) == 3


def test_a_failure_without_a_limit_has_no_charge() -> None:
    with pytest.raises(InputError, match=r"i: a, seed 0: time_limit: found null, .* crashed"):
        charged_time(failed(time_limit=None))
    assert charged_time(run(time_limit=None)) == 5


def test_a_method_without_a_limit_is_charged_that_of_its_case() -> None:
    # Quick methods are run without a limit; where one fails, the others' limit is the charge.
    common = common_set([failed("a", time_limit=None), run("b")])
    assert charged_times(common, "a", factor=2) == [200]
    without = common_set([failed("a", time_limit=None), run("b", time_limit=None)])
    with pytest.raises(InputError, match="Set a time limit"):
        charged_times(without, "a")


@pytest.mark.parametrize(
    "wrong",
    [
        failed(violations=2, violation="capacity: slot 3", objective=9, status="error"),
        failed(status="error", note="ContradictionError: 9 below 10"),
        failed(status="infeasible"),
        run(objective=12, bound=12),
    ],
    ids=["invalid", "contradiction", "schedule exists", "bound crossed"],
)
def test_a_wrong_answer_is_charged_as_a_failure(wrong: dict[str, object]) -> None:
    common = common_set([wrong | {"seconds": 1.0}, run("b")])
    assert charged_times(common, "a", factor=10) == [1000]
    assert charged_times(common, "b") == [5]


def test_failures_have_no_time_to_success() -> None:
    runs = [run(seconds=2), failed(), run(seconds=101)]
    assert times_to_success(runs) == [2, None, 100]
