"""The rule `every plan`: it follows searches of transfers, and nothing beyond the best value."""

from fractions import Fraction
from random import Random

import pytest
from check.certificates.proofs import Lines, checked, claiming, mutated
from little import few
from transfers_small import by_lot, link, optimum, pending, plan_by_lot, update

from ringyard.analysis.check import check
from ringyard.analysis.check.certificates.transfers import every as every_plan
from ringyard.instances import TransfersInstance, digest
from ringyard.instances.catalogue import entries, load

CLOSED = ("tiny-transfers-s0", "tiny-transfers-s3", "tiny-transfers-s4")
"""Instances with an optimum that follows; above what all other rules say."""

LESS = Fraction(1, 10**6)


def saying(instance: TransfersInstance, value: Fraction) -> Lines:
    """Return the certificate that says that no plan is worth less."""
    head = {"certificate": 1, "instance": digest(instance), "family": "transfers"}
    step = {"rule": "every plan", "at_least": str(value)}
    return [{**head, "claim": {"at_least": str(value)}}, step]


def refusal(instance: TransfersInstance, value: Fraction) -> str:
    """Return why the certificate of a value is refused, nothing if it is not."""
    refused = checked(instance, saying(instance, value)).refused
    return refused.why if refused else ""


def of(name: str) -> tuple[TransfersInstance, Fraction]:
    """Return an instance of the catalogue with its best value."""
    instance, entry = load(name), entries()[name]
    assert isinstance(instance, TransfersInstance)
    assert entry.closed
    return instance, entry.upper[0].value


@pytest.mark.parametrize("name", few(1, reversed(CLOSED)))
def test_the_best_value_follows_and_no_more(name: str) -> None:
    instance, best = of(name)
    assert not refusal(instance, best)
    assert "a plan worth less than" in refusal(instance, best + LESS)


@pytest.mark.parametrize("name", few(0, ["tiny-transfers-s1", "tiny-transfers-s2"]))
def test_where_a_copy_comes_behind_its_update_less_follows(name: str) -> None:
    # Here copies may overtake the updates that they are of, which no plan can make them do.
    instance, best = of(name)
    assert not refusal(instance, best * Fraction(95, 100))
    assert refusal(instance, best)


@pytest.mark.parametrize("seed", range(300, 312))
def test_what_follows_is_never_above_what_trying_all_plans_finds(seed: int) -> None:
    # `optimum` has the judge price every plan there is.
    instance = by_lot(seed, 2, aggregators=2)
    best = optimum(instance)
    why = refusal(instance, best + LESS)
    assert "a plan worth less than" in why


@pytest.mark.parametrize("seed", range(20))
def test_no_plan_that_the_judge_accepts_is_missed(seed: int) -> None:
    instance = by_lot(seed, 4)
    plans = (plan_by_lot(number, instance) for number in range(40))
    verdicts = [check(instance, one) for one in plans]
    values = [one.objective for one in verdicts if one.valid and one.objective is not None]
    if values:
        assert refusal(instance, min(values) + LESS)


def test_one_link_is_passed_one_by_one() -> None:
    # Sizes 1, 2 and 3 over one link: the mean of 1, 3 and 6 is the best, and nothing is lost here.
    links = [link("switch", "server", 1), *(link(f"w-{name}", "switch", 9) for name in "abc")]
    updates = [update(name, size) for name, size in zip("abc", (3, 1, 2), strict=True)]
    instance = pending(links, updates, drop_s=30)
    assert not refusal(instance, Fraction(10, 3))
    assert refusal(instance, Fraction(10, 3) + LESS)


def test_no_damaged_proof_goes_beyond_the_best_plan() -> None:
    instance, best = of("tiny-transfers-s4")
    rng = Random("every plan")
    for _ in range(4):
        verdict = checked(instance, claiming(mutated(saying(instance, best), rng), best + LESS))
        assert not verdict.accepted
        assert all(value <= best for value in verdict.follows)


@pytest.mark.parametrize(
    ("name", "limit", "said"),
    [("MOST_WORK", 100, "more than 100 steps"), ("MOST_UPDATES", 3, "more than 3 updates")],
)
def test_what_is_too_large_is_refused(
    name: str, limit: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance, best = of("tiny-transfers-s4")
    monkeypatch.setattr(every_plan, name, limit)
    assert said in refusal(instance, best)
