"""The variant that is proved: assigned, then started in any order; and its two lemmas."""

from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sjf_reference import crowded_instances, proved
from strategies import makespan_instances

from ringyard.analysis.check import check
from ringyard.instances import MakespanInstance, Schedule
from ringyard.instances.catalogue import load
from ringyard.policies.makespan.ahead import run_ahead
from ringyard.policies.makespan.baselines import estimates, order_by_gpus
from ringyard.policies.makespan.dispatch import BY_LOAD, JobList
from ringyard.policies.makespan.sjf_bco import ProvedOptions, run_proved
from ringyard.policies.request import Request
from ringyard.simulation import build_model

every_option = st.builds(
    ProvedOptions,
    estimate=st.sampled_from(["slowest", "fastest"]),
    ties=st.sampled_from(["longest", "shortest", "listed"]),
)


def run(instance: MakespanInstance, options: ProvedOptions) -> Schedule:
    return run_proved(instance, Request(options=options)).schedule


@given(makespan_instances(max_gpus=4, max_jobs=9) | crowded_instances(), every_option)
def test_schedules_are_those_of_the_plain_loop(
    instance: MakespanInstance, options: ProvedOptions
) -> None:
    assert run(instance, options).assignments == proved(instance, options).assignments()


@given(makespan_instances(max_gpus=4, max_jobs=9) | crowded_instances(), every_option)
def test_loads_are_balanced(instance: MakespanInstance, options: ProvedOptions) -> None:
    """No GPU gets more than 2 - 1/(N - w + 1) times what any assignment must give one."""
    work = estimates(instance, options.estimate)
    order = order_by_gpus(instance, work, options.ties)
    jobs = JobList(order, work, inf, BY_LOAD, np.empty(0))
    load_of_all = run_ahead(build_model(instance), jobs, order.size, np.zeros(0, np.int64)).load
    gpus = [job.gpus for job in instance.jobs]
    area = float(np.dot(gpus, work)) / load_of_all.size
    factor = 2 - 1 / (load_of_all.size - min(gpus) + 1)
    assert load_of_all.max() <= factor * max(area, work.max()) * (1 + 1e-9)


@given(
    makespan_instances(max_gpus=4, max_jobs=9, releases=False) | crowded_instances(releases=False),
    every_option,
)
def test_the_last_job_waits_for_no_more_than_its_gpus_do(
    instance: MakespanInstance, options: ProvedOptions
) -> None:
    """T <= G_j W - (G_j - 1) p_j, for the last job j and the longest busy time W of a GPU."""
    instance = replace(instance, progress="fractional")
    state = proved(instance, options)
    ends = check(instance, run(instance, options)).ends
    start = {item.job: Fraction(item.start_slot) for item in state.started}
    slots = [ends[job.name] - start[job.name] for job in instance.jobs]
    busy = [
        sum(slots[j] for j, gpus in state.held.items() if g in gpus) for g in range(len(state.load))
    ]
    last = max(range(len(slots)), key=lambda j: ends[instance.jobs[j].name])
    gang = instance.jobs[last].gpus
    assert max(ends.values()) <= gang * max(busy) - (gang - 1) * slots[last]


def test_a_short_job_overtakes() -> None:
    """Loads (3, 3) give c, d and e the GPUs 0, 1 and 0; both GPUs are busy until the end."""
    schedule = run(load("hand-theorem5"), ProvedOptions())
    assert [item.start_slot for item in schedule.assignments] == [0, 0, 3, 3, 5]
