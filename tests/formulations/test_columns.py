"""Configurations: listed or generated they give one bound, and it is below every optimum."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import ceil

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from program_matrices import in_slots

from ringyard.analysis.check import check
from ringyard.formulations.makespan import columns
from ringyard.formulations.makespan.configurations import (
    Configuration,
    Gains,
    PlacedJob,
    all_configurations,
    best_configuration,
    configuration_bound,
    paces,
)
from ringyard.formulations.makespan.data import ProgramData, data_of, serial_horizon
from ringyard.formulations.makespan.rates import rate_at, stretches, worths
from ringyard.formulations.matrix import matrix_of, point_of, set_point
from ringyard.formulations.solver_interface.checked import checker_of
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import (
    BoundKind,
    Cluster,
    Limits,
    MakespanInstance,
    RingJob,
    Server,
    ServerUplink,
)
from ringyard.instances.catalogue import load
from ringyard.search.makespan.bounds.counting import best_bound
from ringyard.search.makespan.exact.enumeration import enumerate_best

TINY = in_slots(max_jobs=4, max_servers=3, max_gpus=3)
NO_LIMITS = Limits()


def colliding() -> MakespanInstance:
    """Return 2 rings of 3 GPUs on 3 servers of 2: side by side they meet on a server."""
    return MakespanInstance(
        name="colliding",
        cluster=Cluster(
            servers=tuple(Server(name=f"s{i}", gpus=2) for i in range(3)),
            intra_bandwidth_gb_s=Decimal(10),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=Decimal(1000),
        ),
        jobs=tuple(
            RingJob(name=name, gpus=3, iterations=10, gradient_gb=Decimal("0.75")) for name in "ab"
        ),
        contention=ServerUplink(degradation=Decimal(1)),
    )


@given(TINY)
def test_generated_columns_give_the_value_of_all_columns(instance: MakespanInstance) -> None:
    assume(columns.refuses(instance) is None)
    matrix = matrix_of(columns.build(instance))
    relaxed = replace(matrix, integer=np.zeros(len(matrix.columns), dtype=np.bool_))
    value, bound = solve(relaxed).value, configuration_bound(instance, NO_LIMITS)
    assert value is not None
    assert bound is not None
    assert bound.kind is BoundKind.DUAL
    assert ceil(value - 1e-6) == bound.value


@given(TINY)
def test_the_bound_is_between_the_combinatorial_ones_and_the_optimum(
    instance: MakespanInstance,
) -> None:
    assume(serial_horizon(instance) <= 40)
    bound, optimum = configuration_bound(instance, NO_LIMITS), enumerate_best(instance, NO_LIMITS)
    assert bound is not None
    assert optimum.value is not None
    assert best_bound(instance).value <= bound.value <= optimum.value


def test_the_bound_sees_contention() -> None:
    # Alone 20 slots of work each; side by side, each takes 1.5 + 2 x 1.5 s instead of 1 s.
    instance = colliding()
    bound, optimum = configuration_bound(instance, NO_LIMITS), enumerate_best(instance, NO_LIMITS)
    assert bound is not None
    assert best_bound(instance).value < bound.value == optimum.value


@given(TINY, st.data())
def test_pricing_finds_the_best_of_all_configurations(
    instance: MakespanInstance, draw: st.DataObject
) -> None:
    data = data_of(instance)
    assume(columns.refuses(instance) is None)
    gains = {}
    for job in data.tasks:
        value = draw.draw(st.integers(0, 100))
        gains[job] = {pace: ceil(value * worth[0]) for pace, worth in worths(data, job).items()}
    found = best_configuration(data, list(data.tasks), gains, NO_LIMITS)
    values = [worth_of(data, gains, each) for each in every_configuration(instance)]
    assert worth_of(data, gains, found.configuration) == found.most == max(values)


def worth_of(data: ProgramData, gains: Gains, configuration: Configuration) -> int:
    return sum(gains[job].get(pace, 0) for job, pace in paces(data, configuration).items())


def every_configuration(instance: MakespanInstance) -> Iterator[Configuration]:
    """Yield all configurations, exchangeable servers or not, by trying all placements."""
    data = data_of(instance)
    sizes = list(data.sizes.values())
    ways = [
        [None, *(c for c in product(*(range(z + 1) for z in sizes)) if sum(c) == task.gpus)]
        for task in data.tasks.values()
    ]
    for chosen in product(*ways):
        held = [gpus for gpus in chosen if gpus]
        if all(sum(column) <= z for column, z in zip(zip(*held, strict=True), sizes, strict=False)):
            pairs = zip(data.tasks, chosen, strict=True)
            yield tuple(PlacedJob(job, gpus) for job, gpus in pairs if gpus)


@given(TINY)
def test_paces_are_those_that_some_configuration_has(instance: MakespanInstance) -> None:
    data = data_of(instance)
    for job in data.tasks:
        alone = [paces(data, c)[job] for c in all_configurations(data, [job]) if c]
        known = {pace for pace in worths(data, job) if pace[1] <= 1}
        never = {pace for pace in alone if not rate_at(data, job, *pace) and pace[1]}
        assert known == set(alone) - never


@given(TINY)
def test_listing_misses_no_configuration(instance: MakespanInstance) -> None:
    data = data_of(instance)
    assume(columns.refuses(instance) is None)
    listed = {tuple(paces(data, c).items()) for c in all_configurations(data, list(data.tasks))}
    assert listed == {tuple(paces(data, c).items()) for c in every_configuration(instance)}


@given(TINY, st.data())
def test_every_whole_run_on_one_placement_satisfies_the_rows(
    instance: MakespanInstance, draw: st.DataObject
) -> None:
    data = data_of(instance)
    job = draw.draw(st.sampled_from(list(data.tasks)))
    known = worths(data, job)
    units = draw.draw(st.sampled_from(sorted({units for units, rings in known if rings} or {0})))
    paces_ = [pace for pace in known if pace[0] == units and pace[1]]
    assume(paces_)
    done, sums = Fraction(0), [Fraction(0)] * len(known[paces_[0]])
    while done < data.tasks[job].iterations:
        pace = draw.draw(st.sampled_from(paces_))
        rate = rate_at(data, job, *pace)
        pace = pace if rate else paces_[0]
        done += rate_at(data, job, *pace)
        sums = [have + part for have, part in zip(sums, known[pace], strict=True)]
    assert min(sums) >= 1


@given(TINY)
def test_every_schedule_is_a_point(instance: MakespanInstance) -> None:
    assume(columns.refuses(instance) is None)
    assume(serial_horizon(instance) <= 80)
    found = enumerate_best(instance, NO_LIMITS)
    model = columns.build(instance)
    matrix = matrix_of(model)
    columns.write(model, found.schedule)
    point = point_of(model, matrix)
    assert checker_of(matrix).violation(point) < 1e-9
    assert checker_of(matrix).value(point) == found.value


@given(in_slots(max_jobs=3, max_servers=2, max_gpus=3))
def test_a_point_becomes_a_legal_schedule(instance: MakespanInstance) -> None:
    assume(columns.refuses(instance) is None)
    model = columns.build(instance)
    matrix = matrix_of(model)
    solution = solve(matrix)
    assert solution.point is not None
    set_point(model, matrix, solution.point)
    assert check(instance, columns.read(model)).valid


def test_work_before_the_last_release_counts() -> None:
    instance = load("small-06x3-release")
    bound = configuration_bound(instance, NO_LIMITS)
    assert [(s.start, s.slots, len(s.jobs)) for s in stretches(data_of(instance))] == [
        (1, 1, 3),
        (2, 3, 4),
        (5, None, 6),
    ]
    assert bound is not None
    assert bound.value == 11


def test_without_time_the_bound_still_holds() -> None:
    bound = configuration_bound(load("small-08x3"), Limits(time_s=0))
    full = configuration_bound(load("small-08x3"), NO_LIMITS)
    assert bound is not None
    assert full is not None
    assert 0 < bound.value <= full.value == 11


def test_what_is_refused() -> None:
    large = load("small-12x4")
    reason = columns.refuses(large)
    assert reason is not None
    assert "configurations" in reason
    assert configuration_bound(load("small-06x3-continuous"), NO_LIMITS) is None
    many = tuple(Server(name=f"s{i}", gpus=8) for i in range(20))
    cluster = replace(large.cluster, servers=many)
    assert configuration_bound(replace(large, cluster=cluster), NO_LIMITS) is None
