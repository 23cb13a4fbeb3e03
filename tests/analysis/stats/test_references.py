"""References are the best there is, and a ratio is how much worse a value is."""

import pytest
from stats_rows import failed, run

from ringyard.analysis.stats.references import best_bounds, best_values, ratio
from ringyard.instances.errors import InputError


@pytest.mark.parametrize(("sense", "value", "bound"), [("min", 11, 9), ("max", 14, 7)])
def test_the_best_value_and_the_tightest_bound(sense: str, value: float, bound: float) -> None:
    rows = [
        run(sense=sense, objective=objective, bound=bound, bound_kind=kind)
        for objective, bound, kind in ((14, 7, "dual"), (11, 9, "combinatorial"))
    ]
    rows += [failed(sense=sense, objective=0), run(sense=sense, objective=12, bound_kind="none")]
    key = ("digest of i", None)
    assert (best_values(rows), best_bounds(rows)) == ({key: value}, {key: bound})


def test_a_bound_of_a_solver_counts_where_it_is_asked_for() -> None:
    rows = [run(bound=8), run(bound=9, bound_kind="solver")]
    assert list(best_bounds(rows).values()) == [8]
    assert list(best_bounds(rows, ["searched", "solver"]).values()) == [9]


def test_a_ratio_follows_the_sense_and_zero_has_none() -> None:
    assert (ratio(15, 10, "min"), ratio(10, 15, "max")) == (1.5, 1.5)
    assert (ratio(0, 0, "min"), ratio(0, 0, "max")) == (1, 1)
    assert (ratio(3, 0, "min"), ratio(0, 3, "max")) == (None, None)
    with pytest.raises(InputError, match="Compare differences instead"):
        ratio(-1, 3, "min")
