"""GADGET's rounding with soft limits: how full draws make everything, and the printed factors."""

from math import log, sqrt

import numpy as np
import pytest
from reserved_small import machine, make_instance, rack, ring, slot_data

from ringyard.formulations.reserved.slot_master import RingSlotData
from ringyard.instances import Limits
from ringyard.instances.catalogue import load
from ringyard.search.reserved import slot_lp as slot_rounding
from ringyard.search.reserved.slot_lp import (
    THIRD,
    PlacementLaw,
    SoftSample,
    SoftSlot,
    chosen_sizes,
    fullness,
    printed_factors,
    relaxed,
    soft_slot,
)

LINKED = make_instance(
    [machine("a", 2, 4, "r0"), machine("b", 4, 5, "r0"), machine("c", 1, None, "r1")],
    [ring("x", 3, 2), ring("y", 2, 3), ring("z", 1, 9)],
    racks=(rack("r0", 10), rack("r1")),
)
"""Machines of 2, 4 and 1 GPUs; two rings that may cross links, and one that never does."""


def of(name: str) -> RingSlotData:
    return slot_data(load(name))


def test_fullness_by_hand() -> None:
    """Ring x has 2 GPUs of a and one of b; y one of b and one of c, over both racks."""
    full = fullness(slot_data(LINKED), {0: {0: 2, 1: 1}, 1: {1: 1, 2: 1}})
    machines, uplinks, racks = full[:3], full[3:6], full[6:]
    assert list(machines) == [1.0, 0.5, 1.0]
    assert list(uplinks) == [2 / 4, (2 + 3) / 5, 0.0]
    assert list(racks) == [3 / 10, 0.0]


def test_limits_are_exceeded_where_rings_meet() -> None:
    full = fullness(slot_data(LINKED), {0: {0: 2, 1: 1}, 1: {0: 1, 1: 1}})
    assert list(full[:2]) == [3 / 2, 2 / 4]
    assert list(full[3:5]) == [5 / 4, 5 / 5]


def test_the_printed_factors_by_hand() -> None:
    """One worker takes all of c, so eps = 1; with sizes 3, 2 and 1 on three machines.

    On a, x has at most 2 workers, y 2 and z 1: Delta = 9. On b 3, 2 and 1: 14. On c one each: 3.
    z has one worker and crosses no link; x and y count once each on every link with a limit.
    """
    factors = printed_factors(slot_data(LINKED), [3, 2, 1])
    squares = [9, 14, 3, 2, 2, 2, 2, 2]
    assert list(factors) == pytest.approx([1 + sqrt(2 * d * log(3)) for d in squares])
    alone = printed_factors(slot_data(LINKED), [1, 1, 1])
    assert list(alone[3:]) == [1.0] * 5


@pytest.mark.parametrize("name", ["gadget-small-08x4x8", "gadget-small-12x6x10"])
def test_on_average_draws_keep_all_limits(name: str) -> None:
    """So says the relaxation: the weights of placements, and with them the means of draws."""
    data = of(name)
    loose = relaxed(data, [range(1, len(ask.gains) + 1) for ask in data.asks], Limits())
    sizes = [{size} for size in chosen_sizes(data, loose)]
    law = PlacementLaw(data, relaxed(data, sizes, Limits(), loose.columns))
    rng = np.random.default_rng(1)
    draws = 400
    full = np.zeros_like(printed_factors(data, [1] * len(data.asks)))
    most = np.zeros_like(full)
    for _ in range(draws):
        held = {data.asks[i].job: placement for i, placement in law.draw(rng).items()}
        one = fullness(data, held)
        full, most = full + one / draws, np.maximum(most, one)
    assert (full <= 1 + 5 * most / sqrt(draws)).all()
    assert most.max() > 1


def test_draws_are_beyond_hard_limits_and_within_the_factors() -> None:
    """Hoeffding's bound lets one of 6^4 draws exceed a factor; 200 draws are within all of them."""
    data = of("gadget-small-12x6x10")
    found = soft_slot(data, 200, np.random.default_rng(0))
    assert all(draw.kept for draw in found.draws)
    assert max(draw.machine for draw in found.draws) > 1
    assert max(draw.link for draw in found.draws) > 1


def test_without_factors_draws_are_kept_within_all_limits_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slot_rounding, "printed_factors", lambda data, _: fullness(data, {}) + 1.0)
    hard = soft_slot(of("gadget-small-08x4x8"), 200, np.random.default_rng(0))
    within = [max(draw.machine, draw.link) <= 1 for draw in hard.draws]
    assert [draw.kept for draw in hard.draws] == within
    assert set(within) == {True, False}


def test_the_relaxation_over_one_size_keeps_its_part_of_all_sizes() -> None:
    """Gamma sizes: one of them has 1 / Gamma of a ring's value; a draw gains as much on average."""
    for name in ("gadget-small-05x4x6", "gadget-small-08x4x8"):
        data = of(name)
        found = soft_slot(data, 300, np.random.default_rng(2))
        gamma = max(len(ask.gains) for ask in data.asks)
        assert found.loose / gamma <= found.tight <= found.loose * (1 + 1e-9)
        gains = [draw.gain for draw in found.draws]
        error = np.std(gains) / sqrt(len(gains))
        assert abs(np.mean(gains) - found.tight) <= 5 * error + 1e-6 * found.tight


def test_the_first_draw_that_keeps_the_theorem_is_found() -> None:
    def draw(gain: float, *, kept: bool) -> SoftSample:
        return SoftSample(held={}, gain=gain, machine=1.0, link=1.0, kept=kept, fitting=gain)

    enough, little = 9 * THIRD, 8.9 * THIRD
    some = [draw(enough, kept=False), draw(little, kept=True), draw(enough, kept=True)]
    assert SoftSlot(10.0, 9.0, 2.0, 2.0, some).first == 2
    assert SoftSlot(10.0, 9.0, 2.0, 2.0, some[:2]).first is None
