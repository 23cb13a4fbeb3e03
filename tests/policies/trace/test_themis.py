"""`themis` on cases whose auctions follow by hand, or by trying all of them."""

from itertools import product
from math import log
from random import Random

import pytest
from check.trace.small import job, make_instance
from policies.trace.played import ends, played
from policies.trace.test_gavel_kinds import on, two_kinds
from simulation.trace.drawn_instances import drawn, in_kinds


def test_equal_jobs_take_turns() -> None:
    """A job that waits for a lease has the larger ratio. Equal ratios: the earlier in the file."""
    instance = make_instance({"s0": 1}, job("a", 1, 300), job("b", 1, 300))
    assert ends(instance, "themis:lease_s=100") == {"a": 500, "b": 600}


def test_a_lease_lasts_although_a_better_kind_is_free() -> None:
    """Ratios at 0 are 0.95 and 0.55, so a alone bids, and b gets y, which is left.

    At 900 b has done a tenth of its work. It holds y until 1200, then x for the other 780 s.
    """
    jobs = (on("a", 1, 900, {"y": 0.9}), on("b", 1, 900, {"y": 0.1}))
    assert ends(two_kinds(*jobs), "themis") == {"a": 900, "b": 1200 + 780}


def test_only_the_worst_ratios_bid() -> None:
    """If all bid, short jobs win: (20 + 9) / 9 is more than (20 + 300) / 300.

    At 40 the ratio of c is (35 + 30) / 60, and that of a (1 + 9) / 18. Only c bids.
    """
    jobs = (job("a", 1, 9), job("b", 1, 10), job("c", 1, 300))
    all_bid = ends(make_instance({"s0": 1}, *jobs), "themis:lease_s=20:bids=1")
    assert all_bid == {"a": 9, "b": 19, "c": 319}
    waited = (job("l", 1, 40), job("c", 1, 30, arrival=5), job("a", 1, 9, arrival=39))
    found = ends(make_instance({"s0": 1}, *waited), "themis:lease_s=40")
    assert found == {"l": 40, "c": 70, "a": 79}


@pytest.mark.parametrize("seed", range(6))
def test_the_product_of_inverse_ratios_is_greatest(seed: int) -> None:
    """All jobs bid for the GPUs of two kinds, and all ways to lease them are tried."""
    rng = Random(seed)
    data = {
        f"j{k}": (rng.randint(1, 3), rng.randint(50, 900), rng.choice([1, 2])) for k in range(6)
    }
    jobs = [on(name, gpus, time, {"y": 1 / slow}) for name, (gpus, time, slow) in data.items()]

    def worth(sides: tuple[int, ...]) -> float:
        held, total = [0, 0], 0.0
        for side, (gpus, time, slow) in zip(sides, data.values(), strict=True):
            if side < 2:
                held[side] += gpus
                total += log((100 + time) / (time * slow if side else time))
        return total if max(held) <= 3 else -1.0

    best = max(product((0, 1, 2), repeat=6), key=worth)
    begun = {
        entry.job: entry.runs[0].gpus[0][0]
        for entry in played(two_kinds(*jobs, gpus=3), "themis:lease_s=100:bids=1").jobs
        if entry.runs[0].start_s == 0
    }
    won = {name: f"a{side}" for name, side in zip(data, best, strict=True) if side < 2}
    assert won.items() <= begun.items()


def test_schedules_on_drawn_kinds_are_valid() -> None:
    for seed in range(8):
        instance = in_kinds(drawn(seed), Random(seed)) if seed % 2 else drawn(seed)
        found = ends(instance, f"themis:lease_s={9 * instance.tick_s}:interval_s={instance.tick_s}")
        assert found.keys() == {one.name for one in instance.jobs}
