"""The kinds of figures: what their curves and points stand for."""

from dataclasses import replace
from decimal import Decimal
from math import inf
from typing import Any

import pytest
from figures.painted import assert_readable, names, notes, points, row
from gantt.drawing import RINGS, TOGETHER
from gantt.slotted import INSTANCE, PLAN
from gantt.test_fleet import LOG, PATH

import ringyard
from ringyard.analysis.figures.comparisons import (
    completion_times,
    convergence,
    ecdf,
    ecdf_of,
    factors,
    factors_of,
    pareto_front,
    profile,
    ratio_profile_of,
    ratios_of,
    time_profile_of,
    tradeoff,
    tradeoff_of,
    unit_of,
)
from ringyard.analysis.sources import Sources
from ringyard.instances.errors import InputError


def test_completion_times_begin_at_the_release() -> None:
    assert completion_times(RINGS, ringyard.check(RINGS, TOGETHER)) == [24, 12, 7]
    late = replace(RINGS, jobs=(*RINGS.jobs[:2], replace(RINGS.jobs[2], release_slot=Decimal(2))))
    assert completion_times(late, ringyard.check(late, TOGETHER)) == [24, 12, 5]


def test_completion_times_of_fleets_are_in_hours() -> None:
    times = completion_times(PATH, ringyard.check(PATH, LOG))
    assert times == pytest.approx([400 / 3600, 650 / 3600])
    assert unit_of([{"family": "fleet"}]) == "h"


def test_a_job_that_is_turned_away_never_completes() -> None:
    assert completion_times(INSTANCE, ringyard.check(INSTANCE, PLAN)) == [4, 3, inf]


def test_ecdf_counts_jobs_that_never_complete() -> None:
    figure = ecdf({"a": [4, 2, 2, inf], "b": [8.0]})
    assert points(figure, "a") == [(2, 0), (2, 0.5), (4, 0.75), (8, 0.75)]
    assert points(figure, "b")[-1] == (8, 1)
    assert figure.axes[0].get_xscale() == "log"
    assert_readable(figure)


@pytest.mark.parametrize("times", [{}, {"a": []}, {"a": [3.0]}, {"a": [inf]}])
def test_ecdf_of_little(times: Any) -> None:
    assert len(ecdf(times).axes[0].lines) == sum(map(bool, times.values()))
    assert_readable(ecdf(times))


def test_ecdf_pools_what_all_methods_answered() -> None:
    late = replace(RINGS, jobs=(*RINGS.jobs[:2], replace(RINGS.jobs[2], release_slot=Decimal(2))))
    instances = {"i": RINGS, "k": late}
    rows = [row(name, method, schedule="x") for name in instances for method in ("a", "b")]
    figure = ecdf_of(
        [*rows, row("third", "a", schedule="x")], lambda row: (instances[row["instance"]], TOGETHER)
    )
    rises = [(5, 1 / 6), (7, 2 / 6), (12, 4 / 6), (24, 1)]
    assert points(figure, "a") == points(figure, "b") == [(5, 0), *rises, (24, 1)]
    assert notes(figure) == "over the 2 of 3 cases that all methods answered"


def test_a_profile_begins_at_the_factor_1_and_drops_failures() -> None:
    figure = profile({"a": [(1, 0.5), (3, 0.75), (inf, 1)], "b": [(2, 1)]}, across="factor")
    assert points(figure, "a") == [(1, 0.5), (3, 0.75), (3, 0.75)]
    assert points(figure, "b") == [(1, 0), (2, 1), (3, 1)]


def test_profiles_of_rows() -> None:
    rows = [
        row("i", "a", status="optimal", seconds=1.0, objective=10),
        row("i", "b", status="optimal", seconds=4.0, objective=10),
        row("k", "a", status="optimal", seconds=6.0, objective=8),
        row("k", "b", seconds=60.0, objective=12, time_limit=60.0),
    ]
    times = time_profile_of(rows)
    assert points(times, "a")[0] == (1, 1)
    assert points(times, "b") == [(1, 0), (4, 0.5), (4, 0.5)]
    assert points(ratio_profile_of(rows), "b") == [(1, 0.5), (1.5, 1), (1.5, 1)]
    assert notes(times) == "over the 2 of 2 cases that all methods ran"
    with pytest.raises(InputError, match="expected a case that some method answered"):
        time_profile_of([rows[3] | {"status": "time_limit", "valid": False, "objective": None}])


def test_the_profile_of_heuristics_is_of_their_times_to_a_schedule_and_says_so() -> None:
    rows = [row("i", "a", seconds=1.0, objective=8), row("i", "b", seconds=3.0, objective=12)]
    times = time_profile_of(rows)
    assert points(times, "a")[0] == (1, 1)
    assert points(times, "b")[:2] == [(1, 0), (3, 1)]
    assert notes(times).endswith("no optimum is proved: times are times to a valid schedule")


def test_convergence_draws_what_was_found_and_what_was_known() -> None:
    path = [[0.5, 20, 8], [2.0, 15, None], [3.0, 12, 11]]
    rows = [
        row("i", "a", seconds=10.0, objective=12, trajectory=path, bound=11, bound_kind="dual"),
        row("i", "b", seconds=0.1, objective=14),
        row("i", "bound", objective=None, bound=11.5, bound_kind="searched"),
    ]
    figure = convergence(rows)
    assert points(figure, "a") == [(0.5, 20), (2, 15), (3, 12), (10, 12)]
    assert points(figure, "b") == [(0.1, 14)]
    assert points(figure, "proved bound") == [(0.1, 11.5), (10, 11.5)]
    (thin,) = (line for line in figure.axes[0].lines if line.get_label().startswith("_"))
    assert [(*point,) for point in thin.get_xydata()] == [(0.5, 8), (3, 11), (10, 11)]
    assert_readable(figure)


def test_convergence_counts_slots_in_whole_numbers() -> None:
    drawn = convergence([row("i", "a", trajectory=[(0.1, 11, 9), (0.2, 9, 9)])])
    assert all(float(tick).is_integer() for tick in drawn.axes[0].get_yticks())


def test_convergence_names_runs_of_one_method_by_seed() -> None:
    rows = [row("i", "a", seed=s, repetition=r) for s, r in ((0, 0), (1, 0), (1, 1))]
    drawn = convergence([*rows, row("i", "b")])
    assert names(drawn) == [
        "a, seed 0",
        "a, seed 1",
        "a, seed 1, run 1",
        "b",
    ]


def test_on_a_logarithmic_axis_nothing_came_before_a_millisecond() -> None:
    rows = [row("i", "a", seconds=2.0, trajectory=[[0.0, 9, None], [1.0, 8, None]])]
    figure = convergence(rows, log_time=True)
    assert points(figure, "a")[0] == (0.001, 9)
    assert_readable(figure)


def test_nothing_converges() -> None:
    assert_readable(convergence([]))
    assert_readable(convergence([row("i", "a", objective=None, valid=False, status="unknown")]))


def test_the_pareto_front_is_what_nobody_beats() -> None:
    some = [(1.0, 9.0), (2.0, 9.0), (2.0, 5.0), (3.0, 6.0), (4.0, 5.0), (5.0, 1.0), (1.0, 9.0)]
    assert pareto_front(some) == [(1, 9), (2, 5), (5, 1)]
    figure = tradeoff({"a": some}, across="s", up="%")
    assert points(figure, "Pareto front") == [(1, 9), (2, 5), (5, 1), (5, 1)]
    assert points(figure, "a") == sorted(some)


def test_the_tradeoff_is_over_what_all_answered() -> None:
    rows = [
        row("i", "a", seconds=1.0, objective=10),
        row("i", "b:k=1", options="k=1", seconds=4.0, objective=8),
        row("k", "a", seconds=4.0, objective=10),
        row("k", "b:k=1", options="k=1", seconds=9.0, objective=20),
        row("l", "a", seconds=999.0, objective=99),
        row("l", "b:k=1", options="k=1", objective=None, valid=False, status="unknown"),
    ]
    figure = tradeoff_of(rows)
    assert points(figure, "a") == [pytest.approx((2, 12.5))]
    assert points(figure, "b") == [pytest.approx((6, 50))]
    assert notes(figure) == "over the 2 of 3 cases that all methods answered"
    with pytest.raises(InputError, match="a case that every method answered"):
        tradeoff_of(rows[4:])


def test_the_tradeoff_of_large_objectives() -> None:
    best, worse = (row("i", m, sense="max", objective=v) for m, v in (("a", 8), ("b", 6)))
    assert points(tradeoff_of([best, worse]), "b") == [pytest.approx((1, 25))]


def test_ratios_are_held_against_the_best_bound() -> None:
    rows = [
        row("i", "a", objective=12, bound=8, bound_kind="combinatorial"),
        row("i", "bound", objective=None, valid=False, bound=10, bound_kind="dual"),
        row("k", "a", sense="max", objective=4, bound=6, bound_kind="searched"),
        row("l", "a", sense="max", objective=0, bound=6, bound_kind="searched"),
        row("m", "a", objective=5, bound=4, bound_kind="solver"),
    ]
    figure = ratios_of(rows)
    assert points(figure, "a") == [(10, 1.2), (6, 1.5)]
    assert points(figure, "optimal") == [(6, 1), (10, 1)]
    assert notes(figure) == "left out: 1 answers without a ratio"
    assert_readable(figure)
    assert_readable(ratios_of([]))


def test_factors_have_a_diagonal() -> None:
    figure = factors({"a": [(4, 2), (3, 1)]})
    assert points(figure, "ratio = factor") == [(1, 1), (4, 4)]
    assert_readable(factors({}))


def test_factors_of_runs_that_a_theorem_speaks_of() -> None:
    known = ringyard.load("hand-theorem5")
    rows = [
        row("i", "sjf-bco", bound=5, bound_kind="searched"),
        row("i", "branch-and-bound", objective=5),
        row("i", "random", termination="time_limit"),
        row("i", "local-search"),
    ]

    def unmet(guarantee: Any, row: Any, instance: Any) -> str | None:
        assert instance is known
        return None if guarantee.name in ("ascending", "optimal") else "not now"

    figure = factors_of(rows, Sources(instance=lambda _: known, unmet=unmet))
    assert {*names(figure)} - {"ratio = factor"} == {"sjf-bco", "branch-and-bound"}
    ((x, y),) = points(figure, "sjf-bco")
    assert x > 1
    assert y == 2
    assert points(figure, "branch-and-bound") == [(1, 1)]
    with pytest.raises(InputError, match="a run to which a proved theorem applies"):
        factors_of(rows, Sources(instance=lambda _: known))
