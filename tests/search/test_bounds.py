"""Combinatorial bounds: their values on cases worked out by hand, and what must not move them."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from formulations.crowded_instances import crowded_instances
from hypothesis import assume, given
from hypothesis import strategies as st
from search.small_instances import jobs
from strategies import makespan_instances

from ringyard.instances import Limits, MakespanInstance, RefusedError, Server, ServerUplink
from ringyard.instances.catalogue import entries, load
from ringyard.search.makespan.bounds.counting import best_bound, combinatorial_bounds
from ringyard.search.makespan.bounds.slow_bounds import slow_bounds
from ringyard.simulation.makespan.evaluate import never_ends


def values(instance: MakespanInstance) -> dict[str, Fraction]:
    return {bound.name: bound.value for bound in combinatorial_bounds(instance)}


def most_of_gpus(instance: MakespanInstance) -> Fraction:
    return max(value for name, value in values(instance).items() if name != "uplinks")


def on_four_gpus(*rows: tuple[int, int, int]) -> MakespanInstance:
    return replace(load("hand-theorem5"), jobs=jobs(*rows), cluster=load("hand-spread").cluster)


def test_values_by_hand() -> None:
    """Six GPUs: 4 x 5 + 4 x 3 + 1 x 2 = 34 GPU-slots; the two wide jobs exclude each other."""
    instance = on_four_gpus((4, 5, 0), (4, 3, 0), (1, 2, 0))
    assert values(instance) == {"exclusion": 8, "area": 6, "longest job": 5}


def test_values_with_releases_by_hand() -> None:
    """From slot 9 on: 4 x 3 GPU-slots on 6 GPUs. Alone: 9 + 3. Excluding: 9 + 3 beats 5 + 3."""
    instance = on_four_gpus((4, 5, 0), (4, 3, 9))
    assert values(instance) == {"exclusion": 12, "area": 11, "longest job": 12}


def test_the_area_counts_what_must_be_left_of_jobs_released_before() -> None:
    """At slot 9 at least 12 - 9 slots of the first job are left: 9 + (4 x 3 + 2 x 6) / 6."""
    instance = on_four_gpus((4, 12, 0), (2, 6, 9))
    assert values(instance)["area"] == 13
    text = {bound.name: bound.argument for bound in combinatorial_bounds(instance)}["area"]
    assert text == "the work left at slot 9 fills 6 GPUs until then"


def test_the_exclusion_argument_counts_the_jobs_behind_the_value() -> None:
    instance = on_four_gpus((4, 5, 0), (4, 3, 9))
    texts = {bound.name: bound.argument for bound in combinatorial_bounds(instance)}
    assert texts["exclusion"].startswith("1 job needs")


def test_slots_round_up_and_continuous_time_does_not() -> None:
    instance = on_four_gpus((1, 1, 0), *[(2, 1, 0)] * 3)
    assert values(instance)["area"] == 2
    assert values(replace(instance, progress="continuous"))["area"] == Fraction(7, 6)


def test_a_job_that_never_ends_has_no_bound() -> None:
    instance = replace(on_four_gpus((1, 1, 0)), progress="floor", slot_s=Decimal("0.5"))
    with pytest.raises(RefusedError, match="lengthen slot_s"):
        best_bound(instance)


@given(st.data())
def test_an_idle_server_never_raises_a_bound_that_counts_gpus(data: st.DataObject) -> None:
    instance = data.draw(makespan_instances(contention="server_uplink"))
    idle = Server(name="one more", gpus=data.draw(st.integers(1, 8)))
    cluster = replace(instance.cluster, servers=(*instance.cluster.servers, idle))
    assert most_of_gpus(replace(instance, cluster=cluster)) <= most_of_gpus(instance)


@given(st.data())
def test_order_moves_no_bound_and_contention_none_that_counts_gpus(data: st.DataObject) -> None:
    instance = data.draw(makespan_instances(contention="server_uplink"))
    servers = tuple(data.draw(st.permutations(instance.cluster.servers)))
    other = replace(
        instance,
        jobs=tuple(data.draw(st.permutations(instance.jobs))),
        cluster=replace(instance.cluster, servers=servers),
    )
    assert values(other) == values(instance)
    slower = replace(other, contention=ServerUplink(degradation=Decimal(3)))
    assert most_of_gpus(slower) == most_of_gpus(instance)


@given(st.data())
def test_dropping_a_job_never_raises_a_bound_that_counts_gpus(data: st.DataObject) -> None:
    instance = data.draw(makespan_instances())
    fewer = replace(instance, jobs=instance.jobs[:-1])
    if fewer.jobs:
        assert most_of_gpus(fewer) <= most_of_gpus(instance)


@given(st.data())
def test_slower_iterations_scale_the_bound_in_continuous_time(data: st.DataObject) -> None:
    """Twice the seconds of everything that takes seconds, releases too: twice the bound."""
    instance = data.draw(makespan_instances(progress="continuous"))
    slower = replace(
        instance,
        overhead_s=2 * instance.overhead_s,
        jobs=tuple(
            replace(
                job,
                gradient_gb=2 * job.gradient_gb,
                forward_s_per_sample=2 * job.forward_s_per_sample,
                backward_s=2 * job.backward_s,
                release_slot=2 * job.release_slot,
            )
            for job in instance.jobs
        ),
    )
    assert best_bound(slower).value == 2 * best_bound(instance).value


@pytest.mark.parametrize(
    ("name", "until", "asked"),
    [
        ("hand-overtake", 4, []),
        ("small-06x3", 12, ["loads"]),
        ("small-06x3", 13, ["loads", "server configurations"]),
        ("small-06x3", None, ["loads", "server configurations"]),
    ],
)
def test_no_bound_is_asked_for_once_a_schedule_is_proved_best(
    name: str, until: int | None, asked: list[str]
) -> None:
    """Their optima are 4, as the longest job takes as long, and 12, by loads."""
    known = None if until is None else Fraction(until)
    found = slow_bounds(load(name), Limits(), known)
    assert [bound.name for bound in found.found] == asked
    assert found.best.value <= entries()[name].upper[0].value


@given(crowded_instances())
def test_a_schedule_at_hand_costs_no_bound(instance: MakespanInstance) -> None:
    assume(never_ends(instance) is None)
    best = slow_bounds(instance, Limits()).best.value
    assert slow_bounds(instance, Limits(), best + 1).best.value == best


def test_server_configurations_end_where_they_can_prove_no_more() -> None:
    """They prove 669 slots as well, as the area does."""
    instance = load("mobihoc-10-s0")
    found = slow_bounds(instance, Limits(), Fraction(670))
    assert found.first.value == 669 > found.found[-1].value
