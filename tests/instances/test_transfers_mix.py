"""The generator of `transfers` instances draws what it says."""

from decimal import Decimal
from fractions import Fraction
from statistics import fmean
from typing import Any

import pytest

from ringyard.instances import InputError, TransfersInstance
from ringyard.instances.generate import generate
from ringyard.instances.reading.files import validate
from ringyard.instances.transfers.mix import PRESETS, random_transfers


def made(family: str = "transfers", **options: Any) -> TransfersInstance:
    found = generate(family, seed=3, **options)
    assert isinstance(found, TransfersInstance)
    return found


def test_a_seed_names_one_instance() -> None:
    for family in PRESETS:
        assert generate(family, seed=1) == generate(family, seed=1)
        assert generate(family, seed=1).updates != generate(family, seed=2).updates


def test_uplinks_are_oversubscribed() -> None:
    hops = made(workers=12, racks=3, slow=Decimal("0.5"), oversubscription=4).hops
    for rack in ("r0", "r1", "r2"):
        inside = [rate for (a, b), rate in hops.items() if b == rack and a.startswith("w")]
        assert len(inside) == 4
        assert abs(hops[rack, "core"] - sum(inside) / 4) < Fraction(1, 1000)
        assert set(inside) <= {Fraction(5, 4), Fraction(1, 8)}


def test_spread_sizes_have_the_mean_and_a_tail() -> None:
    sizes = [float(one.size_gb) for one in made(workers=5000, size_gb=2).updates]
    assert 1.6 < fmean(sizes) < 2, "the tail is cut, which takes some of the mean"
    assert max(sizes) > 5 * fmean(sizes)
    assert {one.size_gb for one in made(sizes="equal").updates} == {Decimal("0.5")}


def test_limits_are_as_asked() -> None:
    stale = made("transfers-stale")
    assert all(one.behind <= 16 and Decimal(0) < (one.due_s or 0) <= 8 for one in stale.updates)
    assert stale.staleness == 24
    replica = made("transfers-replica", aggregators=2)
    assert replica.replica == "replica"
    assert len(replica.aggregators) == 8
    assert all(Decimal("0.5") <= one.norm <= Decimal("1.5") for one in replica.updates)


def test_random_ones_are_valid_and_cover_what_may_matter() -> None:
    drawn = [random_transfers(0, index) for index in range(60)]
    for one in drawn:
        validate(one)
    assert {one.goal for one in drawn} == {"mean", "last"}
    assert {bool(one.aggregators) for one in drawn} == {True, False}
    assert {one.staleness is None for one in drawn} == {True, False}
    assert {one.divergence is None for one in drawn} == {True, False}
    assert any(update.due_s is not None for one in drawn for update in one.updates)


def test_more_aggregators_than_a_file_can_hold_are_refused() -> None:
    with pytest.raises(InputError, match="aggregators: found 1000000, expected at most 200000"):
        made(racks=2, aggregators=1_000_000)
