"""The engine against the rules of docs/families/rental-and-fleet.md, followed tick by tick."""

from random import Random

import pytest
from fleet_player import Player
from fleet_small import draw

from ringyard.policies.fleet.planned import all_alike
from ringyard.simulation.fleet import MILLI, simulate, stream_of


@pytest.mark.parametrize("block", range(4))
def test_ends_leases_and_cost_are_those_of_the_rules(block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        fleet = draw(seed)
        rng = Random(seed)
        widths = [rng.choice((1, 2, 3, 5)) for _ in fleet.types]
        naive = Player(fleet, widths).run()
        stream, order = stream_of(fleet)
        got = simulate(stream, all_alike(fleet.types, widths), keep=True)
        assert dict(zip(order.tolist(), got.end.tolist(), strict=True)) == naive.ends, seed
        assert got.paid == MILLI * naive.paid(), seed
        leases: dict[tuple[int, int], int] = {}
        for milli, start, stop in got.leases.tolist():
            leases[start, stop] = leases.get((start, stop), 0) + milli // MILLI
        assert sorted((*pair, gpus) for pair, gpus in leases.items()) == naive.rows(), seed
