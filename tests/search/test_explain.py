"""Reasons are those of the bounds, and a set of jobs said to be irreducible is just that."""

from dataclasses import replace
from decimal import Decimal

import pytest
from exact import tiny_instance
from hypothesis import given
from hypothesis import strategies as st
from strategies import makespan_instances

from ringyard.instances import Cluster, FluidLinks, Leaf, Limits, MakespanInstance, RingJob, Server
from ringyard.instances.catalogue import load
from ringyard.search.makespan import explain
from ringyard.search.makespan.bounds.counting import combinatorial_bounds
from ringyard.search.makespan.exact.enumeration import enumerate_best, refuses
from ringyard.search.makespan.explain import irreducible, reasons


def make_instance(gpus: int, *jobs: RingJob, **options: object) -> MakespanInstance:
    cluster = Cluster(
        servers=(Server(name="s", gpus=gpus),),
        intra_bandwidth_gb_s=Decimal(1),
        inter_bandwidth_gb_s=Decimal(1),
        reduce_gb_s=Decimal(1),
    )
    return MakespanInstance(name="yard", cluster=cluster, jobs=jobs, **options)


def job(name: str, gpus: int, slots: int, release: int = 0) -> RingJob:
    return RingJob(
        name=name,
        gpus=gpus,
        iterations=slots,
        backward_s=Decimal(1),
        release_slot=Decimal(release),
    )


def texts(instance: MakespanInstance, horizon: int) -> list[str]:
    return [reason.text for reason in reasons(instance, horizon)]


def test_every_job_that_is_too_long_is_named_the_longest_first() -> None:
    instance = make_instance(40, job("j1", 1, 9), job("j7", 16, 52), job("late", 1, 30, release=20))
    assert texts(instance, 40) == [
        "job 'j7' (16 GPUs) takes at least 52 slots from slot 0 and cannot end by 40",
        "job 'late' (1 GPU) takes at least 30 slots from slot 20 and cannot end by 40",
    ]
    assert [reason.earliest for reason in reasons(instance, 40)] == [52, 50]


def test_the_area_counts_from_the_release_that_says_most() -> None:
    late = (job(name, 2, 5, release=2) for name in "bcd")
    assert texts(make_instance(4, job("a", 1, 1), *late), 8) == [
        "the 3 jobs released at slot 2 or later need 30 GPU-slots; "
        "4 GPUs from slot 2 until slot 8 offer only 24"
    ]


def test_jobs_of_more_than_half_the_gpus_follow_one_another() -> None:
    assert texts(load("hand-exclusion"), 5) == [
        "jobs 'a', 'b', 'c' need more than half of 4 GPUs each, so in sequence they take 6 slots; "
        "until slot 5 only 5 are available"
    ]
    many = make_instance(4, *(job(f"j{i}", 3, 1) for i in range(7)))
    assert "7 jobs need more than half of 4 GPUs each" in texts(many, 6)[0]


def test_a_job_of_exactly_half_the_gpus_counts() -> None:
    found = texts(make_instance(6, job("half", 3, 1), job("large", 4, 2)), 2)
    assert "2 jobs each need half or more of 6 GPUs, so not before slot 3" in found


def test_what_never_ends_is_the_only_reason() -> None:
    slow = replace(job("slow", 1, 1), backward_s=Decimal(3))
    found = reasons(make_instance(4, job("a", 4, 9), slow, progress="floor"), 5)
    assert [(reason.name, reason.earliest) for reason in found] == [("standstill", None)]
    assert "job 'slow' does no iteration" in found[0].text


@given(makespan_instances(), st.integers(1, 60))
def test_there_is_a_reason_just_where_a_bound_lies_beyond_the_slot(
    instance: MakespanInstance, horizon: int
) -> None:
    found = reasons(instance, horizon)
    best = combinatorial_bounds(instance)[0].value
    assert bool(found) == (best > horizon)
    sharp = [reason.earliest for reason in found if reason.earliest is not None]
    assert sharp == sorted(sharp, reverse=True)
    assert all(best - 1 < sharp[0] <= best for _ in sharp[:1])


def test_a_bound_without_words_of_its_own_speaks_with_its_argument(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = make_instance(2, job("a", 1, 1))
    (bound, *_) = combinatorial_bounds(instance)
    other = replace(bound, name="other", value=bound.value + 8, argument="for other reasons")
    monkeypatch.setattr(explain, "combinatorial_bounds", lambda _: [other, bound])
    assert texts(instance, 5) == ["for other reasons, so not before slot 9"]


def ends_by(instance: MakespanInstance, horizon: int) -> bool:
    value = enumerate_best(instance, Limits()).value
    return value is not None and value <= horizon


def without(instance: MakespanInstance, name: str) -> MakespanInstance:
    return replace(instance, jobs=tuple(one for one in instance.jobs if one.name != name))


def only(instance: MakespanInstance, names: tuple[str, ...]) -> MakespanInstance:
    return replace(instance, jobs=tuple(one for one in instance.jobs if one.name in names))


@pytest.mark.slow
def test_all_but_any_one_of_an_irreducible_set_can_end_in_time() -> None:
    instances = [tiny_instance(5, index) for index in range(36)]
    sizes = set()
    for instance in filter(lambda one: refuses(one) is None, instances):
        best = enumerate_best(instance, Limits()).value
        assert best is not None
        horizon = int(best) - 1
        conflict = irreducible(instance, lambda smaller, by=horizon: ends_by(smaller, by))
        assert conflict.minimal
        core = only(instance, conflict.jobs)
        assert not ends_by(core, horizon)
        others = conflict.jobs if len(conflict.jobs) > 1 else ()
        assert all(ends_by(without(core, name), horizon) for name in others)
        sizes.add((len(instance.jobs), len(conflict.jobs)))
    assert {(2, 2), (3, 2), (3, 3)} <= sizes


def test_the_planted_conflict_is_found_among_other_jobs() -> None:
    small = [job(f"x{i}", 1, 1) for i in range(3)]
    instance = make_instance(
        4, small[0], job("a", 2, 5), small[1], job("b", 2, 5), job("c", 2, 4), small[2]
    )
    conflict = irreducible(instance, lambda smaller: ends_by(smaller, 8))
    assert (conflict.jobs, conflict.minimal) == (("a", "b", "c"), True)


def test_what_nobody_knows_is_kept_and_said() -> None:
    instance = make_instance(4, job("a", 4, 5), job("b", 4, 5), job("c", 1, 1))

    def possible(smaller: MakespanInstance) -> bool | None:
        return None if len(smaller.jobs) < 3 else False

    conflict = irreducible(instance, possible)
    assert (conflict.jobs, conflict.minimal) == (("a", "b", "c"), False)


def test_one_job_is_irreducible_without_a_question() -> None:
    def possible(smaller: MakespanInstance) -> bool:
        raise AssertionError("nothing is left to ask about")

    assert irreducible(make_instance(1, job("a", 1, 5)), possible).minimal


def test_under_fair_sharing_passes_go_on_until_nothing_more_can_go() -> None:
    """The first job is needed beside the second, which goes; it is not needed without it."""
    links = FluidLinks(leaves=(Leaf(name="r", servers=("s",)),))
    instance = make_instance(9, job("a", 1, 1), job("b", 1, 2), job("c", 1, 3), contention=links)
    impossible = ["abc", "ac", "c"]

    def possible(smaller: MakespanInstance) -> bool:
        return "".join(one.name for one in smaller.jobs) not in impossible

    assert irreducible(instance, possible).jobs == ("c",)
