"""GPUs that are assigned ahead of time: by SJF-BCO and by its baselines."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from math import ceil, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sjf_reference import ClusterState, crowded_instances, published_ahead, run_assigned

from ringyard.analysis.check import check
from ringyard.analysis.guarantees import find_guarantee
from ringyard.instances import MakespanInstance
from ringyard.instances.catalogue import load
from ringyard.instances.generate import generate
from ringyard.policies.makespan import sjf_bco
from ringyard.policies.makespan.ahead import run_ahead
from ringyard.policies.makespan.baselines import (
    BaselineOptions,
    attempts,
    estimates,
    lowest_limit,
    order_by_gpus,
)
from ringyard.policies.makespan.dispatch import BY_LOAD, BY_RANK, JobList
from ringyard.policies.makespan.sjf_bco import PREFERENCES, splits
from ringyard.policies.request import Request
from ringyard.run import solve
from ringyard.simulation import build_model, to_schedule

AHEAD = BaselineOptions(assign="ahead", order="listed")


@settings(max_examples=15)
@given(
    crowded_instances(),
    st.builds(
        sjf_bco.Options,
        lam=st.sampled_from([Decimal(1), Decimal(2)]),
        mode=st.sampled_from(["least_exec", "pack"]),
        ties=st.sampled_from(["longest", "shortest"]),
    ),
    st.integers(1, 9),
    st.integers(0, 60),
)
def test_sjf_bco_chooses_as_ever_among_all_gpus(
    instance: MakespanInstance, options: sjf_bco.Options, kappa: int, percent: int
) -> None:
    work = estimates(instance)
    theta = lowest_limit(instance, work) * (0.9 + percent / 50)
    order, prefer = order_by_gpus(instance, work, options.ties), PREFERENCES[options.mode]
    jobs = JobList(order, work, theta, prefer, np.empty(0))
    wanted = np.array([ceil(options.lam * job.gpus) for job in instance.jobs])
    found = run_ahead(build_model(instance), jobs, splits(instance, kappa)[0], wanted)
    state = published_ahead(instance, theta, kappa, options)
    assert (found.makespan < inf) == (state is not None)
    if state is not None:
        assert to_schedule(instance, found.plan, "").assignments == state.assignments()


FIRST: dict[int, Callable[[ClusterState, int], float]] = {
    BY_LOAD: lambda state, gpu: state.load[gpu],
    BY_RANK: lambda _, gpu: gpu,
}
"""Which GPUs come first, by preference."""


@settings(max_examples=15)
@given(crowded_instances(), st.sampled_from([BY_LOAD, BY_RANK]), st.integers(0, 60))
def test_baselines_choose_as_ever_among_all_gpus(
    instance: MakespanInstance, prefer: int, percent: int
) -> None:
    """In the order of the list: the first, or the least loaded, that stay within the limit."""
    work = estimates(instance)
    theta = lowest_limit(instance, work) * (0.9 + percent / 50)
    attempt, _ = attempts(instance, Request(options=AHEAD), prefer, np.empty(0))
    found, state, waiting = attempt(theta), ClusterState(instance), dict[int, list[int]]()
    for j, job in enumerate(instance.jobs):
        some = [g for g, load_of in enumerate(state.load) if load_of <= theta - work[j]]
        if len(some) < job.gpus:
            assert found.makespan == inf
            return
        waiting[j] = sorted(some, key=lambda g: (FIRST[prefer](state, g), g))[: job.gpus]
        for gpu in waiting[j]:
            state.load[gpu] += work[j]
    assert to_schedule(instance, found.plan, "").assignments == (
        run_assigned(state, waiting).assignments()
    )


@pytest.mark.parametrize("name", ["first-fit", "list-scheduling", "random"])
def test_options_change_what_a_baseline_does(name: str) -> None:
    """All four schedules are valid, and no two of them are the same."""
    instance = generate("mobihoc", seed=0, jobs=60, servers=6)
    found = set()
    for words in ("", ":assign=ahead", ":order=listed", ":assign=ahead:order=listed"):
        schedule = solve(instance, name + words).outcome.schedule
        assert check(instance, schedule).violations == ()
        found.add(schedule.assignments)
    assert len(found) == 4


def test_a_limit_that_no_gpu_keeps_is_too_low() -> None:
    instance = load("mobihoc-10-s0")
    attempt, _ = attempts(instance, Request(options=AHEAD), BY_LOAD, np.empty(0))
    assert attempt(float(estimates(instance).max()) - 1).makespan == inf


@pytest.mark.parametrize("options", [{"assign": "ahead"}, {"order": "listed"}])
def test_theorems_on_lists_do_not_speak_of_other_lists(options: dict[str, str]) -> None:
    """A job may wait for its own GPUs while others are idle, or for a wider one before it."""
    instance = replace(load("hand-theorem5"), horizon_slots=None)
    changed = replace(BaselineOptions(), **options)
    for theorem in ("ascending", "longest-first"):
        assert find_guarantee(theorem).unmet(instance, BaselineOptions()) is None
        assert find_guarantee(theorem).unmet(instance, changed) is not None
    printed = find_guarantee("theorem-5")
    assert printed.unmet(instance, sjf_bco.Options(assign="ahead")) is not None
