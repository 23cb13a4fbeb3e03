"""One way to break a good schedule, one violation: for every rule."""

from dataclasses import FrozenInstanceError, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from check.cases import Entry, breaches, exact, job, make_instance, plan, ring

from ringyard.analysis.check import check
from ringyard.families import FAMILIES
from ringyard.instances import Schedule, digest

INSTANCE = make_instance([ring("a", 2, 3), job("b", 1, 2), job("c", 2, 2, release_slot=2)], [2, 3])
A, B, C = ("a", 0, {"s0": 1, "s1": 1}), ("b", 0, {"s0": 1}), ("c", 3, {"s1": 2})
ENDS = {"a": 3, "b": 2, "c": 5}


def good(*entries: Entry) -> Schedule:
    """Make a schedule with a digest, and with claims where they still hold."""
    schedule = plan(*(entries or (A, B, C)), digest=digest(INSTANCE))
    claims = tuple(
        replace(entry, end_slot=exact(ENDS[entry.job]))
        if (entry.job, entry.start_slot) in (("a", 0), ("b", 0), ("c", 3))
        else entry
        for entry in schedule.assignments
    )
    return replace(schedule, assignments=claims, makespan=None if entries else Decimal(5))


def test_the_good_schedule_is_valid() -> None:
    verdict = check(INSTANCE, good())
    assert verdict.violations == ()
    assert verdict.valid
    assert verdict.ends == ENDS
    assert verdict.makespan == 5
    assert verdict.mean_completion == Fraction(10, 3)


BROKEN: list[tuple[list[Entry], tuple[str, str, Any]]] = [
    ([A, C], ("every_job_once", "job b", 1)),
    ([A, B, C, ("b", 2, {"s0": 1})], ("no_preemption", "assignments[3], job b", 1)),
    ([A, B, C, ("b", 0, {"s0": 1})], ("no_preemption", "assignments[3], job b", 1)),
    ([A, B, C, ("b", 2, {"s1": 1})], ("no_migration", "assignments[3], job b", 1)),
    ([A, B, C, ("x", 0, {"s1": 1})], ("known_names", "assignments[3], job x", 1)),
    ([A, ("b", 0, {"s9": 1}), C], ("known_names", "assignments[1], server s9", 1)),
    ([A, ("b", 0, {"s1": 2}), C], ("gang", "assignments[1], job b", 1)),
    ([A, B, ("c", 3, {"s0": 2, "s1": 3})], ("gang", "assignments[2], job c", 3)),
    ([A, B, ("c", 3, {"s1": 1})], ("gang", "assignments[2], job c", 1)),
    ([A, B, ("c", 3, {"s0": 2, "s1": 0})], ("pieces", "assignments[2], job c, server s1", 1)),
    ([A, B, ("c", 3, {"s0": -1, "s1": 3})], ("pieces", "assignments[2], job c, server s0", 2)),
    (
        [A, ("b", 2, {"s1": 1}), ("c", 2, {"s1": 2})],
        ("capacity", "server s1, slots [2, 3)", 1),
    ),
    ([A, B, ("c", "1", {"s1": 2})], ("release", "assignments[2], job c", 1)),
    ([A, ("b", "0.25", {"s0": 1}), C], ("whole_slots", "assignments[1], job b", Fraction(1, 4))),
]


@pytest.mark.parametrize(("entries", "breach"), BROKEN)
def test_one_breach_one_violation(entries: list[Entry], breach: tuple[str, str, Any]) -> None:
    verdict = check(INSTANCE, good(*entries))
    assert breaches(verdict) == [breach]
    assert not verdict.valid


@pytest.mark.parametrize(("claim", "off"), [("4", 1), ("2.5", Fraction(1, 2)), ("3.001", "0.001")])
def test_a_wrong_claimed_end_is_a_breach(claim: str, off: Any) -> None:
    schedule = good()
    first = replace(schedule.assignments[0], end_slot=exact(claim))
    broken = replace(schedule, assignments=(first, *schedule.assignments[1:]))
    assert breaches(check(INSTANCE, broken)) == [
        ("completion", "assignments[0], job a", Fraction(off))
    ]


@pytest.mark.parametrize(("claim", "off"), [("4.5", "0.5"), ("7", "2")])
def test_a_wrong_claimed_makespan_is_a_breach(claim: str, off: str) -> None:
    broken = replace(good(), makespan=exact(claim))
    assert breaches(check(INSTANCE, broken)) == [("makespan", "makespan", Fraction(off))]


def test_digest_of_another_problem() -> None:
    other = replace(INSTANCE, slot_s=Decimal(2))
    broken = replace(good(), digest=digest(other))
    assert breaches(check(INSTANCE, broken)) == [("instance_digest", "digest", 1)]
    renamed = replace(INSTANCE, name="another name", notes="the same problem")
    assert check(renamed, good()).valid
    assert check(INSTANCE, replace(good(), digest="")).valid


def test_a_job_that_never_ends_breaks_completes() -> None:
    instance = make_instance([job("j", 1, 7, backward_s=2)], [1], progress="floor")
    assert breaches(check(instance, plan(("j", 0, {"s0": 1}), makespan=9))) == [
        ("completes", "assignments[0], job j", 7)
    ]


def test_servers_of_two_kinds_of_gpus() -> None:
    """Job a runs on both servers. Without a request it may run on either kind, but not on both."""
    servers = INSTANCE.cluster.servers
    typed = tuple(replace(one, gpu=gpu) for one, gpu in zip(servers, "vk", strict=True))
    instance = replace(INSTANCE, cluster=replace(INSTANCE.cluster, servers=typed))
    wrong = [one for one in breaches(check(instance, plan(A, B, C))) if one[0] == "one_kind"]
    both = [i for i, (_, _, gpus) in enumerate((A, B, C)) if len(gpus) > 1]
    assert wrong == [("one_kind", f"assignments[{i}], job {'abc'[i]}", 1) for i in both]
    assert both


def test_a_server_outside_the_regions() -> None:
    sites = [
        replace(one, region=name) for one, name in zip(INSTANCE.cluster.servers, "xy", strict=True)
    ]
    jobs = (*INSTANCE.jobs[:2], replace(INSTANCE.jobs[2], allowed_regions=("y",)))
    instance = replace(INSTANCE, jobs=jobs, cluster=replace(INSTANCE.cluster, servers=tuple(sites)))
    assert check(instance, plan(A, B, C)).valid
    abroad = ("c", 3, {"s0": 1, "s1": 1})
    assert breaches(check(instance, plan(A, B, abroad))) == [
        ("regions", "assignments[2], job c, server s0", 1)
    ]


def test_a_job_that_holds_gpus_starts_there_at_once() -> None:
    begun = replace(INSTANCE.jobs[0], held=(("s0", 1), ("s1", 1)))
    instance = replace(INSTANCE, jobs=(begun, *INSTANCE.jobs[1:]))
    assert check(instance, plan(A, B, C)).valid
    place = "assignments[0], job a"
    assert breaches(check(instance, plan(("a", 1, A[2]), B, C))) == [("held", place, 1)]
    assert breaches(check(instance, plan(("a", 0, {"s1": 2}), B, C))) == [("held", place, 1)]


def test_a_large_gang() -> None:
    instance = make_instance([job("j", 400, 1)], [250, 250])
    assert check(instance, plan(("j", 0, {"s0": 200, "s1": 200}))).valid
    assert breaches(check(instance, plan(("j", 0, {"s0": 200, "s1": 199})))) == [
        ("gang", "assignments[0], job j", 1)
    ]


def test_a_verdict_cannot_be_changed() -> None:
    verdict = check(INSTANCE, plan(A, B))
    for entity, name in (
        (verdict, "violations"),
        (verdict.violations[0], "rule"),
        (verdict.spans[0], "end"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(entity, name, None)


def test_every_rule_is_broken_somewhere_here() -> None:
    here = {rule for _, (rule, _, _) in BROKEN}
    rest = {"completion", "makespan", "instance_digest", "completes", "regions", "one_kind", "held"}
    assert here | rest == set(FAMILIES["makespan"].rules)


def test_rules_are_sentences() -> None:
    for name, sentence in FAMILIES["makespan"].rules.items():
        assert name.isidentifier()
        assert sentence.endswith(".")
        assert "\n" not in sentence
