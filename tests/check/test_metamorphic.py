"""Changes of an instance that must leave the verdict as it is, or scale it."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from check.cases import job, make_instance, plan, ring
from check.tiny import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from ringyard.analysis.check import check
from ringyard.analysis.check.contention import Verdict
from ringyard.instances import Assignment, FluidLinks, MakespanInstance, RingJob, Schedule

Case = tuple[MakespanInstance, Schedule]
Rename = Callable[[str], str]


def times(entity: Any, factor: Decimal, *names: str) -> Any:
    return replace(entity, **{name: getattr(entity, name) * factor for name in names})


@settings(max_examples=50)
@given(
    case=cases.map(lambda case: (replace(case[0], progress="continuous"), case[1])),
    factor=st.sampled_from([Decimal("0.25"), Decimal(3), Decimal("7.1")]),
)
def test_scaling_time_scales_every_end(case: Case, factor: Decimal) -> None:
    instance, schedule = case
    seconds = ("gradient_gb", "forward_s_per_sample", "backward_s", "release_slot")
    jobs = tuple(times(one, factor, *seconds) for one in instance.jobs)
    longer = times(replace(instance, jobs=jobs), factor, "overhead_s")
    entries = tuple(times(entry, factor, "start_slot") for entry in schedule.assignments)
    before, after = check(instance, schedule), check(longer, replace(schedule, assignments=entries))
    exact = Fraction(factor)
    assert after.ends == {name: end * exact for name, end in before.ends.items()}
    assert [(s.start, s.end, s.slowdown) for s in after.spans] == [
        (s.start * exact, s.end * exact, s.slowdown) for s in before.spans
    ]


def relabelled(case: Case, rename: Rename, order: Callable[[Any], Any]) -> Case:
    """Give everything other names and another order."""
    instance, schedule = case
    cluster, model = instance.cluster, instance.contention
    servers = tuple(order([replace(s, name=rename(s.name)) for s in cluster.servers]))
    if isinstance(model, FluidLinks):
        leaves = [
            replace(leaf, name=rename(leaf.name), servers=tuple(map(rename, leaf.servers)))
            for leaf in model.leaves
        ]
        model = replace(model, leaves=tuple(order(leaves)))
    jobs: list[RingJob] = [replace(one, name=rename(one.name)) for one in instance.jobs]
    other = replace(
        instance,
        cluster=replace(cluster, servers=servers),
        contention=model,
        jobs=tuple(order(jobs)),
    )
    entries: list[Assignment] = [
        replace(
            entry,
            job=rename(entry.job),
            gpus=tuple(order([(rename(name), count) for name, count in entry.gpus])),
        )
        for entry in schedule.assignments
    ]
    return other, replace(schedule, assignments=tuple(order(entries)))


def essence(verdict: Verdict, rename: Rename) -> Any:
    """Return what a verdict says, without names in places and whatever the order."""
    return (
        {rename(name): end for name, end in verdict.ends.items()},
        verdict.makespan,
        verdict.mean_completion,
        sorted((rename(s.job), s.start, s.end, s.slowdown) for s in verdict.spans),
        sorted((v.rule, v.amount) for v in verdict.violations),
    )


@settings(max_examples=50)
@given(case=cases)
def test_names_and_orders_change_nothing(case: Case) -> None:
    def rename(name: str) -> str:
        return "z" + name.translate(str.maketrans("01234", "31420"))

    other = relabelled(case, rename, lambda items: list(reversed(items)))
    assert essence(check(*case), rename) == essence(check(*other), str)


def block(i: int) -> tuple[list[RingJob], list[tuple[str, Any, dict[str, int]]]]:
    """Return four jobs on two servers of their own, with contention and hand-overs."""
    a, b = f"s{2 * i}", f"s{2 * i + 1}"
    jobs = [ring(f"a{i}", 2, 4), ring(f"b{i}", 2, 4), job(f"c{i}", 2, 5), ring(f"d{i}", 3, 3)]
    both = {a: 1, b: 1}
    rows: list[tuple[str, Any, dict[str, int]]] = [
        (f"a{i}", i % 7, both),
        (f"b{i}", i % 7 + 2, both),
        (f"c{i}", i % 7 + 5, {a: 2}),
        (f"d{i}", i % 7 + 7, {a: 1, b: 2}),
    ]
    return jobs, rows


def test_2000_jobs_behave_as_500_blocks_of_4() -> None:
    blocks = [block(i) for i in range(500)]
    jobs = [one for jobs, _ in blocks for one in jobs]
    rows = [row for _, rows in blocks for row in rows]
    verdict = check(make_instance(jobs, [3] * 1000), plan(*rows))
    assert verdict.valid
    # Worked out by hand for one block; see test_timeline for the first two jobs.
    ends = {"a": 5, "b": 7, "c": 10, "d": 10}
    assert verdict.ends == {
        f"{name}{i}": i % 7 + end for i in range(500) for name, end in ends.items()
    }
    assert verdict.makespan == 16
