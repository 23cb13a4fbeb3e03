"""Rules of `makespan` on a few jobs of whole slots, by hand; and what a certificate is about."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from check.certificates.proofs import Lines, checked, claiming
from check.certificates.test_limits import one_by_one, stated
from formulations.online.tiny import tiny

from ringyard.instances import MakespanInstance, Server
from ringyard.instances.reading.encode import digest


def jobs(*sides: tuple[int, int], gpus: int = 4, **fields: Any) -> MakespanInstance:
    """Return jobs of so many GPUs and slots on one server."""
    instance = one_by_one()
    job, (server, *_) = instance.jobs[0], instance.cluster.servers
    made = (
        replace(job, name=f"j{k}", gpus=wide, iterations=long)
        for k, (wide, long) in enumerate(sides)
    )
    cluster = replace(instance.cluster, servers=(replace(server, gpus=gpus),))
    return replace(instance, cluster=cluster, jobs=tuple(made), **fields)


def outcome(instance: MakespanInstance, **step: Any) -> Fraction | str:
    """Return what a step says, or why it is refused."""
    verdict = checked(instance, stated(instance, **step))
    if verdict.follows:
        return verdict.follows[0]
    assert verdict.refused is not None
    return verdict.refused.why


def test_jobs_of_more_than_half_follow_each_other_in_one_place() -> None:
    # Three of 3 GPUs on 4, for 2 slots each: two of them fit by slot 5, and all by slot 6.
    instance = jobs((3, 2), (3, 2), (3, 2))
    step = {"rule": "loads", "places": 1, "prices": [[0, 2, 3, 1]]}
    assert outcome(instance, by=5, **step) == 6
    assert "all jobs end" in str(outcome(instance, by=6, **step))
    longer = jobs((3, 2), (3, 2), (3, 2), (1, 2))
    assert "all may end by slot 6" in str(outcome(longer, by=6, **step))


def test_loads_are_counted_in_slots_unless_a_grain_is_named() -> None:
    # Of two jobs of 3 slots one fits by 5; if lengths are rounded down to one pair, both do.
    instance = jobs((3, 3), (4, 3))
    step = {"rule": "loads", "places": 1, "by": 5, "prices": [[0, 3, 3, 1], [0, 3, 4, 1]]}
    assert outcome(instance, **step) == outcome(instance, grain=1, **step) == 6
    assert "all may end by slot 5" in str(outcome(instance, grain=2, **step))


def test_pairs_of_slots_are_as_good_as_slots_for_even_lengths() -> None:
    instance = jobs((3, 4), (4, 4))
    step = {"rule": "loads", "places": 1, "by": 7, "prices": [[0, 4, 3, 1], [0, 4, 4, 1]]}
    assert outcome(instance, grain=2, **step) == 8


@pytest.mark.parametrize(("release", "by"), [(0, 5), (2, 7)])
def test_of_equal_jobs_as_many_count_as_fit_however_lengths_are_rounded(
    release: int, by: int
) -> None:
    # Of two for 3 slots each one fits; in pairs of slots there would be room for two.
    instance = jobs((3, 3), (3, 3))
    late = (replace(job, release_slot=Decimal(release)) for job in instance.jobs)
    step = {"rule": "loads", "places": 1, "by": by, "prices": [[release, 3, 3, 1]], "grain": 2}
    assert outcome(replace(instance, jobs=tuple(late)), **step) == by + 1


@pytest.mark.parametrize(
    ("progress", "follows"), [("fractional", 1 + 2), ("continuous", Fraction("2.5"))]
)
def test_a_slotted_job_waits_for_the_next_slot(progress: Any, follows: Fraction) -> None:
    instance = jobs((3, 2), progress=progress)
    late = replace(instance.jobs[0], release_slot=Decimal("0.5"))
    assert outcome(replace(instance, jobs=(late,)), rule="longest job", job="j0") == follows


def test_a_job_is_timed_where_it_may_run() -> None:
    # Its region has two servers of one GPU: it is a ring, however large others are.
    instance = jobs((2, 2))
    job = replace(instance.jobs[0], gradient_gb=Decimal(3), allowed_regions=("a",))
    small = (Server(name="a0", gpus=1, region="a"), Server(name="a1", gpus=1, region="a"))
    large = Server(name="b", gpus=4, region="b")
    found = []
    for servers in (small, (*small, large)):
        cluster = replace(instance.cluster, servers=servers, inter_bandwidth_gb_s=Decimal("0.5"))
        found.append(
            outcome(replace(instance, cluster=cluster, jobs=(job,)), rule="longest job", job="j0")
        )
    assert found[0] == found[1] > 2


def test_a_part_has_jobs_and_regions_have_names() -> None:
    instance = jobs((2, 2))
    cluster = replace(instance.cluster, servers=(Server(name="s", gpus=4, region="a"),))
    instance = replace(instance, cluster=cluster)
    step = {"rule": "area", "from": 0}
    assert "no jobs are bound" in str(outcome(instance, regions=["a"], **step))
    assert "expected a list of texts" in str(outcome(instance, regions=["a", 1], **step))


def test_a_job_that_never_ends_is_no_job_of_a_bound() -> None:
    instance = jobs((2, 2), progress="floor")
    slow = replace(instance.jobs[0], backward_s=Decimal(5))
    lines = stated(instance, rule="longest job", job="j0")
    other = replace(instance, jobs=(slow,))
    head = {**lines[0], "instance": digest(other)}
    refused = checked(other, [head, *lines[1:]]).refused
    assert refused is not None
    assert "does no iteration in a slot" in refused.why


def test_what_is_about_something_else_is_refused_at_its_first_line() -> None:
    instance = jobs((2, 2))
    lines = stated(instance, rule="longest job", job="j0")
    for changes, said in (
        ({"instance": "0" * 64}, "another instance"),
        ({"family": "trace"}, "its family is"),
        ({"claim": {"at_most": 0}}, "for this family, the objective of a certificate is"),
    ):
        refused = checked(instance, [{**lines[0], **changes}, *lines[1:]]).refused
        assert refused is not None
        assert (refused.line, refused.rule) == (1, "")
        assert said in refused.why


def test_of_several_steps_the_best_counts() -> None:
    steps = [{"rule": "longest job", "job": "j0"}, {"rule": "area", "from": 0}]
    instance = jobs((2, 2), (4, 2), (4, 2))
    lower: Lines = [stated(instance, **steps[0])[0], *steps]
    assert checked(instance, lower).follows == (2, 5)
    assert checked(instance, claiming(lower, 5)).accepted
    assert not checked(instance, claiming(lower, 6)).accepted


def test_of_several_steps_the_least_counts_from_above() -> None:
    instance = tiny(0, jobs=3, machines=3, slots=5)
    width = len(instance.machines) * len(instance.resources)
    prices = {"rule": "prices", "unit": 1, "parts": [0, 0, 0], "starts": [0]}
    free, dear = ({**prices, "rows": [[price] * width]} for price in (0, 1000))
    for steps in ((free, dear), (dear, free)):
        lines: Lines = [stated(instance, **free)[0], *steps]
        low, high = sorted(checked(instance, lines).follows)
        assert low < high
        assert checked(instance, claiming(lines, low)).accepted
        assert not checked(instance, claiming(lines, low - 1)).accepted
