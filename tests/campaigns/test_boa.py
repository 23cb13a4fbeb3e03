"""BOA put to the test: known numbers, rows at equal spend, and a search that cannot win."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.families import FAMILIES
from ringyard.instances.generate import generate
from ringyard.methods import find_method
from ringyard.papers import boa
from ringyard.papers import boa as boa_oracles
from ringyard.papers.boa import bent, long_table, single
from ringyard.papers.boa.counterexamples import (
    Rival,
    certified_ratio,
    hunt_table,
    hunted,
    random_rival,
    varied,
)
from ringyard.papers.boa.equal_spend import (
    APPS,
    ASKED,
    BASE,
    FEW,
    FREE,
    LENGTHS,
    METHODS,
    ONLINE,
    POLLUX,
    STALLS,
    TERMS,
    TWO,
    USUAL,
    RentedRows,
    cases,
    instance,
    learning_table,
    spend_table,
    stall_statements,
    statements,
    terms_table,
)
from ringyard.run import ContradictionError, solve
from ringyard.simulation.fleet import simulate_decider, stream_of

SETTINGS = Settings(seeds=2, points=1)

FACTORS = {"boa": 1.0, "equal-width": 1.25, "pollux": 2.0, "static-fair": 4.0}


def made_up(run: Run) -> dict[str, Any]:
    """Return a row whose mean is so many times the bound, for all of the budget."""
    path = run.instance
    name = run.method.partition(":")[0]
    bound = float(FAMILIES["fleet"].bounds(path)[0].value)
    return {
        "method": run.method,
        "valid": name != "as-asked",
        "status": "unknown" if name == "as-asked" else "feasible",
        "note": "",
        "objective": (1 + 1e-9) * bound * FACTORS.get(name, 3.0),
        "mean_gpus": float(path.budget_gpus),
        "p95_jct_s": FACTORS.get(name, 3.0) ** 2,
    }


def rented(mix: str, terms: str = FREE, names: tuple[str, ...] = tuple(METHODS)) -> RentedRows:
    paths = tuple(instance(mix, seed, FEW, USUAL, terms) for seed in range(2))
    return RentedRows(
        paths=paths,
        rows={
            name: [made_up(Run(instance=path, method=METHODS[name])) for path in paths]
            for name in names
        },
    )


def test_methods_are_known() -> None:
    for name in METHODS.values():
        assert find_method(name, "fleet").name == name


def test_known_numbers_come_out_and_others_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [row[0] for row in boa_oracles.oracle().rows] == list(boa_oracles.WIDTHS)
    assert len(boa_oracles.whole().rows) == 4
    monkeypatch.setitem(boa_oracles.WIDTHS, "2.0", ("6", "9", "0.3332"))
    with pytest.raises(ContradictionError, match=r"0\.3333 where 0\.3332 is known"):
        boa_oracles.oracle()


def test_tables_follow_the_rows() -> None:
    one = rented(APPS)
    rows = {row[2]: row[3:] for row in spend_table({APPS: {USUAL: one}}, SETTINGS).rows}
    assert rows[ASKED] == (None,) * 5
    time, spent, over, tail, least = rows[POLLUX]
    assert spent == pytest.approx(100)
    assert (over.mean, least.mean) == (pytest.approx(2), pytest.approx(2))
    assert tail.mean == pytest.approx(4)
    assert time.mean == pytest.approx(2 * rows[BASE][0].mean)
    sentences = list(statements({APPS: {USUAL: one}}))
    assert "no run of 16 is below" in sentences[0]
    assert sentences[0].endswith("The nearest, BOA, has 1.00000 times that value")
    assert sentences[1].endswith(f"{POLLUX} over BOA here: {APPS} 2.00 (2.00 to 2.00)")
    (stalled,) = stall_statements({APPS: {STALLS: one, USUAL: one}})
    assert stalled.startswith("with stalls of 60 s at each change of GPUs")
    assert stalled.endswith(f"{POLLUX} over BOA here: {APPS} 2.00 (2.00 to 2.00)")
    assert not list(stall_statements({APPS: {USUAL: one}}))


def test_longer_paths_are_a_row_each() -> None:
    whole = list(cases(Settings(seeds=2)))
    assert [jobs for share, jobs in whole if share == USUAL] == list(LENGTHS)
    one = rented(APPS, names=(BASE, ONLINE))
    table = learning_table({(USUAL, FEW): one}, SETTINGS)
    ((share, jobs, over, tail, spent),) = table.rows
    assert (share, jobs, over.mean, tail.mean, spent) == (
        USUAL,
        FEW,
        *map(pytest.approx, (3, 9, 100)),
    )


def test_terms_say_what_they_break() -> None:
    under = {terms: rented(TWO, terms, (BASE,)) for terms in TERMS}
    rows = {row[1]: row[2:] for row in terms_table({TWO: under}, (BASE,)).rows}
    assert rows[FREE][0] == "all are met"
    assert rows["GPUs 120 s late"][0] == "GPUs at once"
    assert rows["nodes of 4"][0] == rows["billed by the hour"][0] != "all are met"
    assert rows[FREE][2] is None
    assert rows["nodes of 4"][2].mean == pytest.approx(1)


def test_a_row_below_the_program_is_an_error() -> None:
    one = rented(TWO, names=(BASE,))
    low = replace(
        one, rows={BASE: [row | {"objective": 0.99 * row["objective"]} for row in one.rows[BASE]]}
    )
    with pytest.raises(ContradictionError, match="boa gave a mean of"):
        low.over_least(BASE)


def test_paths_are_the_same_jobs_whatever_the_terms() -> None:
    plain = instance(APPS, 1, FEW)
    for terms in TERMS:
        other = instance(APPS, 1, FEW, "3", terms)
        assert other.jobs == plain.jobs
        assert other.budget_gpus > plain.budget_gpus


def test_one_width_between_points_by_hand() -> None:
    # s(1) = 1, s(3) = 1.2, s(4) = 4: the last point takes 1 GPU-hour for an hour of work.
    points = [(1.0, 1.0), (2.5, 1 / 1.2), (1.0, 0.25)]
    assert single(points, 1.0) == 0.25
    falling = [(1.0, 1.0), (3.0, 0.9), (2.0, 0.25)]
    assert single(falling, 1.5) == pytest.approx(0.975)
    assert single(falling, 2.0) == 0.25


def test_one_width_loses_with_steps_and_the_printed_program_more() -> None:
    *alone, together = bent().rows
    assert len(alone) == 6
    for _, _, best, printed in alone:
        assert 1.5 < best <= printed
    assert 1 < together[2] < 1.1


def test_one_width_loses_though_speed_per_gpu_never_rises() -> None:
    """Speeds between these points are linear, so widths between 2 and 4 are about as wasteful."""
    speeds = {1: 1.0, 2: 1.1, 4: 2.1}
    for (one, slow), (other, fast) in pairwise(speeds.items()):
        assert (fast - slow) / (other - one) <= slow / one
    budget, wide = 2 / 1.1, 4 / 2.1
    alone = single([(gpus / speed, 1 / speed) for gpus, speed in speeds.items()], budget)
    mixed = 1 + (1 / 2.1 - 1) * (budget - 1) / (wide - 1)
    assert (alone, mixed) == (pytest.approx(0.909, abs=5e-4), pytest.approx(0.526, abs=5e-4))


def test_a_long_run_is_near_the_program() -> None:
    rows = long_table(SETTINGS).rows
    for _, _, mean, expected, within, _, budget, ratio in rows:
        assert (expected, budget) == (pytest.approx(1 / 3), pytest.approx(2))
        assert (within == "yes") == (mean.low <= expected <= mean.high)
        assert 1 <= ratio < 1.001


@pytest.mark.slow
def test_the_hunt_improves_and_stays_above_the_program() -> None:
    hunt = hunted(SETTINGS)
    assert hunt.tries == 48
    for climb in hunt.climbs:
        assert 1 <= climb.ratio < climb.first * (1 + 1e-6)
    assert any(float(climb.ratio) < 0.95 * climb.first for climb in hunt.climbs)
    rows = hunt_table(hunt).rows
    assert min(row[3] for row in rows) == float(hunt.best.ratio)


def test_a_policy_below_the_program_would_be_found() -> None:
    fleet = generate("fleet-two-types", seed=1, jobs=5)
    stream, _ = stream_of(fleet)
    rival = random_rival(2, 1, False, np.random.default_rng(1))
    played = simulate_decider(stream, rival)
    assert certified_ratio(fleet, played) >= 1
    with pytest.raises(ContradictionError, match="times the certified least"):
        certified_ratio(fleet, replace(played, paid=played.paid * 100, end=stream.at + 1))


@pytest.mark.parametrize("whole", [False, True])
def test_rivals_stay_legal(whole: bool) -> None:
    rng = np.random.default_rng(5)
    rival = random_rival(2, 3, whole, rng)
    for _ in range(50):
        rival = varied(rival, whole, rng)
        assert isinstance(rival, Rival)
        assert (rival.widths >= 1000).all()
        assert rival.cap >= 1000
        assert not whole or not (rival.widths % 1000).any()
        assert "GPUs, at most" in rival.words()


def test_own_spend_is_that_of_the_judge() -> None:
    path = instance(TWO, 0, FEW)
    answer = solve(path, "equal-width")
    hours = Fraction(path.span_s) / 3600
    gpus = answer.verdict.leased / hours
    row = {"method": "equal-width", "valid": True, "objective": float(answer.objective)}
    one = RentedRows(paths=(path,), rows={BASE: [row | {"mean_gpus": float(gpus)}]})
    (ratio,) = one.over_least(BASE)
    assert 1 < ratio < float(answer.objective / answer.bound.value), "it leaves some unspent"
    assert one.spent(BASE) == pytest.approx(float(answer.verdict.spend / path.budget))


def test_runs_are_those_of_the_report() -> None:
    assert len(list(boa.runs(SETTINGS))) == 2 * (2 * (len(METHODS) + 4) + 2)


def test_no_method_is_below_the_program_for_its_own_spend() -> None:
    path = generate("fleet-stepped", seed=2, jobs=6, load=Decimal(20), billing_s=Decimal(60))
    hours = Fraction(path.span_s) / 3600
    ratios = {}
    for method in METHODS.values():
        answer = solve(path, method)
        if not answer.valid:
            continue
        row = {"method": method, "valid": True, "objective": float(answer.objective)}
        paid = {"mean_gpus": float(answer.verdict.leased / hours)}
        (ratios[method],) = RentedRows(paths=(path,), rows={BASE: [row | paid]}).over_least(BASE)
    assert len(ratios) >= 5
    assert min(ratios.values()) >= 1
    assert max(ratios.values()) > 1.5
