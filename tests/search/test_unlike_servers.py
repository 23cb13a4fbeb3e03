"""Unequal uplinks and kinds of GPUs in `makespan`: by hand, by all methods, and all bounds."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from agreement import differences
from all_starts import bounds_hold, placed, programs_refuse
from check.naive import tell
from little import few, little_work
from near_ties import near_ties
from unlike import random_schedule, unlike

from ringyard import makespan, solve
from ringyard.analysis.check import check
from ringyard.analysis.guarantees import guarantees_of
from ringyard.formulations.makespan.data import data_of
from ringyard.instances import (
    InputError,
    MakespanInstance,
    RefusedError,
    digest,
    validate,
)
from ringyard.instances.generate import generate
from ringyard.instances.makespan import unlike as difference
from ringyard.instances.reading.encode import to_text
from ringyard.methods import all_methods
from ringyard.search.makespan.annealing.blocks import cut
from ringyard.simulation.makespan.evaluate import refusal

SUPPORTING = (
    "portfolio",
    "gang-lpt",
    "whole-server-list",
    "local-search",
    "sjf-bco",
    "sjf-bco-proved",
    "first-fit",
    "list-scheduling",
    "random",
)

RING = {"gpus": 2, "iterations": 4, "gradient_gb": 0.5, "backward_s": 0.5}
"""An iteration sends 0.5 GB and works 0.5 s: on an uplink of 1 GB/s it takes 1 s."""


def two_rings(**changes: object) -> MakespanInstance:
    """Return two rings, and three servers of which the last has half an uplink."""
    return makespan(
        {"a": RING, "b": RING},
        {"s0": {"gpus": 2}, "s1": {"gpus": 2}, "s2": {"gpus": 2, "uplink": 0.5}},
        inter_bandwidth_gb_s=1,
        reduce_gb_s=None,
        **changes,
    )


@pytest.mark.parametrize(
    ("where", "ends"),
    [
        # Alone, each on its own servers.
        ({"a": {"s0": 1, "s1": 1}, "b": {"s2": 2}}, {"a": 4, "b": 3}),
        # The narrower uplink halves the pace of the exchange: 0.5 / 0.5 + 0.5 = 1.5 s.
        ({"a": {"s0": 1, "s2": 1}, "b": {"s1": 2}}, {"a": 6, "b": 3}),
        # Two rings on the narrow uplink: 0.5 * 4 + 0.5 = 2.5 s each.
        ({"a": {"s0": 1, "s2": 1}, "b": {"s1": 1, "s2": 1}}, {"a": 10, "b": 10}),
        # Two rings on a wide one cost as much as one on the narrow one: max(2 / 1, 1 / 0.5).
        ({"a": {"s0": 1, "s1": 1}, "b": {"s0": 1, "s2": 1}}, {"a": 6, "b": 6}),
    ],
)
def test_ends_by_hand(where: dict[str, dict[str, int]], ends: dict[str, int]) -> None:
    """Inside a server the exchange takes 0.04 s, so that four iterations take 2.16 slots."""
    instance = two_rings()
    schedule = placed(instance, **where)
    verdict = check(instance, schedule)
    assert (verdict.violations, verdict.ends) == ((), ends)
    assert differences(instance, schedule) == []


def two_kinds(**changes: object) -> MakespanInstance:
    """Return jobs for fast, slow and any GPUs, a fast server and two slow ones."""
    rings = {
        "a": {**RING, "gpu": "v100", "speeds": [{"gpu": "k80", "speed": 0.25}]},
        "b": {**RING, "gpu": "k80"},
        "c": {**RING, **changes},
    }
    servers = {"v": {"gpus": 2, "gpu": "v100"}, "k": {"gpus": 2, "gpu": "k80"}}
    servers["l"] = servers["k"]
    return makespan(rings, servers, inter_bandwidth_gb_s=1, reduce_gb_s=None)


def test_programs_and_layouts_follow_the_speed_on_the_only_kind() -> None:
    """At a quarter of the speed, passes of 0.5 s take 2 s: 2.5 s as a ring, 2.04 s on a server."""
    slow = {**RING, "speeds": [{"gpu": "k80", "speed": 0.25}]}
    servers = {name: {"gpus": 2, "gpu": "k80"} for name in ("s0", "s1")}
    instance = makespan({"a": slow}, servers, inter_bandwidth_gb_s=1, reduce_gb_s=None)
    assert data_of(instance).rate("a", 2, 1, 1) == Fraction("0.4")
    blocks = cut(instance)
    assert blocks is not None
    assert blocks.slots.tolist() == [[9]]


@pytest.mark.parametrize(
    ("where", "ends"),
    [
        # Inside a server four iterations take 4 * (0.04 + 0.5) = 2.16 slots.
        ({"a": {"v": 2}, "b": {"k": 2}, "c": {"l": 2}}, {"a": 3, "b": 3, "c": 3}),
        # Passes of 0.5 s take 2 s on the slow kind: 4 * 2.04 slots. The exchange is as fast.
        ({"a": {"k": 2}, "b": {"l": 2}, "c": {"v": 2}}, {"a": 9, "b": 3, "c": 3}),
        # As rings over both slow servers: 4 * (0.5 * 2 + 2) and 4 * (0.5 * 2 + 0.5) slots. From
        # slot 6 on, the ring of a is alone: 2 of 4 iterations in 6 slots, and 2 * 2.5 slots.
        ({"a": {"k": 1, "l": 1}, "b": {"k": 1, "l": 1}, "c": {"v": 2}}, {"a": 11, "b": 6, "c": 3}),
    ],
)
def test_ends_on_kinds_by_hand(where: dict[str, dict[str, int]], ends: dict[str, int]) -> None:
    instance = two_kinds()
    schedule = placed(instance, **where)
    verdict = check(instance, schedule)
    assert (verdict.violations, verdict.ends) == ((), ends)
    assert differences(instance, schedule) == []


def test_a_job_is_on_one_kind_on_which_it_may_run() -> None:
    rest = {"c": {"l": 2}}
    for where in ({"a": {"v": 1, "k": 1}, "b": {"k": 1, "l": 1}}, {"a": {"k": 2}, "b": {"v": 2}}):
        found = check(two_kinds(), placed(two_kinds(), **where, **rest)).violations
        assert "one_kind" in {one.rule for one in found}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"gpu": "v10"}, r"jobs\['c'\].gpu: found 'v10', expected one of v100, k80. Did you mean"),
        (
            {"gpu": "k80", "speeds": [{"gpu": "k80", "speed": 2}]},
            r"jobs\['c'\].speeds\[0\].gpu: found 'k80', expected each kind once, and not the requ",
        ),
        (
            {"gpu": "v100", "gpus": 3},
            r"jobs\['c'\].gpus: found 3, expected at most 2, all GPUs of a k",
        ),
        (
            {"gpus": 5},
            r"jobs\['c'\].gpus: found 5, expected at most 4, all GPUs of a kind on which",
        ),
    ],
)
def test_faults_of_kinds_are_told(changes: dict[str, object], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        two_kinds(**changes)


def test_all_servers_have_a_kind_or_none() -> None:
    instance = two_kinds()
    some = tuple(replace(one, gpu=None) for one in instance.cluster.servers)
    mixed = (*instance.cluster.servers[:2], some[2])
    with pytest.raises(InputError, match=r"servers\[2\].gpu: found null, expected the kind of its"):
        validate(replace(instance, cluster=replace(instance.cluster, servers=mixed)))
    with pytest.raises(InputError, match=r"jobs\[0\].gpu: found 'v100', expected null: no server"):
        validate(replace(instance, cluster=replace(instance.cluster, servers=some)))


def test_fluid_links_carry_the_sum_of_unequal_uplinks() -> None:
    """The rack of s1 and s2 carries 1.5, which two rings share: 0.75 each, and 0.5 on s2.

    What the ring on s2 leaves goes to the other ring, which s0 holds to a half.
    """
    leaves = [{"name": "l", "servers": ["s0"]}, {"name": "r", "servers": ["s1", "s2"]}]
    instance = two_rings(contention={"model": "fluid", "leaves": leaves}, progress="continuous")
    schedule = placed(instance, a={"s0": 1, "s1": 1}, b={"s0": 1, "s2": 1})
    assert check(instance, schedule).ends == {"a": 6, "b": 6}
    alone = placed(instance, a={"s0": 1, "s1": 1}, b={"s2": 2})
    assert check(instance, alone).ends["a"] == 4


def test_equal_servers_have_the_file_of_always() -> None:
    instance = two_rings()
    servers = tuple(replace(one, uplink=Decimal(1)) for one in instance.cluster.servers)
    equal = replace(instance, cluster=replace(instance.cluster, servers=servers))
    assert '"uplink"' in to_text(instance)
    assert '"uplink"' not in to_text(equal)
    assert digest(instance) != digest(equal)
    assert difference(instance) == "its servers have unequal uplinks"
    assert difference(equal) is None


@pytest.mark.parametrize("block", few(3, range(40)))
def test_engine_and_judge_agree(block: int) -> None:
    rng = Random(block)
    for _ in range(40):
        instance = unlike(near_ties(rng, crowded=rng.random() < 0.2)[0], rng)
        if refusal(instance) is None:
            assert differences(instance, random_schedule(instance, rng)) == [], instance


def test_judge_and_plain_loops_agree() -> None:
    rng, compared = Random(7), 0
    for _ in range(60):
        instance = unlike(near_ties(rng)[0], rng)
        schedule = random_schedule(instance, rng)
        if refusal(instance) is None:
            ends = check(instance, schedule).ends
            if max(ends.values(), default=0) < 500:
                assert ends == tell(instance, schedule).ends, instance
                compared += 1
    assert compared > 30


def drawn(seed: int, **changes: object) -> MakespanInstance:
    """Draw a small instance with unlike servers."""
    rng = Random(seed)
    options = {
        "jobs": 6,
        "servers": 4,
        "server_gpus": rng.choice(((2,), (1, 2), (1, 3))),
        "most_slots": Decimal(4),
        "overhead": rng.choice(("paper", "step", "max_workers_per_server")),
        "share": Decimal(rng.choice(("1", "0.5"))),
        "progress": rng.choice(("floor", "fractional")),
        "release_slots": Decimal(rng.choice((0, 3))),
        "regions": rng.choice((1, 2)),
        "local": Decimal("0.5"),
        "contention": rng.choice(("server_uplink", "server_uplink", "fluid")),
        "rack_servers": 2,
    }
    while True:
        made = unlike(generate("small", seed=seed, **{**options, **changes}), rng)
        if difference(made) and refusal(made) is None:
            return made


@pytest.mark.parametrize("seed", few(3, range(30)))
def test_every_method_supports_unlike_servers_or_refuses_in_words(seed: int) -> None:
    instance = drawn(seed)
    words = str(difference(instance))
    for method in all_methods("makespan"):
        if method.name not in SUPPORTING:
            with pytest.raises(RefusedError, match=words):
                solve(instance, method.name)
            continue
        with little_work():
            found = solve(instance, method.name, seed=seed, time_limit=None)
        assert found.verdict is not None, method.name
        assert found.verdict.valid, method.name
        assert found.bound.value <= found.verdict.makespan, method.name


def test_every_program_and_constraint_model_refuses_unlike_servers() -> None:
    instance = drawn(0)
    words = str(difference(instance))
    programs_refuse(instance, words)


def test_no_theorem_is_claimed_for_unlike_servers() -> None:
    instance = drawn(1, progress="fractional", release_slots=Decimal(0), regions=1)
    claimed = [
        theorem.name
        for name in SUPPORTING
        for theorem in guarantees_of(name)
        if not any(one.unmet(instance, None) == difference(instance) for one in theorem.hypotheses)
    ]
    assert claimed == []


@pytest.mark.parametrize("block", few(2, range(20)))
def test_no_bound_is_above_an_optimum_and_all_are_recounted(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        instance = drawn(
            seed, jobs=2 + seed % 2, servers=3, server_gpus=(1, 2), most_slots=Decimal(3)
        )
        bounds_hold(instance, str(seed))
