"""The methods for coded products: published values, and the best of all numbers of parts."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from check.coded.codes import LAWS, coded, number, plain, work

from ringyard.analysis.check import check
from ringyard.instances import (
    Bimodal,
    Limits,
    MeasuredTimes,
    ParetoTime,
    RefusedError,
    ShiftedExponential,
    TaskTime,
    TerminationReason,
)
from ringyard.instances.catalogue import load
from ringyard.instances.coded.mix import random_coded
from ringyard.methods import find_method
from ringyard.policies import coded as codes
from ringyard.policies.coded import (
    PointKind,
    best_parts,
    harmonic,
    mean_of,
    points_of,
    rounding,
    times_by_copies,
    times_by_parts,
)
from ringyard.run import solve
from ringyard.search.coded import combinatorial_bounds, refusal


@pytest.mark.parametrize(
    ("workers", "uncoded", "parts", "best"),
    [(10, "0.39290", 7, "0.29938"), (100, "0.06187", 69, "0.03131")],
)
def test_values_of_the_paper(workers: int, uncoded: str, parts: int, best: str) -> None:
    """With 1 + Exp(1), by Lee et al. 2018."""
    instance = work(workers)
    plain_answer, answer = solve(instance, "uncoded"), solve(instance)
    assert f"{float(plain_answer.objective or 0):.5f}" == uncoded
    assert f"{float(answer.objective or 0):.5f}" == best
    assert answer.schedule.parts == parts
    assert answer.status == "optimal"


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.model)
@pytest.mark.parametrize(("workers", "rows"), [(1, None), (2, 3), (9, None), (24, 50)])
def test_every_number_of_parts(law: TaskTime, workers: int, rows: int | None) -> None:
    """Closed forms equal the judge's expansions; fast ones nearly; the best is the best."""
    instance = work(workers, law, rows)
    near, copies = times_by_parts(instance), times_by_copies(instance)
    times: dict[int, Fraction] = {}
    for k in range(1, workers + 1):
        mean = mean_of(law, workers, k)
        exact = check(instance, coded(k, workers)).objective
        assert exact == (None if mean is None else instance.share(k) * mean)
        if exact is not None:
            times[k] = exact
            assert near[k - 1] == pytest.approx(float(exact), rel=rounding(law, workers))
        repeated = check(instance, plain(k)).objective
        assert copies[k - 1] == pytest.approx(float(repeated or "inf"), rel=1e-9)
    best = min(times, key=lambda k: (times[k], k))
    assert best_parts(instance) == (best, times[best])
    chosen = solve(instance, "replication").schedule
    assert copies[chosen.parts - 1] == copies.min()


def test_no_method_beats_the_bound_on_random_instances() -> None:
    """No method beats the bound, the best code meets it, and every answer is valid."""
    for index in range(60):
        instance = random_coded(1, index)
        bounds = combinatorial_bounds(instance)
        assert [b.value for b in bounds] == sorted((b.value for b in bounds), reverse=True)
        for method in ("mds", "replication", "uncoded"):
            answer = solve(instance, method)
            assert answer.schedule is None or answer.valid
            assert answer.objective is None or answer.objective >= bounds[0].value
            assert method != "mds" or answer.status == "optimal"


def test_the_best_code_of_ten_thousand_workers_is_found() -> None:
    """The difference between neighbours tells where the best code of 10,000 workers is."""
    found = best_parts(work(10_000))
    assert found is not None
    parts, value = found
    assert parts == 6822
    for k in (parts - 1, parts + 1):
        assert (1 + harmonic(range(10_001 - k, 10_001))) / k > value


def test_equal_times_take_the_fewest_parts() -> None:
    """Of one worker, or with rows that are never cut finer, more parts gain nothing."""
    assert best_parts(work(8, ShiftedExponential(least_s=number(0)), rows=1)) == (1, Fraction(1, 8))


@pytest.mark.parametrize(
    "law",
    [
        ParetoTime(tail=Decimal("1.000000000000000000001")),
        ParetoTime(tail=Decimal("0.5000000000000000001")),
        ShiftedExponential(least_s=Decimal("1e15"), rate_per_s=Decimal("1e-15")),
        Bimodal(slow=Decimal("1e-28")),
        Bimodal(slow=Decimal("0.999999999999999999999")),
        MeasuredTimes(times_s=(Decimal("1e-9"), Decimal("1e15"))),
    ],
    ids=str,
)
@pytest.mark.parametrize("workers", [1, 2, 7])
def test_the_best_code_is_found_where_floating_point_is_worst(law: TaskTime, workers: int) -> None:
    """Where floating point is worst, the best number of parts is still found."""
    instance = work(workers, law)
    exact = [check(instance, coded(k, workers)).objective for k in range(1, workers + 1)]
    answer = solve(instance)
    assert answer.objective == min((one for one in exact if one is not None), default=None)
    for method in ("replication", "uncoded"):
        answer = solve(instance, method)
        assert answer.valid == (answer.schedule is not None)


@pytest.mark.parametrize("kind", ["chebyshev", "equispaced", "integers"])
@pytest.mark.parametrize("workers", [1, 7, 5000])
def test_points_of_a_code_differ(kind: PointKind, workers: int) -> None:
    points = points_of(kind, workers)
    assert len(set(points)) == workers
    assert all(-1 < point < 1 for point in points) or kind == "integers"


def test_given_parts_and_points() -> None:
    answer = solve(work(4), "mds:parts=2:points=integers")
    assert answer.schedule.points == tuple(map(Decimal, (1, 2, 3, 4)))
    assert answer.status == "feasible"
    assert solve(work(4), "mds:parts=4").schedule.points == ()
    assert solve(work(4), "replication:parts=3").schedule.parts == 3


@pytest.mark.parametrize("method", ["mds:parts=5", "replication:parts=5"])
def test_more_parts_than_workers_are_refused(method: str) -> None:
    with pytest.raises(RefusedError, match="parts=5 exceeds the number of workers, 4"):
        solve(work(4), method)


def test_infinite_times_are_no_answers() -> None:
    heavy = work(3, ParetoTime(tail=number(0.3)))
    for method in ("mds", "mds:parts=2", "replication", "uncoded"):
        answer = solve(heavy, method)
        assert answer.schedule is None
        assert "infinite" in answer.outcome.note
    assert combinatorial_bounds(heavy)[0].value == 0


CASE = Path(__file__).parents[2] / "cases" / "coded-10000-workers.json"


def test_sums_of_ten_thousand_terms_agree_with_the_judge() -> None:
    """Added up term by term the judge's took 11 s; both count in another way."""
    answer = solve(load(CASE))
    assert answer.status == "optimal"
    assert answer.outcome.termination is TerminationReason.DONE


def test_sums_that_are_too_long_are_refused() -> None:
    """101 times have 100 steps, whose chances have denominators of three digits."""
    times = MeasuredTimes(times_s=tuple(number(1 + i) for i in range(101)))
    with pytest.raises(RefusedError, match=r"6,000,000 digits, more than 2,000,000"):
        solve(work(20_000, times))
    fine = MeasuredTimes(times_s=tuple(number(1 + i) for i in range(11)))
    assert refusal(work(20_000, fine)) is None


def test_once_the_time_is_up_nothing_is_summed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan is the best to floating point; no bound says how good it is."""
    over, instance = Limits(time_s=0.0), work(100)
    monkeypatch.setattr(codes, "mean_of", None)
    found = best_parts(instance, over)
    assert found is not None
    assert (found.parts, found.value) == (69, None)
    assert [bound.name for bound in combinatorial_bounds(instance, over)] == ["first worker"]
    outcome = find_method("mds", "coded").run(instance, over, np.random.default_rng(0))
    assert (outcome.schedule.parts, outcome.termination) == (69, TerminationReason.TIME_LIMIT)
