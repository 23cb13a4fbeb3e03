"""Placements do what they are named after, on random clusters and against every other choice."""

from decimal import Decimal
from itertools import combinations
from random import Random
from typing import get_args

import pytest
from simulation.trace.placing import FOR_ALL, chosen, cluster, occupy, play, start

from ringyard.instances import RackLinks, ServerUplink
from ringyard.methods import find_method
from ringyard.policies.trace.serve import Placement, service_of
from ringyard.simulation.trace.build import KNOWN, UNKNOWN
from ringyard.simulation.trace.placement import PLACEMENTS


def cases(count: int):
    """Yield sizes, racks, free halves, a width and a share at random."""
    rng = Random(1)
    for _ in range(count):
        sizes = [rng.randint(1, 4) for _ in range(rng.randint(1, 6))]
        racks = [rng.randint(0, 1) for _ in sizes]
        halves = [rng.randint(0, 2 * size) for size in sizes]
        yield sizes, racks, halves, rng.randint(1, sum(sizes)), rng.choice((1, 2))


def fewest(free: list[int], width: int) -> int | None:
    """Return the least number of servers with enough GPUs, by looking at all sets of servers."""
    for count in range(1, len(free) + 1):
        if any(sum(own) >= width for own in combinations(free, count)):
            return count
    return None


def placed(placement: str, sizes, racks, halves, width, share, **service):
    """Return the pieces, which must fit and be as many as were asked for, if any."""
    here = play(cluster(sizes, racks), placement, **service)
    occupy(here, halves)
    pieces = chosen(here, width, share)
    assert all(0 < gpus <= halves[s] // share for s, gpus in pieces.items())
    assert sum(pieces.values()) == (width if pieces else 0)
    return pieces


def test_every_placement_is_an_option():
    assert set(get_args(Placement)) == set(PLACEMENTS)


@pytest.mark.parametrize("placement", sorted(set(FOR_ALL) - {"consolidate", "profile"}))
def test_whoever_does_not_consolidate_waits_only_if_too_few_gpus_are_free(placement):
    for sizes, racks, halves, width, share in cases(60):
        pieces = placed(placement, sizes, racks, halves, width, share, kappa=99)
        assert bool(pieces) == (sum(half // share for half in halves) >= width)


def test_pack_uses_the_fewest_servers_and_one_rack_if_that_takes_no_more():
    for sizes, racks, halves, width, share in cases(200):
        free = [half // share for half in halves]
        pieces = placed("pack", sizes, racks, halves, width, share)
        assert (len(pieces) or None) == fewest(free, width)
        inside = [
            fewest([f for f, r in zip(free, racks, strict=True) if r == rack], width)
            for rack in set(racks)
        ]
        if pieces and len(pieces) in inside:
            assert len({racks[s] for s in pieces}) == 1


def test_consolidate_waits_for_the_fewest_servers_that_an_empty_cluster_would_need():
    for sizes, racks, halves, width, share in cases(200):
        pieces = placed("consolidate", sizes, racks, halves, width, share)
        now = fewest([half // share for half in halves], width)
        waits = now is None or now > fewest(sizes, width)
        assert len(pieces) == (0 if waits else now)


@pytest.mark.parametrize(
    ("halves", "width", "pieces"),
    [
        ([8, 2, 8, 8], 1, {0: 1}),
        ([8, 2, 8, 8], 4, {0: 4}),
        ([6, 2, 8, 8], 4, {2: 4}),
        ([8, 4, 8, 8], 6, {0: 4, 1: 2}),
        ([8, 2, 8, 8], 6, {2: 4, 3: 2}),
        ([8, 2, 6, 8], 8, {}),
        ([8, 8, 8, 8], 12, {}),
    ],
)
def test_first_fit_takes_idle_servers_and_one_more_of_the_first_rack_that_has_them(
    halves, width, pieces
):
    """Four servers of four GPUs in two racks."""
    assert placed("first-fit", [4, 4, 4, 4], [0, 0, 1, 1], halves, width, 2) == pieces


def test_first_fit_stays_in_one_rack():
    for sizes, racks, halves, width, share in cases(200):
        pieces = placed("first-fit", sizes, racks, halves, width, share)
        assert len({racks[s] for s in pieces}) == bool(pieces)


def test_spread_uses_as_many_servers_as_there_are_and_evenly():
    for sizes, racks, halves, width, share in cases(200):
        free = [half // share for half in halves]
        pieces = placed("spread", sizes, racks, halves, width, share)
        if pieces:
            assert len(pieces) == min(width, sum(f > 0 for f in free))
            most = max(pieces.values())
            assert all(gpus in (most, most - 1, free[s]) for s, gpus in pieces.items())


def test_least_fragmentation_fills_the_servers_with_fewest_free_gpus():
    for sizes, racks, halves, width, share in cases(200):
        free = [half // share for half in halves]
        pieces = placed("least-fragmentation", sizes, racks, halves, width, share)
        if pieces:
            last = max(free[s] for s in pieces)
            assert sum(gpus < free[s] for s, gpus in pieces.items()) <= 1
            assert all(s in pieces for s, f in enumerate(free) if 0 < f < last)


@pytest.mark.parametrize(
    ("job", "service", "like"),
    [
        ({"model": "VGG16"}, {}, "consolidate"),
        ({"model": "ResNet50"}, {}, "least-fragmentation"),
        ({"skew": Decimal("0.31")}, {}, "consolidate"),
        ({"model": "VGG16", "skew": Decimal("0.3")}, {}, "least-fragmentation"),
        ({"model": "VGG16"}, {"pack_limit": 0.8}, "least-fragmentation"),
        ({"model": "VGG16"}, {"skews": {"vgg16": 0.2}}, "least-fragmentation"),
        ({"model": "Bert"}, {"skews": {"bert": 0.5}}, "consolidate"),
    ],
)
def test_profile_looks_at_the_skew_of_the_job_then_of_its_model(job, service, like):
    found = []
    for placement in ("profile", like):
        here = play(cluster([4, 4, 4], [0, 0, 0], [job]), placement, **service)
        occupy(here, [2, 8, 6])
        found.append(chosen(here, 4))
    assert found[0] == found[1]
    assert found[0] == ({1: 4} if like == "consolidate" else {0: 1, 2: 3})


def test_skews_can_be_given_behind_the_name_of_a_method():
    method = find_method('fifo:placement=profile:skews={"Bert":0.5,"T5":0.1}:kappa=2', "trace")
    assert service_of(cluster([1], [0]), method.options).skews == {"bert": 0.5, "t5": 0.1}
    assert find_method(method.name, "trace") == method


def test_models_of_the_published_table_are_on_either_side_of_the_limit():
    assert min(KNOWN.values()) > 0.3 > UNKNOWN


def test_sjf_bco_gives_small_jobs_the_least_loaded_gpus_of_all():
    here = play(cluster([4, 4, 2], [0, 0, 0]), "sjf-bco", kappa=2)
    here.trace.used[:] = [40, 8, 8]
    assert chosen(here, 2) == {1: 2}
    occupy(here, [8, 2, 4])
    assert chosen(here, 2) == {1: 1, 2: 1}


def test_sjf_bco_lets_large_jobs_wait_for_the_least_loaded_servers():
    here = play(cluster([4, 4, 2], [0, 0, 0]), "sjf-bco", kappa=2)
    here.trace.used[:] = [40, 8, 8]
    assert chosen(here, 4) == {1: 4}
    occupy(here, [8, 6, 4])
    assert chosen(here, 4) == {}
    occupy(here, [8, 6, 4])
    assert chosen(here, 5) == {1: 3, 2: 2}


def test_sjf_bco_counts_what_running_jobs_have_had_so_far():
    here = play(cluster([2, 2], [0, 0], [{}, {}]), "sjf-bco")
    start(here, 0, {0: 1})
    here.trace.counts[0] = 5
    assert chosen(here, 1, job=1) == {1: 1}


def ring(**rest):
    return {"gpus": 2, "communication": Decimal(1)} | rest


def test_contention_avoids_the_rack_whose_uplink_is_crowded():
    jobs = [ring(), ring(), ring()]
    links = RackLinks(oversubscription=Decimal(2))
    here = play(cluster([2, 2, 2, 2], [0, 0, 1, 1], jobs, contention=links), "contention")
    start(here, 0, {0: 1, 1: 1})
    assert chosen(here, 2, job=1) == {2: 2}
    occupy(here, [2, 2, 2, 2])
    assert chosen(here, 2, job=1) == {2: 1, 3: 1}


def test_a_job_that_exchanges_nothing_goes_where_it_leaves_the_fewest_fragments():
    here = play(cluster([4, 4], [0, 0], [{}], contention=ServerUplink()), "contention")
    occupy(here, [2, 8])
    assert chosen(here, 2) == {0: 1, 1: 1}


def lost(instance, pieces_of, pieces) -> float:
    """Return the GPUs whose work is lost, by the engine, when the last job starts."""
    here, last = play(instance, "pack"), len(instance.jobs) - 1
    for job, own in pieces_of.items():
        start(here, job, own)
    before = here.state.runs["rate"].copy()
    before[last] = 1e6
    start(here, last, pieces)
    after = here.state.runs["rate"]
    held = {**pieces_of, last: pieces}
    return sum(sum(held[j].values()) * (1 - after[j] / before[j]) for j in held)


def test_contention_never_loses_more_than_packing_would():
    rng, better = Random(2), 0
    for _ in range(60):
        jobs = [ring(gpus=gpus, communication=rng.randint(1, 3)) for gpus in (2, 2, 2, 4)]
        named = [job | {"name": f"j{k}"} for k, job in enumerate(jobs)]
        uplink = ServerUplink(degradation=Decimal("0.5"))
        instance = cluster([3, 3, 2, 2, 2, 3], [0, 0, 0, 1, 1, 1], named, contention=uplink)
        here, held = play(instance, "contention"), {}
        for job in range(3):
            servers = rng.sample(range(6), 2)
            held[job] = dict.fromkeys(servers, 1)
            if all(here.state.loads["free"][s] >= 2 for s in servers):
                start(here, job, held[job])
            else:
                del held[job]
        free = here.state.loads["free"]
        occupy(here, [rng.choice([f, 2 * (f // 4)]) for f in free[:6].tolist()])
        pieces = chosen(here, instance.jobs[3].gpus, job=3)
        rival = play(instance, "pack")
        occupy(rival, here.state.loads["free"][:6].tolist())
        packed = chosen(rival, instance.jobs[3].gpus, job=3)
        assert bool(pieces) == bool(packed)
        if not pieces:
            continue
        gap = lost(instance, held, packed) - lost(instance, held, pieces)
        assert gap >= -1e-5
        better += gap > 1e-5
    assert better > 5
