"""The metrics of trace schedules: a case worked out by hand, and random ones tick by tick."""

import re
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import pytest
from check.trace.drawn import drawn_case
from check.trace.naive import Story, servers_of, tell
from check.trace.small import job, make_instance, plan, run, schedule

from ringyard.analysis.check import check
from ringyard.analysis.trace import Metrics, job_times, metrics_of, ranked
from ringyard.instances import JobRuns, RefusedError, TraceInstance

INSTANCE = make_instance(
    {"a0": 2, "b0": 2},
    job("a", 2, 6, 2),
    job("b", 2, 4, 3),
    job("c", 1, 2, 4),
    restart_s=1,
    resume_s=0.5,
    tick_s=0.5,
)
PLANS = (
    plan("c", run(6, None, a0=1)),
    plan("a", run(2, 4, a0=2), run(6, None, b0=2)),
    plan("b", run(4, 5, a0=2), run(5, 5.5, a0=2), run(12, None, a0=1, b0=1)),
)


def measured(instance: TraceInstance, *jobs: JobRuns) -> Metrics:
    return metrics_of(instance, check(instance, schedule(*jobs)))


def test_a_case_worked_out_by_hand() -> None:
    """Ends are a 11, b 16, c 8; b does no work from 5 to 5.5, which is a resume."""
    assert measured(INSTANCE, *PLANS) == Metrics(
        jobs=3,
        mean_jct_s=Fraction(9 + 13 + 4, 3),
        median_jct_s=Fraction(9),
        p95_jct_s=Fraction(13),
        p99_jct_s=Fraction(13),
        max_jct_s=Fraction(13),
        mean_queueing_s=Fraction(0 + 1 + 2, 3),
        median_queueing_s=Fraction(1),
        p95_queueing_s=Fraction(2),
        p99_queueing_s=Fraction(2),
        mean_waiting_s=(2 + Fraction(15, 2) + 2) / 3,
        mean_slowdown=(1.5 + 3.25 + 2) / 3,
        p95_slowdown=3.25,
        # On average 28/13 of the 3 jobs are there while b is, so that 2 of 4 GPUs are its part of
        # 13/14 of the time: it would take 56/13 s.
        worst_unfairness=pytest.approx(13 / (4 * (26 / 13 * 2 / 4))),
        unfair_share=Fraction(1),
        # 3 jobs on 4 GPUs: the factor is 1, and the ratios are the slowdowns.
        worst_ftf=Fraction(13, 4),
        unfair_fraction=Fraction(1),
        late_share=None,
        preemptions=2,
        preempted_jobs=2,
        migrations=2,
        restart_s=Fraction(5, 2),
        lost_s=Fraction(0),
        lost_gpu_s=Fraction(0),
        # Of 27 GPU-seconds that jobs hold, 22 are work.
        goodput=Fraction(22, 27),
        spread_share=Fraction(8, 14 + 11 + 2),
        makespan_s=Fraction(14),
        utilisation=Fraction(27, 56),
        # Jobs come from 2 s to 4 s, when a holds 2 of 4 GPUs.
        utilisation_arriving=Fraction(1, 2),
        useful_utilisation=Fraction(22, 56),
        # Of 29 idle GPU-seconds, 10 are of a single idle GPU, too few for 2 of the 3 jobs.
        fragmentation=Fraction(10 * 2, 29 * 3),
        group_fairness=None,
    )


def test_metrics_of_some_jobs_leave_the_cluster_as_it_is() -> None:
    verdict = check(INSTANCE, schedule(*PLANS))
    every = metrics_of(INSTANCE, verdict)
    some = metrics_of(INSTANCE, verdict, only=lambda job: job.name == "b")
    assert (some.jobs, some.mean_jct_s, some.p95_jct_s) == (1, 13, 13)
    assert (some.preemptions, some.migrations, some.restart_s) == (1, 1, Fraction(3, 2))
    assert some.spread_share == Fraction(8, 11)
    cluster = (
        *("makespan_s", "utilisation", "utilisation_arriving"),
        *("useful_utilisation", "fragmentation"),
    )
    assert [getattr(some, name) for name in cluster] == [getattr(every, name) for name in cluster]


def test_a_run_on_the_same_gpus_after_a_while_is_a_preemption_but_no_migration() -> None:
    small = make_instance({"s0": 2}, job("a", 1, 4))
    found = measured(small, plan("a", run(0, 2, s0=1), run(2, 3, s0=1), run(4, None, s0=1)))
    assert (found.preemptions, found.preempted_jobs, found.migrations) == (1, 1, 0)


def test_the_last_job_of_a_log_does_not_make_a_full_cluster_look_empty() -> None:
    jobs = [job(f"j{i}", 2, 10, 10 * i) for i in range(9)]
    full = make_instance({"s0": 2}, *jobs, job("last", 1, 1000, 90))
    plans = [plan(f"j{i}", run(10 * i, None, s0=2)) for i in range(9)]
    found = measured(full, *plans, plan("last", run(90, None, s0=1)))
    assert found.utilisation == Fraction(90 * 2 + 1000, 2 * 1090)
    assert found.utilisation_arriving == 1


def test_where_all_jobs_arrive_at_once_there_is_no_time_of_arrivals() -> None:
    small = make_instance({"s0": 1}, job("a", 1, 4), job("b", 1, 4))
    found = measured(small, plan("a", run(0, None, s0=1)), plan("b", run(4, None, s0=1)))
    assert (found.utilisation, found.utilisation_arriving) == (1, None)


def test_shared_gpus_are_held_by_half() -> None:
    small = make_instance({"s0": 1}, job("a", 1, 4, packed_speed=0.5))
    found = measured(small, plan("a", run(0, None, "half", s0=1)))
    assert (found.makespan_s, found.utilisation, found.useful_utilisation) == (8, 0.5, 0.5)
    assert found.fragmentation == 1, "no job can take what is left"


def test_a_cluster_without_idle_gpus_has_no_fragments() -> None:
    small = make_instance({"s0": 1}, job("a", 1, 4, 3))
    found = measured(small, plan("a", run(3, None, s0=1)))
    assert (found.utilisation, found.fragmentation, found.spread_share) == (1, 0, 0)


def test_a_job_larger_than_a_server_wants_all_of_it() -> None:
    small = make_instance({"s0": 2, "s1": 2}, job("a", 4, 4), job("b", 1, 4))
    found = measured(small, plan("b", run(0, None, s0=1)), plan("a", run(4, None, s0=2, s1=2)))
    # Idle are one GPU beside b, which one of two jobs could not use, and two together.
    assert found.fragmentation == Fraction(4, 12) / 2


def test_a_broken_schedule_and_no_job_have_no_metrics() -> None:
    broken = check(INSTANCE, schedule(*PLANS[:2]))
    with pytest.raises(RefusedError, match="the schedule breaks planned_once at job b"):
        metrics_of(INSTANCE, broken)
    with pytest.raises(RefusedError, match="no such job"):
        metrics_of(INSTANCE, check(INSTANCE, schedule(*PLANS)), only=lambda one: one.gpus > 4)


def test_percentiles_are_the_values_of_the_nearest_rank() -> None:
    assert [ranked([7], q) for q in (50, 95, 99)] == [7, 7, 7]
    assert [ranked([1, 2, 3, 4], q) for q in (50, 95, 100)] == [2, 4, 4]
    assert [ranked(list(range(1, 101)), q) for q in (50, 95, 99)] == [50, 95, 99]
    assert [ranked(list(range(1, 201)), q) for q in (50, 95, 99)] == [100, 190, 198]
    assert ranked(list(range(1, 22)), 95) == 20


def idle_ticks(instance: TraceInstance, story: Story, made: list[JobRuns]) -> list[list[Fraction]]:
    """Return by server the GPUs idle in each tick between first arrival and last end."""
    tick = Fraction(instance.tick_s)
    first = min(Fraction(job.arrival_s) for job in instance.jobs) / tick
    last = max(story.ends.values())
    free = {s.name: [Fraction(s.gpus)] * (last - int(first)) for s in instance.servers}
    for (i, k), ticks in story.held.items():
        taken = made[i].runs[k]
        for server, count in servers_of(taken).items():
            for t in ticks:
                free[server][t - int(first)] -= Fraction(count, 1 + (taken.share == "half"))
    return [free[server.name] for server in instance.servers]


@pytest.mark.parametrize("part", range(3))
def test_the_use_of_the_cluster_is_that_of_a_count_tick_by_tick(part: int) -> None:
    counted = 0
    for seed in range(1000 * part, 1000 * part + 100):
        instance, made = drawn_case(seed)
        verdict = check(instance, made)
        if not verdict.valid:
            continue
        counted += 1
        found, story = metrics_of(instance, verdict), tell(instance, made, 400)
        idle = idle_ticks(instance, story, list(made.jobs))
        total, span = sum(map(sum, idle)), len(idle[0])
        assert found.utilisation == 1 - total / (span * instance.gpus)
        broken = sum(
            free * sum(free < min(job.gpus, server.gpus) for job in instance.jobs)
            for server, spells in zip(instance.servers, idle, strict=True)
            for free in spells
        )
        assert found.fragmentation == (broken / (total * len(instance.jobs)) if total else 0)
        held = sum(len(ticks) for ticks in story.held.values())
        waiting = found.mean_jct_s - held * Fraction(instance.tick_s) / len(instance.jobs)
        assert found.mean_waiting_s == waiting
        lost = held - sum(len(ticks) for ticks in story.worked.values())
        assert found.restart_s == lost * Fraction(instance.tick_s)
    assert counted > 5


def test_metrics_do_not_depend_on_the_order_of_jobs() -> None:
    turned = replace(INSTANCE, jobs=INSTANCE.jobs[::-1])
    assert measured(turned, *PLANS[::-1]) == measured(INSTANCE, *PLANS)


def test_the_page_says_what_every_metric_is() -> None:
    page = (Path(__file__).parents[3] / "docs" / "concepts/metrics.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+`) \| [^|]+ \|$", page, re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(rows)) == [field.name for field in fields(Metrics)]


def test_the_table_of_jobs_and_the_metrics_mean_the_same_by_waiting() -> None:
    """Job a waits from 4 to 6 and b from 5.5 to 12 after their first starts."""
    plans = schedule(*PLANS)
    times = {one.job: one for one in job_times(INSTANCE, plans, check(INSTANCE, plans).ends)}
    waited = [one.waiting_s for one in times.values()]
    assert sum(waited) / 3 == measured(INSTANCE, *PLANS).mean_waiting_s
    assert times["a"].waiting_s == 2 > times["a"].start_s - times["a"].arrival_s == 0
