"""Runs held against theorems: what decides a row, and a bounded sample of the large campaign."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice

import pytest
from injected import change

from ringyard.analysis.guarantees import FactorVerdict, Guarantee, all_guarantees, guarantees_of
from ringyard.campaigns.verifying import theorems as module
from ringyard.campaigns.verifying.theorems import (
    TheoremTally,
    VerifiedRuns,
    claimed_policies,
    instances_for,
    random_runs,
    verify,
)
from ringyard.instances import BoundKind, MakespanInstance, TerminationReason
from ringyard.instances.catalogue import load
from ringyard.instances.makespan.mix import random_instance
from ringyard.run import bound, solve
from ringyard.search.asked_bounds import AskedBounds

TIGHT = replace(all_guarantees()[0], name="tight", factor=lambda _: Fraction(1), hypotheses=())
"""Promises an optimum, and is not proved."""


def claim(monkeypatch: pytest.MonkeyPatch, guarantee: Guarantee) -> None:
    monkeypatch.setattr(module, "guarantees_of", lambda *_: (guarantee,))


def test_the_printed_theorem_fails_and_what_is_proved_holds() -> None:
    rows = verify(load("hand-theorem5"), ["sjf-bco", "sjf-bco-proved"])
    found = {(row.method, row.guarantee.name): row for row in rows}
    printed = found.pop(("sjf-bco", "theorem-5"))
    assert printed.verdict is FactorVerdict.VIOLATED
    assert (printed.value, printed.best, printed.factor) == (7, 6, 1)
    assert not printed.broken
    assert ("sjf-bco-proved", "assign-then-dispatch") in found
    assert {row.verdict for row in found.values()} == {FactorVerdict.HOLDS}


def test_a_better_schedule_refutes(monkeypatch: pytest.MonkeyPatch) -> None:
    claim(monkeypatch, TIGHT)
    row, exact = verify(load("hand-theorem5"), ["list-scheduling", "branch-and-bound"])
    assert (row.value, row.best, row.bound.value, row.verdict) == (7, 6, 6, FactorVerdict.VIOLATED)
    assert exact.verdict is FactorVerdict.HOLDS


def test_a_search_is_called_where_nothing_else_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    claim(monkeypatch, TIGHT)
    (row,) = verify(load("hand-theorem5"), ["list-scheduling"])
    assert (row.best, row.verdict) == (6, FactorVerdict.VIOLATED)
    (row,) = verify(load("hand-spread"), ["list-scheduling"])
    assert (row.bound.kind, row.verdict) == (BoundKind.SEARCHED, FactorVerdict.HOLDS)


def test_only_what_is_proved_can_be_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    for proved in (False, True):
        claim(monkeypatch, replace(TIGHT, proved=proved))
        (row,) = verify(load("hand-theorem5"), ["list-scheduling"])
        assert row.broken is proved


def test_what_a_solver_says_is_held_against_a_certified_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (row,) = verify(load("hand-spread"), ["linearised"])
    assert (row.guarantee.name, row.guarantee.proved) == ("optimal-by-solver", False)
    assert (row.bound.kind, row.verdict) == (BoundKind.SEARCHED, FactorVerdict.HOLDS)
    change(monkeypatch, "makespan", decides="", slow_bounds=uncertain)
    (row,) = verify(load("hand-spread"), ["linearised"])
    assert row.verdict is FactorVerdict.INCONCLUSIVE


def uncertain(instance: MakespanInstance, *_: object) -> AskedBounds:
    return AskedBounds(replace(bound(instance), kind=BoundKind.SOLVER))


def test_in_continuous_time_the_search_promises_no_optimum() -> None:
    (row,) = verify(load("hand-timing-continuous"), ["branch-and-bound"])
    assert (row.guarantee.name, row.verdict) == ("optimal", FactorVerdict.INCONCLUSIVE)
    assert "progress is continuous" in row.remark


def test_an_unmet_hypothesis_is_inconclusive_and_says_which() -> None:
    instance = replace(load("hand-theorem5"), progress="continuous")
    rows = verify(instance, ["list-scheduling"])
    assert {row.verdict for row in rows} == {FactorVerdict.INCONCLUSIVE}
    assert {row.factor for row in rows} == {None}
    assert all("needs whole slots" in row.remark for row in rows)


def test_no_schedule_is_inconclusive() -> None:
    instance = replace(load("hand-theorem5"), horizon_slots=2)
    rows = verify(instance, ["list-scheduling"])
    assert {(row.value, row.verdict) for row in rows} == {(None, FactorVerdict.INCONCLUSIVE)}
    assert "raise horizon_slots" in rows[0].remark


def test_a_method_that_refuses_is_inconclusive() -> None:
    rows = verify(load("mobihoc-20-s0"), ["branch-and-bound", "gang-lpt"])
    refused = [row for row in rows if row.method == "branch-and-bound"]
    assert [(row.factor, row.verdict) for row in refused] == [(None, FactorVerdict.INCONCLUSIVE)]
    assert "at most 62 jobs" in refused[0].remark


def test_a_run_that_was_cut_is_inconclusive() -> None:
    rows = verify(load("mobihoc-20-s0"), ["gang-lpt"], time_limit=1e-9)
    assert {row.remark for row in rows} == {"needs the whole run: time limit"}


def test_an_interrupt_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = solve(load("hand-lpt"), "gang-lpt")
    cut = replace(
        answer, outcome=replace(answer.outcome, termination=TerminationReason.INTERRUPTED)
    )
    monkeypatch.setattr(module, "solve", lambda *_, **__: cut)
    with pytest.raises(KeyboardInterrupt):
        verify(load("hand-lpt"), ["gang-lpt"])


def test_what_is_proved_of_the_papers_own_experiment_holds() -> None:
    rows = verify(load("mobihoc-20-s0"), claimed_policies())
    spoken = [row for row in rows if row.factor is not None]
    # Whole servers need equal ones.
    assert {row.method for row in spoken} == {
        name for name in claimed_policies() if not name.startswith("whole-server-list")
    }
    assert {row.verdict for row in spoken} == {FactorVerdict.HOLDS}


def campaign(count: int, seed: int) -> VerifiedRuns:
    found = VerifiedRuns()
    for part in random_runs(range(count), claimed_policies(), seed=seed):
        found.join(part)
    return found


def test_all_but_grahams_rule_needs_no_more_than_the_combinatorial_bound() -> None:
    for index in range(20):
        instance = random_instance(9, index)
        low = bound(instance).value
        for row in verify(instance, claimed_policies(), seed=index):
            if row.factor is not None and row.guarantee.proved:
                assert row.value is not None
                assert row.value <= row.factor * low or row.guarantee.name == "longest-first"


@pytest.mark.parametrize("count", [20, pytest.param(60, marks=pytest.mark.slow)])
def test_all_that_is_proved_holds_on_a_sample(count: int) -> None:
    found = campaign(count, seed=3)
    assert found.broken == []
    assert found.settled > 4 * count
    for name in {g.name for m in claimed_policies() for g in guarantees_of(m) if g.proved}:
        tally = found.tallies[name]
        assert tally.verdicts[FactorVerdict.HOLDS] == sum(tally.verdicts.values()) > count / 4
        assert tally.worst is not None
        assert tally.worst.ratio is not None
        assert tally.worst.ratio > 1


def test_parts_of_a_campaign_join_to_the_whole() -> None:
    parts = list(islice(random_runs(range(6), ["random"], seed=3), 6))
    left, right = VerifiedRuns(), VerifiedRuns()
    for part in parts:
        left.join(part)
    for part in reversed(parts):
        right.join(part)
    assert left.tallies["ascending"].points == right.tallies["ascending"].points
    assert sorted(left.ratios["random"]) == sorted(right.ratios["random"])
    assert left.tallies["ascending"].nearest == right.tallies["ascending"].nearest
    assert left.runs == right.runs == 6 - sum(not part.runs for part in parts)


def test_a_tally_sums_up_ratios_and_factors() -> None:
    row = verify(load("hand-theorem5"), ["list-scheduling"])[0]
    tally = TheoremTally()
    for value, factor in ((6, 1), (9, 4), (12, 3)):
        tally.add(replace(row, value=Fraction(value), factor=Fraction(factor)))
    tally.add(replace(row, factor=None))
    assert tally.worst is not None
    assert (tally.mean, tally.worst.ratio, tally.silent) == (1.5, 2, 1)
    assert (tally.usual, tally.nearest) == (3, Fraction(2, 3))
    assert (TheoremTally().mean, TheoremTally().usual) == (None, None)


@pytest.mark.parametrize(
    "method",
    [
        pytest.param("sjf-bco:theta=none:mode=pack", marks=pytest.mark.slow),
        pytest.param(
            "sjf-bco:kappa=1000:theta=none:ties=shortest:estimate=fastest", marks=pytest.mark.slow
        ),
        "sjf-bco-proved:estimate=fastest:ties=shortest",
    ],
)
def test_what_is_proved_holds_with_options_too(method: str) -> None:
    found = VerifiedRuns()
    for part in random_runs(range(80), [method], seed=8):
        found.join(part)
    assert found.broken == []
    proved = [found.tallies[g.name] for g in guarantees_of(method) if g.proved]
    spoken = [tally.verdicts for tally in proved if tally.points]
    assert spoken
    for verdicts in spoken:
        assert verdicts[FactorVerdict.HOLDS] == sum(verdicts.values()) > 10


def test_a_number_names_one_instance() -> None:
    assert random_instance(4, 5) == random_instance(4, 5)
    assert random_instance(4, 5) != random_instance(5, 5)
    assert instances_for(10, ["a", "b", "c"]) == 4
