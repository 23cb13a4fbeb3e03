"""Profiles: by hand at every step, what holds of all, and what is refused."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stats_rows import failed, run

from ringyard.analysis.stats.cases import common_set
from ringyard.analysis.stats.comparisons import (
    cumulative,
    performance_profiles,
    ratio_profiles,
    solved_within,
    time_profiles,
)
from ringyard.instances.errors import InputError

COSTS = st.integers(1, 6).flatmap(
    lambda cases: st.lists(
        st.lists(st.none() | st.floats(0, 100), min_size=cases, max_size=cases),
        min_size=1,
        max_size=4,
    )
)


def test_heights_are_those_worked_out_by_hand() -> None:
    # Ratios of a: 1, 2, 1, none; of b: 3, 1, none, none.
    found = performance_profiles({"a": [2, 4, 7, None], "b": [6, 2, None, None]}, 0.5)
    assert (found["a"].places, found["a"].heights) == ((1, 2), (0.5, 0.75))
    assert (found["b"].places, found["b"].heights) == ((1, 3), (0.25, 0.5))
    heights = [found["b"](x) for x in (0.999, 1, 2.999, 3, inf)]
    assert heights == [0, 0.25, 0.25, 0.5, 0.5]


def test_ties_are_best_for_both() -> None:
    found = performance_profiles({"a": [3, 1], "b": [3, 2]}, 0.5)
    assert (found["a"](1), found["b"](1)) == (1, 0.5)


def test_times_below_the_floor_are_ties() -> None:
    found = performance_profiles({"a": [0, 0.004], "b": [0.009, 0.02]}, 0.01)
    assert found["a"].places == (1,)
    assert (found["b"].places, found["b"].heights) == ((1, 2), (0.5, 1))


@given(COSTS)
def test_a_profile_rises_to_the_part_that_succeeded(costs: list[list[float | None]]) -> None:
    named = dict(enumerate(costs))
    found = performance_profiles({str(name): values for name, values in named.items()}, 0.01)
    for name, values in named.items():
        steps = found[str(name)]
        there = sum(value is not None for value in values)
        assert steps.end == steps(inf) == there / len(values)
        assert list(steps.places) == sorted(set(steps.places))
        assert list(steps.heights) == sorted(set(steps.heights))
        assert all(
            steps(place) == height
            for place, height in zip(steps.places, steps.heights, strict=True)
        )
    anybody = sum(any(v is not None for v in case) for case in zip(*costs, strict=True))
    assert sum(steps(1) for steps in found.values()) >= anybody / len(costs[0]) - 1e-9


@given(COSTS, st.sampled_from([0.25, 2.0, 8.0]))
def test_units_do_not_matter(costs: list[list[float | None]], factor: float) -> None:
    one = {str(i): values for i, values in enumerate(costs)}
    other = {i: [None if v is None else factor * v for v in one[i]] for i in one}
    assert performance_profiles(one, 0.5) == performance_profiles(other, 0.5 * factor)


@pytest.mark.parametrize("value", [inf, -1.0])
def test_a_failure_is_none_and_not_a_number(value: float) -> None:
    with pytest.raises(InputError, match="a failed run"):
        performance_profiles({"a": [value], "b": [1]}, 0.01)


def test_methods_with_different_cases_have_no_profile() -> None:
    with pytest.raises(InputError, match="over the same cases"):
        performance_profiles({"a": [1, 2], "b": [1]}, 0.01)
    with pytest.raises(InputError, match="a floor above 0"):
        performance_profiles({"a": [1]}, 0)
    with pytest.raises(InputError, match="at least one"):
        cumulative([])


def test_times_of_rows() -> None:
    common = common_set([run("a", "i", seconds=2), failed("a", "j"), run("b", "i"), run("b", "j")])
    found = time_profiles(common)
    assert (found["a"].places, found["a"].heights) == ((1,), (0.5,))
    assert (found["b"].places, found["b"].heights) == ((1, 2.5), (0.5, 1))
    within = solved_within(common)
    assert (within["a"].places, within["b"].places) == ((2,), (5,))
    assert [within["a"](x) for x in (1.9, 2, 100)] == [0, 0.5, 0.5]


def test_ratios_of_rows() -> None:
    most = {"sense": "max", "status": "feasible", "bound_kind": "dual", "bound": 12}
    rows = [run("a", "i"), run("b", "i", objective=15, bound=8), run("a", "j", **most, objective=6)]
    common = common_set([*rows, run("b", "j", **most, objective=0)])
    to_best, to_bound = (ratio_profiles(common, r) for r in (common.best, common.bounds))
    assert (to_best["a"].places, to_best["a"].heights) == ((1,), (1,))
    # 15 / 10, and no factor makes 6 out of 0.
    assert (to_best["b"].places, to_best["b"].heights) == ((1.5,), (0.5,))
    assert to_bound["a"].places == (1, 2)


def test_a_ratio_to_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="Add a run of the method `bound`"):
        ratio_profiles(common_set([run(bound_kind="none")]), {})
    assert ratio_profiles(common_set([failed()]), {})["a"].end == 0
