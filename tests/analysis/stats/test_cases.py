"""Only the same cases are compared; what is missing or twice is said."""

from random import Random

import pytest
from stats_rows import failed, run

from ringyard.analysis.stats.cases import common_set
from ringyard.instances.errors import InputError


def test_a_missing_run_is_refused_by_name() -> None:
    rows = [run("a", "i"), run("b", "i"), run("a", "j")]
    message = r"j: b, seed 0: .* expected a run, as for a \(1 of 2 cases are incomplete\)"
    with pytest.raises(InputError, match=message):
        common_set(rows)


def test_a_restriction_says_how_much_it_left_out() -> None:
    common = common_set([run("a", "i"), run("b", "i"), run("a", "j")], restrict=True)
    assert (len(common.cases), common.left_out) == (1, 1)
    assert [row["instance"] for row in common.runs["a"]] == ["i"]


def test_seeds_and_repetitions_are_cases() -> None:
    rows = [run(m, seed=s, repetition=r) for m in "ab" for s in (0, 1) for r in (0, 1)]
    assert len(common_set(rows).cases) == 4


def test_nothing_in_common_is_refused() -> None:
    with pytest.raises(InputError, match="expected a case that all methods ran"):
        common_set([run("a", "i"), run("b", "j")], restrict=True)
    with pytest.raises(InputError, match="a run of at least one method"):
        common_set([run("bound")])


def test_two_runs_of_one_method_on_one_case_are_refused() -> None:
    with pytest.raises(InputError, match=r"that differ in time_limit, solver_version\. Choose"):
        common_set([run(), run(time_limit=50.0, solver_version="2")])


def test_methods_with_other_limits_are_not_compared() -> None:
    with pytest.raises(InputError, match=r"i: time_limit: found 100.* expected 50"):
        common_set([run("a"), run("b", time_limit=50.0)])


def test_bounds_alone_compete_with_nobody_and_are_references() -> None:
    lone = failed("bound", bound=9, bound_kind="dual", time_limit=1.0)
    common = common_set([run("a", status="feasible", bound=7), lone])
    assert list(common.runs) == ["a"]
    assert (common.bounds, common.best) == ({("digest of i", None): 9}, {("digest of i", None): 10})


def test_a_solvers_word_is_no_certified_bound() -> None:
    assert common_set([run(bound_kind="solver")]).bounds == {}


def test_the_order_of_rows_is_irrelevant() -> None:
    rows = [run(m, i, seed=s) for m in "abc" for i in "ijk" for s in range(3)]
    mixed = Random(0).sample(rows, len(rows))
    assert common_set(mixed) == common_set(rows)
    assert list(common_set(mixed).runs) == ["a", "b", "c"]


def test_a_run_without_a_seed_stands_for_all_of_its_instance() -> None:
    rows = [run("a", "i", seconds=7), *(run("b", i, seed=s) for i in "ij" for s in (1, 2))]
    with pytest.raises(InputError, match="declare the method deterministic"):
        common_set(rows)
    common = common_set(rows, seedless=["a"], restrict=True)
    # Seed 0 of i has no run of b, and j none of a.
    assert [case.seed for case in common.cases] == [1, 2]
    assert [row["seconds"] for row in common.runs["a"]] == [7, 7]
    assert common.left_out == 3
    assert len(common_set(rows, seedless=["a", "c"], restrict=True).cases) == 2


def test_repetitions_are_not_spread() -> None:
    rows = [run("a"), *(run("b", repetition=r) for r in (0, 1))]
    assert len(common_set(rows, seedless=["a"], restrict=True).cases) == 1


def test_what_ran_stands_for_itself_and_the_least_seed_for_the_rest() -> None:
    ours = [run("a", seed=1, seconds=1), run("a", seed=2, seconds=2)]
    common = common_set([*ours, *(run("b", seed=s) for s in (1, 2, 3))], seedless=["a"])
    assert [row["seconds"] for row in common.runs["a"]] == [1, 2, 1]
