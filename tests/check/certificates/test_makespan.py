"""Certificates of bounds on the makespan: accepted, refused where damaged, never beyond the best.

Bounds themselves are held against enumeration in tests/search; optima are those of the
catalogue, and of enumeration.
"""

import sys
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from check.certificates.proofs import Lines, changed, checked, claiming, lines_of, mutated

from ringyard.analysis.check.certificates.makespan import weight
from ringyard.instances import Bound, Cluster, Limits, MakespanInstance, RingJob, Server
from ringyard.instances.catalogue import entries, load
from ringyard.instances.cluster import ServerUplink
from ringyard.search.makespan.bounds.counting import combinatorial_bounds
from ringyard.search.makespan.bounds.load import load_bound
from ringyard.search.makespan.bounds.slow_bounds import all_bounds
from ringyard.simulation.makespan.evaluate import never_ends

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))

from forged_instances import rings as drawn_rings

RANDOM = 30
LARGE = ("knot-full-s0", "mobihoc-20-s0", "tight-half-s0")


def rings(name: str, *jobs: RingJob, degradation: int = 0) -> MakespanInstance:
    """Return jobs on three servers of 2 GPUs, where two rings of 3 have to meet."""
    return MakespanInstance(
        name=name,
        cluster=Cluster(
            servers=tuple(Server(name=f"s{i}", gpus=2) for i in range(3)),
            intra_bandwidth_gb_s=Decimal(10),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=Decimal(1000),
        ),
        jobs=jobs,
        contention=ServerUplink(degradation=Decimal(degradation)),
    )


SLOW = RingJob(name="a", gpus=3, iterations=10, gradient_gb=Decimal("0.75"))
FAST = replace(SLOW, iterations=20, gradient_gb=Decimal("0.05"), backward_s=Decimal("0.5"))
WIDE = RingJob(name="a", gpus=6, iterations=5, backward_s=Decimal(1))

OWN = {
    # One after the other they take 11 slots each; side by side a transfer of 1 s takes 3 s, ten
    # times, which is longer than both.
    "colliding": (rings("colliding", SLOW, replace(SLOW, name="b"), degradation=1), 22),
    # Twenty iterations of 0.57 s take 12 slots, and of 0.63 s, side by side, 13. Both by slot 12
    # would be side by side all the time.
    "meeting": (rings("meeting", FAST, replace(FAST, name="b")), 13),
    # Each has all GPUs, one for 5 slots and one from slot 10 on for 2.
    "waiting": (
        rings("waiting", WIDE, replace(WIDE, name="b", iterations=2, release_slot=Decimal(10))),
        12,
    ),
}
"""Instances beside those of the catalogue, with their least makespan."""


TINY = (
    "hand-lpt",
    "hand-exclusion",
    "hand-contend-floor",
    "hand-timing-continuous",
    "small-04x2",
    "small-06x3",
    "small-06x3-release",
    "small-06x3-max-workers",
    "small-06x3-continuous",
    "regional-small",
    *OWN,
)


@cache
def instance_of(name: str | int) -> MakespanInstance:
    """Return an instance of these or of the catalogue, or a random one by its number."""
    if isinstance(name, int):
        return drawn_rings(31, name)
    found = OWN[name][0] if name in OWN else load(name)
    assert isinstance(found, MakespanInstance)
    return found


@cache
def optimum_of(name: str) -> Fraction:
    """Return the least makespan, which is proved."""
    if name in OWN:
        return Fraction(OWN[name][1])
    known = entries()[name]
    assert known.closed
    return known.upper[0].value


@cache
def bounds_of(name: str | int) -> tuple[Bound, ...]:
    """Return all bounds on an instance that have a certificate."""
    instance = instance_of(name)
    if never_ends(instance):
        return ()
    found = combinatorial_bounds(instance)
    found += all_bounds(instance, Limits()).found if name in TINY or isinstance(name, int) else []
    found += filter(None, [load_bound(instance, Limits())] if name in LARGE else [])
    return tuple(bound for bound in found if bound.proof)


@pytest.mark.parametrize("name", [*TINY, *LARGE, *range(RANDOM)])
def test_every_bound_is_followed_to_its_value(name: str | int) -> None:
    instance = instance_of(name)
    for bound in bounds_of(name):
        lines = lines_of(instance, bound)
        verdict = checked(instance, lines)
        assert verdict.accepted, verdict.refused
        # In continuous time the maker of server configurations rounds runs down, the checker not;
        # that of configurations has parts of a slot before a release as work.
        follows = max(verdict.follows)
        parts = bound.name == "configurations" and any(
            job.release_slot % 1 for job in instance.jobs
        )
        assert follows == bound.value or instance.progress == "continuous" or parts
        assert follows >= bound.value
        beyond = checked(instance, claiming(lines, bound.value + 1))
        assert beyond.refused is not None
        assert "it claims" in beyond.refused.why


@pytest.mark.parametrize("name", ["colliding", "small-06x3", "small-06x3-max-workers"])
def test_raised_prices_of_servers_prove_less(name: str) -> None:
    instance = instance_of(name)
    bound = next(one for one in bounds_of(name) if one.name == "server configurations")
    lines = lines_of(instance, bound)
    exact = checked(instance, lines).follows[0]
    for row in range(len(lines[-1]["pieces"])):

        def dearer(step: dict[str, Any], row: int = row) -> None:
            for place in (1, 2):
                step["pieces"][row][place] = 10 * step["pieces"][row][place] + 10**9

        assert checked(instance, changed(lines, dearer)).follows[0] <= exact


@pytest.mark.parametrize("name", ["colliding", "small-06x3", "small-06x3-release"])
def test_prices_of_configurations_count(name: str) -> None:
    instance = instance_of(name)
    bound = next(one for one in bounds_of(name) if one.name == "configurations")
    lines = lines_of(instance, bound)
    for job in lines[-1]["prices"]:

        def dropped(step: dict[str, Any], job: str = job) -> None:
            del step["prices"][job]

        def dearer(step: dict[str, Any], job: str = job) -> None:
            step["prices"][job] = [50 * price + 1 for price in step["prices"][job]]

        for change in dropped, dearer:
            follows = checked(instance, changed(lines, change)).follows
            assert all(value <= bound.value for value in follows)


def test_another_instance_is_refused() -> None:
    lines = lines_of(instance_of("small-04x2"), bounds_of("small-04x2")[0])
    refused = checked(instance_of("small-06x3"), lines).refused
    assert refused is not None
    assert "another instance" in refused.why


@pytest.mark.parametrize("name", TINY)
def test_no_damaged_proof_goes_beyond_the_best_schedule(name: str) -> None:
    instance, rng, best = instance_of(name), Random(name), optimum_of(name)
    proofs = [lines_of(instance, bound) for bound in bounds_of(name)]
    for _ in range(100):
        verdict = checked(instance, claiming(mutated(rng.choice(proofs), rng), best + 1))
        assert verdict.refused is not None
        assert all(value <= best for value in verdict.follows)


def loads_of(name: str) -> Lines:
    """Return the certificate by loads."""
    bound = next(one for one in bounds_of(name) if one.name == "loads")
    return lines_of(instance_of(name), bound)


@pytest.mark.parametrize("name", ["small-04x2", "small-06x3", "small-06x3-release"])
def test_prices_and_slots_of_loads_count(name: str) -> None:
    instance, lines = instance_of(name), loads_of(name)
    prices = len(lines[-1]["prices"])
    later = checked(instance, changed(lines, lambda step: step.update(by=step["by"] + 1)))
    assert later.refused is not None
    assert later.refused.rule == "loads"
    none = checked(instance, changed(lines, lambda step: step.update(prices=[])))
    assert none.refused is not None
    halved = [
        checked(instance, changed(lines, lambda step, i=i: step["prices"].pop(i)))  # type: ignore[misc]
        for i in range(prices)
    ]
    assert any(one.refused for one in halved)
    raised = [
        checked(instance, changed(lines, lambda step, i=i: raise_price(step["prices"][i])))  # type: ignore[misc]
        for i in range(prices)
    ]
    assert all(one.refused for one in raised)


def raise_price(row: list[int]) -> None:
    """Raise a price tenfold: sets with that job are then worth more than they give."""
    row[-1] *= 10


def test_a_price_of_no_job_is_refused() -> None:
    lines = loads_of("small-04x2")
    refused = checked(
        instance_of("small-04x2"), changed(lines, lambda step: step["prices"].append([0, 1, 99, 1]))
    ).refused
    assert refused is not None
    assert "no such jobs: of 99 GPUs" in refused.why


def test_cells_of_more_slots_prove_less_or_the_same() -> None:
    instance, lines = instance_of("small-06x3"), loads_of("small-06x3")
    for grain in range(1, 30):
        coarse = changed(lines, lambda step, grain=grain: step.update(grain=grain))  # type: ignore[misc]
        for value in checked(instance, coarse).follows:
            assert value <= optimum_of("small-06x3")


@pytest.mark.parametrize("total", range(1, 13))
def test_jobs_that_fit_side_by_side_weigh_1_at_most(total: int) -> None:
    for places in range(1, 7):
        most = [Fraction(0)] * (total + 1)
        for room in range(1, total + 1):
            most[room] = max(
                weight(gpus, total, places) + most[room - gpus] for gpus in range(1, room + 1)
            )
        assert most[total] <= 1


def test_at_a_moment_with_nothing_left_no_area_follows() -> None:
    instance = instance_of("hand-lpt")
    lines = lines_of(instance, combinatorial_bounds(instance)[0])
    refused = checked(instance, changed(lines, lambda step: step.update({"from": 1000}))).refused
    assert refused is not None
    assert refused.line == 2
    assert refused.rule == "area"


def test_prices_beyond_floating_point_prove_what_smaller_ones_do() -> None:
    instance = instance_of("small-06x3")
    head = lines_of(instance, bounds_of("small-06x3")[0])[0]
    found = []
    for unit in ("1", "1" + "0" * 400):
        step = {"rule": "servers", "inside": [[1, unit]], "pieces": [[1, unit, unit]]}
        found.append(checked(instance, [head, step]).follows)
    assert found[0]
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["small-04x2", "small-06x3", "small-06x3-release"])
def test_no_cells_exclude_a_slot_at_which_all_can_be_done(name: str) -> None:
    instance, lines, best = instance_of(name), loads_of(name), int(optimum_of(name))
    for grain in range(1, 20):
        for end in range(best, best + 5):
            late = changed(lines, lambda step, g=grain, e=end: step.update(grain=g, by=e))  # type: ignore[misc]
            assert not checked(instance, late).follows


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"rule": "configurations", "prices": {}}, "slotted time with `server_uplink`"),
        ({"rule": "loads", "by": 1, "prices": []}, "only to slotted time"),
    ],
)
def test_rules_that_count_slots_are_refused_without(step: dict[str, Any], said: str) -> None:
    name = "small-06x3-continuous"
    instance = instance_of(name)
    refused = checked(instance, [lines_of(instance, bounds_of(name)[0])[0], step]).refused
    assert refused is not None
    assert said in refused.why


def test_a_ring_is_cut_where_its_largest_piece_is_least() -> None:
    # One GPU on each of the three servers: ten iterations of 1 s, and 1 s more for the largest
    # piece. So 20 slots of 3 GPUs are paid for, and the six GPUs of all servers earn 6 in a slot.
    ring = replace(SLOW, gradient_gb=Decimal(0), backward_s=Decimal(1))
    instance = replace(
        rings("thin", ring), overhead="max_workers_per_server", overhead_s=Decimal(1)
    )
    head = lines_of(instance, combinatorial_bounds(instance)[0])[0]
    step = {"rule": "servers", "inside": [], "pieces": [[1, 1, 1], [2, 2, 2]]}
    assert checked(instance, [head, step]).follows == (10,)
