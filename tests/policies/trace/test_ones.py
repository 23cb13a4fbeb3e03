"""ONES' plans fit, never get worse in a search, and are better than fixed widths."""

from itertools import product

import numpy as np
import pytest
from check.trace.small import job, make_instance
from little import few
from policies.trace.played import ends, mean_jct, played
from simulation.trace.drawn_instances import drawn

from ringyard.analysis.check import check
from ringyard.instances import Limits, TraceInstance
from ringyard.instances.catalogue import load_as
from ringyard.methods import find_method
from ringyard.policies.trace.ones import PlanAim, evolve, repair
from ringyard.policies.trace.serve import ClusterRoom


def some_task(rng, gpus=6, jobs=4):
    worth = [
        {w: float(rng.random()) for w in sorted(rng.choice(6, 3, replace=False) + 1)}
        for _ in range(jobs)
    ]
    anywhere = np.zeros(jobs, int)
    return PlanAim(ClusterRoom([gpus]), anywhere, [[int(w) for w in own] for own in worth], worth)


def best(task):
    choices = [[0, *widths] for widths in task.widths]
    fits = [np.array(plan) for plan in product(*choices) if sum(plan) <= task.room.left[0]]
    return max(task.fitness(plan) for plan in fits)


def test_repaired_plans_fit_and_have_widths_that_are_allowed():
    rng = np.random.default_rng(0)
    for _ in range(100):
        task = some_task(rng)
        plan = repair(task, rng.integers(0, 7, size=4), rng)
        assert plan.sum() <= task.room.left[0]
        assert all(w == 0 or w in task.widths[k] for k, w in enumerate(plan.tolist()))


def test_the_fittest_plan_never_gets_worse_and_is_the_best_in_the_end():
    rng = np.random.default_rng(1)
    for _ in range(10):
        task = some_task(rng)
        plans = evolve(task, [np.zeros(4, int)] * 6, 0, rng)
        first = task.fitness(plans[0])
        for _ in range(15):
            plans = evolve(task, plans, 1, rng)
            assert task.fitness(plans[0]) >= first - 1e-12
            first = task.fitness(plans[0])
        assert first == pytest.approx(best(task))


def test_a_lone_job_widens_as_its_epochs_go_by():
    instance = make_instance({"a": 4}, job("x", 1, 100, speeds={2: 2, 4: 4}))
    widths = [sum(g for _, g in r.gpus) for r in played(instance, "ones:interval_s=1").jobs[0].runs]
    assert widths == [1, 2, 4]
    assert ends(instance, "ones:interval_s=1")["x"] < 30


def test_a_change_has_to_be_worth_its_restart():
    instance = make_instance({"a": 2}, job("x", 1, 100, speeds={2: 1.5}), restart_s=60)
    assert len(played(instance, "ones:interval_s=1").jobs[0].runs) == 1


def test_elastic_jobs_gain_by_it():
    instance = load_as(TraceInstance, "elastic-100-s0")
    assert mean_jct(instance, "ones") < mean_jct(instance, "fifo")


def test_a_seed_is_one_schedule():
    instance, method = drawn(5), find_method("ones", "trace")
    one, two = (method.run(instance, Limits(), np.random.default_rng(7)) for _ in range(2))
    assert one.schedule == two.schedule


@pytest.mark.parametrize("seed", few(8, range(20)))
def test_every_random_instance_is_finished_by_the_rules(seed):
    instance = drawn(seed)
    verdict = check(instance, played(instance, f"ones:interval_s={3 * instance.tick_s}"))
    assert verdict.violations == ()
    assert len(verdict.ends) == len(instance.jobs)
