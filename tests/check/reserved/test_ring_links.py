"""What the judge asks of links is what the best order of a ring's machines needs."""

from collections import Counter
from itertools import pairwise, permutations, product

import pytest
from reserved_small import machine, make_instance, rack, ring, schedule

from ringyard.analysis.check.reserved import holdings_of, racks_of, uplink_takes

RACKS = {"a": "r0", "b": "r0", "c": "r0", "d": "r1", "e": "r1", "f": "r2"}


def loads(order: tuple[str, ...]) -> Counter[tuple[str, str]]:
    """Return how often a directed cycle over machines takes each link in each direction."""
    taken = Counter[tuple[str, str]]()
    for one, other in pairwise((*order, order[0])):
        taken[one, "up"] += 1
        taken[other, "down"] += 1
        if RACKS[one] != RACKS[other]:
            taken[RACKS[one], "up"] += 1
            taken[RACKS[other], "down"] += 1
    return taken


def asked(machines: tuple[str, ...]) -> set[str]:
    """Return the links that the judge counts for a ring on these machines."""
    instance = make_instance(
        [machine(name, 1, 9, rack=home) for name, home in RACKS.items()],
        [ring("x", 6, 1)],
        racks=tuple(rack(name, 9) for name in ("r0", "r1", "r2")),
    )
    held = holdings_of(instance, schedule(instance, ("x", 0, dict.fromkeys(machines, 1))))
    takes = [*uplink_takes(held, {}), *uplink_takes(held, racks_of(instance))]
    assert {amount for _, _, amount in takes} == {1}
    return {place.split(" ")[1] for place, _, _ in takes}


SPREAD = [
    machines
    for chosen in product((False, True), repeat=len(RACKS))
    if len(machines := tuple(m for m, use in zip(RACKS, chosen, strict=True) if use)) > 1
]


@pytest.mark.parametrize("machines", SPREAD, ids="".join)
def test_some_order_takes_each_link_once_and_none_takes_less(machines: tuple[str, ...]) -> None:
    first, *others = machines
    orders = [loads((first, *rest)) for rest in permutations(others)]
    once = Counter({(link, way): 1 for link in asked(machines) for way in ("up", "down")})
    assert once in orders
    assert all(once <= order for order in orders)
