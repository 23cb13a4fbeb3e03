"""SJF-BCO's argument: the numbers of its example, and the steps of its proof, by hand."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import prod

import pytest

from ringyard.instances.catalogue import entries
from ringyard.papers.mobihoc.argument import STEPS, ArgumentStep, links_of
from ringyard.papers.mobihoc.example import (
    ALONE,
    PLACES,
    RINGS,
    TOGETHER,
    ExampleModel,
    example_statements,
    example_table,
    fitted,
    judged,
    modest,
)

SPREAD, INSIDE = PLACES
STEP = {step.name: step for step in STEPS}


def fair(place: str) -> ExampleModel:
    return ExampleModel(place, Decimal(1), Decimal(0))


def test_a_fair_link_asks_for_three_seconds_of_transfer_and_four_of_the_rest() -> None:
    """Three more transfers take 380 s more: one takes 380 / 3 s, and the rest what is left."""
    job = fitted(fair(SPREAD))
    assert job == (Fraction(380, 3), Fraction(505, 3))
    assert [round(judged(fair(SPREAD), job, rings), 6) for rings in (1, RINGS)] == [ALONE, TOGETHER]


def test_a_ring_inside_a_server_asks_for_less() -> None:
    """Alone its transfer takes a tenth: 4 - 1/10 of one are 380 s."""
    job = fitted(fair(INSIDE))
    assert job is not None
    assert job.transfer == Fraction(3800, 39)
    assert round(judged(fair(INSIDE), job, 1), 6) == ALONE
    assert round(judged(fair(INSIDE), job, RINGS), 6) == TOGETHER


@pytest.mark.parametrize("share", ["0.25", "0.5"])
def test_rings_that_hardly_collide_cannot_take_so_long(share: str) -> None:
    """Twice as long a transfer is at most twice as long a job, and 675 s are more."""
    assert fitted(ExampleModel(SPREAD, Decimal(share), Decimal(0))) is None


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("degradation", [0, 3, 1000])
def test_with_fifteen_per_cent_no_four_take_more_than_347_s(place: str, degradation: int) -> None:
    model = ExampleModel(place, Decimal(1), Decimal(degradation))
    job = modest(model)
    assert round(judged(model, job, 1), 6) == ALONE
    end = judged(model, job, RINGS)
    assert model.slow * job.transfer == pytest.approx(0.15 * float(end), rel=1e-6)
    assert end <= ALONE / Fraction(85, 100)


def test_the_sentence_on_the_example_is_there_only_if_it_comes_out_somewhere() -> None:
    table = example_table()
    (said,) = example_statements(table)
    assert "at most 347. The time is 675 s under 14 of 18 models" in said
    assert "transfers 0.75 s" in said
    nowhere = replace(table, rows=tuple(row for row in table.rows if row[4] is None))
    assert not list(example_statements(nowhere))


def test_the_steps_of_the_counterexample() -> None:
    """Loads of 6 are possible, no limit below 7 is feasible, and everything ends at 7."""
    found = links_of(entries()["hand-theorem5"])
    assert found is not None
    assert (found.widest, found.phi, found.least, found.proved, found.best) == (1, 1, 6, True, 6)
    assert (found.run.limit, found.run.again, found.run.busy, found.run.makespan) == (7, 7, 7, 7)
    assert found.kept == 7
    broken = [step.name for step in STEPS if step.broken([found])]
    assert broken == ["Lemma 4", "Theorem 5"]


def test_loads_by_estimates_break_lemma_3() -> None:
    """Rings of two GPUs: loads are 4, and what they share makes them end at 10."""
    found = links_of(entries()["hand-spread-slow"])
    assert found is not None
    assert (found.widest, found.run.limit, found.run.makespan) == (2, 4, 10)
    assert STEP["Lemma 3, as printed"].broken([found]) == ["hand-spread-slow"]
    assert not STEP["Lemma 3, of busy GPUs"].broken([found])


@pytest.mark.parametrize("name", ["hand-idling", "small-05x2", "mobihoc-20-s0"])
def test_what_the_steps_lose_is_what_the_run_loses(name: str) -> None:
    found = links_of(entries()[name])
    assert found is not None
    lost: list[ArgumentStep] = [step for step in STEPS if step.name not in {"Lemma 3, as printed"}]
    product = prod(step.seen(found) for step in lost if step.name != "Theorem 5")
    assert product == found.run.makespan / found.best
    assert found.kept <= found.run.makespan


@pytest.mark.parametrize("name", ["hand-fluid", "hand-reserve-release", "hand-contend-floor"])
def test_the_proof_says_nothing_of_other_instances(name: str) -> None:
    assert links_of(entries()[name]) is None
