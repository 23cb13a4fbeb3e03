"""One line per method: every number by hand, and none where it would mean nothing."""

from random import Random

import pytest
from stats_rows import failed, run

from ringyard.analysis.rows import answered
from ringyard.analysis.stats.cases import count_runs
from ringyard.analysis.stats.summary import UNPROVED, summary
from ringyard.instances.errors import InputError

ROWS = [
    run("a", "i", seconds=10, trajectory=[[5, 20, None], [10, 10, 10]]),
    run("a", "j", seconds=30),
    failed("a", "k", status="timed out", seconds=100),
    run("b", "i", status="feasible", objective=15, bound=8, bound_kind="solver", seconds=100),
    run("b", "j", seconds=70),
    run("b", "k", status="feasible", objective=20, bound=12, bound_kind="dual", seconds=100),
]


def test_every_number_by_hand() -> None:
    found = summary(ROWS)
    a, b = found.methods
    assert (found.cases, found.left_out, found.together, found.shift) == (3, 0, 2, 10)
    assert (a.method, b.method, a.notes, b.notes) == ("a", "b", (), ())
    assert (a.counts.solved, a.counts.valid, a.counts.failed) == (2, 2, 1)
    assert (b.counts.solved, b.counts.valid, b.counts.feasible, b.counts.failed) == (1, 3, 2, 0)
    assert a.seconds is not None
    assert b.seconds is not None
    # (20 x 40 x 110)^(1/3) - 10, and (110 x 80 x 110)^(1/3) - 10.
    assert a.seconds.value == pytest.approx(88_000 ** (1 / 3) - 10)
    assert b.seconds.value == pytest.approx(968_000 ** (1 / 3) - 10)
    assert (a.scaled, b.scaled) == (1, pytest.approx(b.seconds.value / a.seconds.value))
    assert (a.median, b.median) == (30, 100)
    assert (a.par10, b.par10) == (pytest.approx(1040 / 3), pytest.approx(2070 / 3))
    # On i and j the bound is 10: ratios 1 and 1; 1.5 and 1.
    assert (a.ratio, b.ratio) == (pytest.approx(1), pytest.approx(1.5**0.5))
    assert (a.gap, b.gap) == (0, pytest.approx((5 / 15 + 0) / 2))
    # a: 5 s of 1 and 5 s of 1/2; 30 s; all 100 s. b: 100 s; 70 s; its answer came at the limit.
    assert a.primal_integral == pytest.approx((0.075 + 0.3 + 1) / 3)
    assert b.primal_integral == pytest.approx((1 + 0.7 + 1) / 3)


def test_success_can_be_a_valid_answer() -> None:
    b = summary(ROWS, success=answered, shift=0).methods[1]
    assert b.par10 == pytest.approx((100 + 70 + 100) / 3)
    assert b.seconds is not None
    assert (b.seconds.shift, b.seconds.value) == (0, pytest.approx(700_000 ** (1 / 3)))


def test_the_order_of_rows_is_irrelevant() -> None:
    assert summary(Random(1).sample(ROWS, len(ROWS))) == summary(ROWS)


def test_different_sets_are_refused_or_restricted() -> None:
    with pytest.raises(InputError, match="1 of 3 cases are incomplete"):
        summary(ROWS[:-1])
    found = summary(ROWS[:-1], restrict=True)
    assert (found.cases, found.left_out) == (2, 1)
    assert {line.counts.runs for line in found.methods} == {2}


def test_heuristics_are_not_charged_for_proofs_that_they_do_not_try() -> None:
    # One case that happens to be proved does not make a heuristic exact.
    ends = {"status": "feasible", "bound": None, "bound_kind": "none"}
    rows = [
        *(run("quick", f"i{i}", termination="done", seconds=0.0, **ends) for i in range(2)),
        run("quick", "i2", termination="done", seconds=0.0),
        *(run("exact", f"i{i}", seconds=5.0) for i in range(3)),
        *(run("late", f"i{i}", termination="time_limit", seconds=100.0, **ends) for i in range(3)),
    ]
    quick, exact, late = (
        next(line for line in summary(rows).methods if line.method == name)
        for name in ("quick", "exact", "late")
    )
    assert (quick.seconds, quick.par10, quick.scaled, quick.own) == (None, None, None, 0)
    assert UNPROVED in quick.notes
    # Who was stopped wanted more time, and pays for it.
    assert (late.seconds.value, late.par10) == (pytest.approx(100), 1000)
    assert (exact.scaled, exact.own) == (1, pytest.approx(5))


def test_a_failure_without_a_limit_leaves_no_mean_and_says_why() -> None:
    found = summary([failed("a", time_limit=None), run("b", time_limit=None)])
    a, b = found.methods
    assert (a.seconds, a.par10, a.median, a.scaled, b.scaled) == (None,) * 5
    assert b.seconds is not None
    assert any("no mean time" in note and "Set a time limit" in note for note in a.notes)
    assert any("1 cases have no time limit" in note for note in b.notes)


def test_an_infinite_ratio_is_no_mean() -> None:
    most = {"sense": "max", "status": "feasible", "bound": 12}
    found = summary([run("a", **most, objective=6), run("b", **most, objective=0)])
    a, b = found.methods
    assert (a.ratio, b.ratio) == (pytest.approx(2), None)
    assert b.notes == ("no mean ratio: it is infinite on 1 of 1 cases",)
    assert (a.gap, b.gap) == (0.5, 1)


def test_without_a_certified_bound_there_is_no_ratio() -> None:
    (a,) = summary([run(bound_kind="solver")]).methods
    assert (a.ratio, a.gap) == (None, None)
    assert a.notes == ("no mean ratio: no case has a proved bound and all answers",)


def test_a_method_without_any_answer_takes_nobody_elses_ratio_away() -> None:
    found = summary([*ROWS, *(failed("c", instance) for instance in "ijk")])
    a, b, c = found.methods
    assert (found.together, a.ratio, b.ratio) == (2, pytest.approx(1), pytest.approx(1.5**0.5))
    assert (c.ratio, c.gap) == (None, None)


def test_a_wrong_run_counts_as_failed_everywhere() -> None:
    wrong = run("a", objective=12, bound=12, seconds=1)
    a = summary([wrong, run("b")]).methods[0]
    assert (a.counts.wrong, a.counts.failed, a.counts.solved, a.counts.valid) == (1, 1, 0, 0)
    assert (a.par10, a.primal_integral) == (1000, 1)
    assert a.counts.statuses == {"wrong": 1}


def test_counts_say_what_is_missing() -> None:
    found = count_runs([*ROWS[:-1], failed("a", "l", status="refused"), run("bound", "m")])
    assert list(found) == ["a", "b"]
    assert (found["a"].runs, found["a"].missing, found["b"].missing) == (4, 0, 2)
    assert found["a"].statuses == {"optimal": 2, "refused": 1, "timed out": 1}
    assert (found["b"].feasible, found["b"].solved) == (1, 1)


def test_a_proof_without_a_schedule_is_no_failure() -> None:
    found = count_runs([failed("a", status="infeasible")])["a"]
    assert (found.solved, found.valid, found.failed) == (1, 0, 0)


def test_ratios_are_over_what_all_methods_answered() -> None:
    rows = [run("a", "i"), run("b", "i"), run("a", "j"), failed("b", "j")]
    for renamed in (rows, [{**row, "method": {"a": "z"}.get(row["method"], "b")} for row in rows]):
        assert summary(renamed).together == 1


def test_no_other_seeds_are_missing_of_a_method_that_has_none() -> None:
    rows = [run("a", seed=3), *(run("b", seed=seed) for seed in range(4))]
    assert count_runs(rows)["a"].missing == 3
    found = count_runs(rows, seedless=["a"])["a"]
    assert (found.runs, found.missing) == (1, 0)
    assert [line.counts.runs for line in summary(rows, seedless=["a"]).methods] == [4, 4]
