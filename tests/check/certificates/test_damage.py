"""What each number of a certificate is for: with another, less follows, or nothing."""

from fractions import Fraction
from typing import Any

import pytest
from check.certificates.proofs import Lines, changed, checked, lines_of

from ringyard.families import family_of
from ringyard.instances import NO_LIMITS, Instance
from ringyard.instances.catalogue import load


def proof_of(instance: Instance, name: str) -> Lines:
    """Return the certificate of a bound by its name."""
    family = family_of(instance)
    known = {bound.name: bound for bound in family.bounds(instance)}
    if name not in known:
        known |= {bound.name: bound for bound in family.asked(instance, NO_LIMITS, None).found}
    return lines_of(instance, known[name])


def worse(instance: Instance, lines: Lines, **values: Any) -> bool:
    """Return True if a proof with other values in its step is understood and proves less."""
    before, after = checked(instance, lines), checked(instance, changed(lines, with_values(values)))
    assert before.accepted
    assert after.refused is not None
    assert "it claims" in after.refused.why
    return len(after.follows) == 1


def with_values(values: dict[str, Any]) -> Any:
    """Return the change of a step that puts these into it."""
    return lambda step: step.update(values)


def refused(instance: Instance, lines: Lines, **values: Any) -> str:
    """Return why a step is refused with other values."""
    verdict = checked(instance, changed(lines, with_values(values)))
    assert verdict.refused is not None
    assert not verdict.follows
    return verdict.refused.why


@pytest.mark.parametrize("name", ["boa-two-types", "rental-small-s0", "tiny-fleet-4"])
def test_another_price_of_gpus_proves_less(name: str) -> None:
    instance = load(name)
    lines = proof_of(instance, "price of GPUs")
    price = Fraction(lines[-1]["gpu_hour"])
    assert worse(instance, lines, gpu_hour=str(price * Fraction(9, 10)))
    assert worse(instance, lines, gpu_hour=str(price * Fraction(11, 10)))
    # Below 0, GPUs would be paid for by no budget.
    assert "at least 0" in refused(instance, lines, gpu_hour=str(-price))


def test_another_price_of_a_resource_proves_less() -> None:
    instance = load("hand-online-trap")
    lines = proof_of(instance, "knapsack of gpu")
    price = Fraction(lines[-1]["price"])
    assert worse(instance, lines, price=str(price / 2))
    assert worse(instance, lines, price=str(price * 2))
    assert "at least 0" in refused(instance, lines, price=str(-price))
    assert "expected a text" in refused(instance, lines, resource=["gpu"])


def test_other_prices_of_rings_prove_less() -> None:
    instance = load("gadget-small-04x3x5")
    lines = proof_of(instance, "knapsack of gpu")
    prices = [Fraction(one) for one in lines[-1]["prices"]]
    for factor in (Fraction(1, 2), Fraction(3, 2)):
        assert worse(instance, lines, prices=[str(factor * price) for price in prices])
    assert "prices for" in refused(instance, lines, prices=lines[-1]["prices"][1:])
    assert "negative" in refused(instance, lines, prices=[-1, *lines[-1]["prices"][1:]])


def test_prices_of_machines_in_slots_count() -> None:
    instance = load("pdors-small-03x2x4")
    lines = proof_of(instance, "prices")
    step = lines[-1]
    assert worse(instance, lines, rows=[[0] * len(row) for row in step["rows"]])
    # At half of the unit, every price is twice what it was.
    assert worse(instance, lines, unit=str(Fraction(step["unit"]) / 2))
    assert "negative" in refused(instance, lines, rows=[[-1] * len(row) for row in step["rows"]])
    assert "a row for each" in refused(instance, lines, rows=[row[1:] for row in step["rows"]])
    assert "starts must begin" in refused(instance, lines, starts=[1, *step["starts"][1:]])
    assert "parts for" in refused(instance, lines, parts=step["parts"][1:])
    assert "too many" in refused(instance, lines, parts=[10**9] * len(step["parts"]))


def test_a_worker_left_out_of_an_order_proves_less() -> None:
    instance = load("tiny-shuffle-12x5")
    lines = proof_of(instance, "order of workers")
    orders = lines[-1]["orders"]
    assert worse(instance, lines, orders=[order[1:] for order in orders])
    assert worse(instance, lines, orders=[])
    twice = [[*order, *order] for order in orders]
    assert "each once" in refused(instance, lines, orders=twice)
    assert "each once" in refused(instance, lines, orders=[[0, 99]])


@pytest.mark.parametrize("rule", ["one machine", "each alone", "busy times"])
def test_a_weaker_rule_of_traces_proves_less(rule: str) -> None:
    instance = load("tiny-trace-05x2-widths")
    assert worse(instance, proof_of(instance, "end by end"), rule=rule)


def test_prices_of_intervals_count() -> None:
    instance = load("tiny-trace-05x2")
    lines = proof_of(instance, "cheapest plans")
    step = lines[-1]
    starts = step["starts"]
    assert worse(instance, lines, prices=[[0] * len(row) for row in step["prices"]])
    assert "negative" in refused(
        instance, lines, prices=[[-1] * len(row) for row in step["prices"]]
    )
    assert "starts must increase" in refused(
        instance, lines, starts=[start + 9 for start in starts]
    )
    assert "starts must increase" in refused(instance, lines, starts=starts[::-1])
    assert "for each pool" in refused(instance, lines, pools=[])


def test_a_pool_without_servers_that_a_job_may_use_has_no_price_for_it() -> None:
    instance = load("tiny-trace-05x2")
    lines = proof_of(instance, "cheapest plans")
    assert worse(instance, lines, pools=[[0]])


def test_a_hop_left_out_of_transfers_proves_less() -> None:
    instance = load("hand-transfers-moore")
    for name in ("least left", "mean moments"):
        lines = proof_of(instance, name)
        (hop,) = lines[-1]["hops"]
        assert worse(instance, lines, hops=[])
        assert "no update may cross two" in refused(instance, lines, hops=[hop, hop])
        # In the other direction of the link nothing is sent.
        assert "must be crossed" in refused(instance, lines, hops=[hop ^ 1])
        assert "but there are" in refused(instance, lines, hops=[10**6])
    assert worse(instance, proof_of(instance, "chains"), rule="alone")


@pytest.mark.slow
def test_prices_of_links_by_moments_count() -> None:
    instance = load("transfers-replica-s0")
    lines = proof_of(instance, "counts by moments")
    step = lines[-1]
    assert worse(instance, lines, prices=[[*row[:3], 0] for row in step["prices"]], shares=[])
    assert worse(instance, lines, by=[])
    assert worse(instance, lines, unit=10 * step["unit"])
    for key, row, place in (("prices", 4, 2), ("shares", 5, 1), ("shares", 5, 2), ("shares", 5, 3)):
        beyond = [0] * row
        beyond[place] = 10**6
        assert "by number" in refused(instance, lines, **{key: [beyond]})
    assert "hops names hop 99" in refused(instance, lines, prices=[[0, 99, 0, 1]])
    # What an aggregator sends pays nothing: so updates in it have nothing to share.
    free = {"prices": [], "shares": [[0, 0, 0, 0, 1]]}
    assert "share more than" in refused(instance, lines, **free)


def test_prices_of_sends_and_worths_of_updates_count() -> None:
    instance = load("transfers-stale-s0")
    lines = proof_of(instance, "sends at prices")
    step = lines[-1]
    assert worse(instance, lines, prices=[])
    assert worse(instance, lines, by=[0] * len(step["by"]))
    assert worse(instance, lines, starts=["1/2"])
    assert worse(instance, lines, unit=10 * step["unit"])
    assert worse(instance, lines, worths=[one // 2 for one in step["worths"]])
    assert worse(instance, lines, worths=[2 * one for one in step["worths"]])


def test_all_sums_are_tried_of_few_rows() -> None:
    instance = load("tiny-shuffle-12x5")
    lines = proof_of(instance, "order of workers")
    assert "rows are lacked" in refused(instance, lines, rule="all sums")


@pytest.mark.parametrize("name", ["gadget-small-04x3x5", "hand-online-trap"])
def test_what_nobody_has_or_takes_costs_nothing(name: str) -> None:
    # So all may be used, and no more is gained than by all alone.
    instance = load(name)
    lines = proof_of(instance, "each alone")
    given: dict[str, Any] = {"rule": "knapsack", "resource": "tape"}
    if instance.kind == "online":
        given["price"] = 9
    else:
        given["prices"] = [9] * len({job.arrival_slot for job in instance.jobs})  # type: ignore[attr-defined]
    priced = checked(instance, changed(lines, with_values(given)))
    assert priced.accepted
    assert priced.follows == checked(instance, lines).follows
