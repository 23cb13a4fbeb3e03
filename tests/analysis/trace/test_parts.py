"""Waits by group and size, beside those of the log."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from check.trace.small import job, make_instance, plan, run, schedule

from ringyard.analysis.check import check
from ringyard.analysis.trace import metrics_of
from ringyard.analysis.trace.fairness import group_steps, group_times
from ringyard.analysis.trace.parts import (
    PartMetrics,
    groups_shown,
    longest_wait,
    metrics_by,
    part_metrics,
    part_table,
    parts_of,
    time_text,
    time_texts,
    unit_of,
)
from ringyard.instances import JobGroup

PLAIN = make_instance({"s0": 4}, job("a", 4, 6), job("b", 3, 4), job("c", 1, 2, 4))
LABELS = {"a": ("red", 1), "b": ("blue", 7), "c": ("red", None)}
INSTANCE = replace(
    PLAIN,
    jobs=tuple(
        replace(one, group=group, waited_s=None if waited is None else Decimal(waited))
        for one in PLAIN.jobs
        for group, waited in [LABELS[one.name]]
    ),
)
PLANS = schedule(
    plan("a", run(0, None, s0=4)), plan("b", run(6, None, s0=3)), plan("c", run(6, None, s0=1))
)


def test_each_part_has_its_own_waits() -> None:
    """Job a waits 0 s, b 6 s and c 2 s. The log does not have the wait of every red job."""
    found = {(one.by, one.name): one for one in metrics_by(INSTANCE, check(INSTANCE, PLANS))}
    assert list(found) == [
        ("all", "all jobs"),
        ("group", "red"),
        ("group", "blue"),
        ("size", "1 GPU"),
        ("size", "3 to 4 GPUs"),
    ]
    red, blue = found["group", "red"], found["group", "blue"]
    assert (red.jobs, red.mean_wait_s, red.p95_wait_s, red.logged_mean_wait_s) == (2, 1, 2, None)
    assert (blue.mean_wait_s, blue.logged_mean_wait_s, blue.logged_p95_wait_s) == (6, 7, 7)
    assert red.mean_slowdown == (6 / 6 + 4 / 2) / 2
    wide = found["size", "3 to 4 GPUs"]
    assert (wide.jobs, wide.median_wait_s, wide.p95_wait_s) == (2, 0, 6)


def test_requested_kinds_of_gpus_are_parts() -> None:
    jobs = tuple(
        replace(one, gpu=gpu) for one, gpu in zip(PLAIN.jobs, ("v", "v", None), strict=True)
    )
    found = parts_of(jobs, [])
    assert found[-2:] == [("kind", "GPUs: any kind", [2]), ("kind", "GPUs: v", [0, 1])]
    assert all(by != "kind" for by, _, _ in parts_of(jobs[:2], []))


def test_one_job_without_a_wait_does_not_hide_the_log() -> None:
    jobs = [replace(PLAIN.jobs[2], name=f"j{i}", waited_s=Decimal(6)) for i in range(20)]
    jobs[0] = replace(jobs[0], waited_s=None)
    instance = replace(PLAIN, jobs=tuple(jobs))
    assert part_metrics(instance, [(4, 6)] * 20)[0].logged_mean_wait_s == 6


def test_all_jobs_have_the_metrics_of_the_schedule() -> None:
    verdict = check(INSTANCE, PLANS)
    every, metrics = metrics_by(INSTANCE, verdict)[0], metrics_of(INSTANCE, verdict)
    assert (every.mean_wait_s, every.p95_wait_s) == (8 / 3, metrics.p95_queueing_s)
    assert every.worst_unfairness == metrics.worst_unfairness
    assert every.unfair_share == pytest.approx(float(metrics.unfair_share))


def test_small_groups_share_a_line_unless_they_wait() -> None:
    """Of 18 groups, each smaller than the one before, g14 waits longest in the second replay.

    g17 has waited in the log. No other group waits, so the larger ones come next.
    """
    jobs = [replace(PLAIN.jobs[0], name=f"j{i}", group=f"g{i}", gpus=20 - i) for i in range(18)]
    jobs[17] = replace(jobs[17], waited_s=Decimal(3))
    calm = [0.0] * 18
    shown = groups_shown(jobs, [calm, [*calm[:14], 9.0, *calm[15:]]])
    assert shown[:4] == ["g14", "g17", "g0", "g1"]
    groups = [(name, len(own)) for by, name, own in parts_of(jobs, shown) if by == "group"]
    assert groups == [(f"g{i}", 1) for i in (*range(10), 14, 17)]
    (others,) = [part for part in parts_of(jobs, shown) if part[0] == "others"]
    assert others[1:] == ("6 other groups", [10, 11, 12, 13, 15, 16])
    assert groups_shown(jobs[:12], [calm]) == [f"g{i}" for i in range(12)]


def test_a_table_says_how_its_groups_were_chosen() -> None:
    jobs = tuple(
        replace(PLAIN.jobs[2], name=f"j{i}", group=f"g{i}", gpus=1 + (i == 0)) for i in range(13)
    )
    found = part_metrics(replace(PLAIN, jobs=jobs), [(4, 6)] * 13)
    assert [part.label for part in found if part.by == "others"] == ["1 other group"]
    assert "the 4 with the longest p95 wait" in part_table(found, "waits").notes[-1]
    assert len(part_table(found[:3], "waits").notes) == 1


def test_deadlines_are_met_or_missed() -> None:
    due = {"a": 6, "b": 9, "c": None}
    jobs = (
        replace(one, due_s=None if (s := due[one.name]) is None else Decimal(s))
        for one in PLAIN.jobs
    )
    dated = replace(PLAIN, jobs=tuple(jobs))
    assert metrics_of(dated, check(dated, PLANS)).late_share == 0.5
    assert metrics_of(PLAIN, check(PLAIN, PLANS)).late_share is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (119, "119 s"),
        (150, "2.5 min"),
        (3599, "60 min"),
        (3600, "1 h"),
        (23_400, "6.5 h"),
        (172_799, "48 h"),
        (280_000, "3.24 days"),
        (-23_400, "-6.5 h"),
    ],
)
def test_times_have_a_unit_that_a_person_would_choose(seconds: float, text: str) -> None:
    assert time_text(seconds) == text


@pytest.mark.parametrize(
    ("times", "texts"),
    [
        ((0, 3000, 7200, 20_000), ["0 h", "0.833 h", "2 h", "5.56 h"]),
        ((7200, 30), ["120 min", "0.5 min"]),
        ((7200, 0.5), ["7,200 s", "0.5 s"]),
        ((0, 0), ["0 s", "0 s"]),
        ((864, 86_400 * 2), ["0.01 days", "2 days"]),
    ],
)
def test_several_times_have_one_unit(times: tuple[float, ...], texts: list[str]) -> None:
    assert time_texts(times) == texts


def test_a_table_has_one_unit_and_the_waits_of_a_complete_log() -> None:
    assert [unit_of(some) for some in ([None, 9000, 3], [130], [], [5e6])] == [
        (3600, "h"),
        (60, "min"),
        (1, "s"),
        (3600, "h"),
    ]
    found = metrics_by(INSTANCE, check(INSTANCE, PLANS))
    table = part_table(found, "x")
    assert table.rows[2][:4] == ("group blue", 1, 6, 6)
    assert "in the log, s: p95" in [column.name for column in table.columns]
    bare = part_table([replace(found[0], logged_mean_wait_s=None)], "x")
    assert "in the log, s: p95" not in [column.name for column in bare.columns]


def test_jains_index_is_of_the_time_over_the_shares_while_jobs_arrive() -> None:
    """Until c arrives at 4, red holds 4 GPUs, and blue waits."""
    assert metrics_of(INSTANCE, check(INSTANCE, PLANS)).group_fairness == Fraction(1, 2)
    assert metrics_of(PLAIN, check(PLAIN, PLANS)).group_fairness is None
    # If all arrive at once, red has 4 * 6 + 1 * 2 GPU-seconds in the end, and blue 3 * 4.
    jobs = (*INSTANCE.jobs[:2], replace(INSTANCE.jobs[2], arrival_s=Decimal(0)))
    once = replace(INSTANCE, jobs=jobs)
    index = Fraction((26 + 12) ** 2, 2 * (26**2 + 12**2))
    assert metrics_of(once, check(once, PLANS)).group_fairness == index
    shares = (JobGroup(name="red", share=Decimal(2)), JobGroup(name="blue", share=Decimal("0.5")))
    shared = replace(once, groups=shares)
    index = Fraction((13 + 24) ** 2, 2 * (13**2 + 24**2))
    assert metrics_of(shared, check(shared, PLANS)).group_fairness == index


def test_the_group_that_waits_longest() -> None:
    """The p95 decides, and the mean if no p95 is above 0."""
    every = part("all", "all jobs", 40.0, 3600.0)
    red, blue = part("group", "red", 30.0, 7200.0), part("group", "blue", 90.0, 5400.0)
    assert longest_wait([every, red, blue]) == (red, "p95 2 h, against 1 h overall")
    rare = [part("all", "all jobs", 4.0, 0.0), part("group", "red", 2.0, 0.0)]
    worst = part("group", "blue", 6.0, 0.0)
    assert longest_wait([*rare, worst]) == (worst, "mean 6 s, against 4 s overall")
    nobody = [part(by, by, 0.0, 0.0) for by in ("all", "group", "group")]
    assert longest_wait([every, red]) is None
    assert longest_wait(nobody) is None


def part(by: str, name: str, mean: float, p95: float) -> PartMetrics:
    none = dict.fromkeys(("logged_mean_wait_s", "logged_p95_wait_s"))
    rest = {"mean_slowdown": 1.0, "worst_unfairness": 1.0, "unfair_share": 0.0}
    waits = {"mean_wait_s": mean, "median_wait_s": 0.0, "p95_wait_s": p95, "p99_wait_s": p95}
    return PartMetrics(by=by, name=name, jobs=5, **waits, **none, **rest)


def test_the_gpus_of_groups_over_time() -> None:
    """Halves count as halves, and a job that follows at once changes nothing."""
    held = check(INSTANCE, PLANS).held
    assert group_steps(INSTANCE, held) == {
        "red": [(0, 4), (6, 1), (8, 0)],
        "blue": [(0, 0), (6, 3), (10, 0)],
    }
    assert group_times(group_steps(INSTANCE, held), 5, 9) == {"red": 4 + 2, "blue": 9}
    halves = make_instance({"s0": 1}, job("a", 1, 2, packed_speed=0.5, group="red"))
    half = schedule(plan("a", run(1, None, "half", s0=1)))
    steps = group_steps(halves, check(halves, half).held)
    assert steps == {"red": [(0, 0), (1, Fraction(1, 2)), (5, 0)]}
