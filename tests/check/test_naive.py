"""The judge against the plain loops of naive.py, over all options, also on bad schedules."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, get_args

from check.cases import breaches, job, plan, racks, yard
from check.naive import Story, crowding, tell
from hypothesis import given, settings
from hypothesis import strategies as st

from ringyard.analysis.check import Verdict, check
from ringyard.instances import FluidLinks, MakespanInstance, Schedule, ServerUplink
from ringyard.instances.makespan import Overhead, Progress

SERVERS = ("s0", "s1", "s2", "s3")
tenths = st.integers(0, 8).map(lambda n: Decimal(n) / 10)


@st.composite
def networks(draw: st.DrawFn, servers: int) -> ServerUplink | FluidLinks:
    if draw(st.booleans()):
        share = draw(st.sampled_from(["0.3", "0.6", "1"]))
        return ServerUplink(share=Decimal(share), degradation=draw(tenths))
    cut = draw(st.integers(1, servers))
    names = list(SERVERS[:servers])
    leaves = [part for part in (names[:cut], names[cut : cut + 1], names[cut + 1 :]) if part]
    spines = draw(st.lists(st.sampled_from("ab"), min_size=len(leaves), max_size=len(leaves)))
    over = st.sampled_from(["0.5", "1", "2", "3"])
    return racks(
        *leaves,
        spines=spines,
        leaf_oversubscription=draw(over),
        spine_oversubscription=draw(over),
    )


@st.composite
def yards(draw: st.DrawFn) -> MakespanInstance:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    jobs = [
        job(
            f"j{i}",
            draw(st.integers(1, min(5, sum(sizes)))),
            draw(st.integers(1, 12)),
            gradient_gb=draw(tenths),
            batch_samples=draw(st.integers(0, 2)),
            forward_s_per_sample=draw(tenths),
            backward_s=draw(st.sampled_from(["0.1", "0.3"])),
            release_slot=draw(st.integers(0, 2)),
        )
        for i in range(draw(st.integers(1, 5)))
    ]
    return yard(
        jobs,
        sizes,
        intra_bandwidth_gb_s=draw(st.sampled_from([2, 7])),
        inter_bandwidth_gb_s=draw(st.sampled_from([1, 2])),
        reduce_gb_s=draw(st.sampled_from([1, 30])),
        contention=draw(networks(len(sizes))),
        overhead=draw(st.sampled_from(get_args(Overhead))),
        overhead_s=draw(tenths),
        progress=draw(st.sampled_from(get_args(Progress))),
        slot_s=draw(st.sampled_from(["0.7", "1.5", "4"])),
    )


@st.composite
def plans(draw: st.DrawFn, instance: MakespanInstance) -> Schedule:
    """Draw starts and GPUs without a thought for gangs, capacities and releases."""
    servers = [server.name for server in instance.cluster.servers]
    entries = []
    for one in draw(st.permutations(instance.jobs)):
        start: Any = draw(st.integers(0, 5))
        if instance.progress == "continuous":
            start += draw(tenths)
        gpus: dict[str, int] = {}
        for _ in range(one.gpus if draw(st.booleans()) else draw(st.integers(1, 6))):
            server = draw(st.sampled_from(servers))
            gpus[server] = gpus.get(server, 0) + 1
        entries.append((one.name, start, gpus))
    schedule = plan(*entries, makespan=draw(st.none() | st.integers(1, 20)))
    claim = st.none() | st.integers(1, 12).map(Decimal)
    claims = [replace(entry, end_slot=draw(claim)) for entry in schedule.assignments]
    return replace(schedule, assignments=tuple(claims))


cases = yards().flatmap(lambda instance: st.tuples(st.just(instance), plans(instance)))


@settings(max_examples=300)
@given(case=cases)
def test_judge_and_loops_agree(case: tuple[MakespanInstance, Schedule]) -> None:
    instance, schedule = case
    verdict, story = check(instance, schedule), tell(instance, schedule)
    compare_costs(instance, verdict, story)
    compare_spans(schedule, verdict, story)
    compare_violations(instance, schedule, verdict, story)


def compare_costs(instance: MakespanInstance, verdict: Verdict, story: Story) -> None:
    assert verdict.ends == story.ends
    if len(story.ends) == len(instance.jobs):
        assert verdict.makespan == max(story.ends.values())
        assert verdict.mean_completion == sum(story.ends.values()) / len(story.ends)
    else:
        assert verdict.makespan is verdict.mean_completion is None


def compare_spans(schedule: Schedule, verdict: Verdict, story: Story) -> None:
    for entry in schedule.assignments:
        found = [[s.start, s.end, s.slowdown] for s in verdict.spans if s.job == entry.job]
        merged: list[list[Any]] = []
        for begin, end, slow in story.steps:
            if entry.job in slow and merged and merged[-1][2] == slow[entry.job]:
                merged[-1][1] = end
            elif entry.job in slow:
                merged.append([begin, end, slow[entry.job]])
        if entry.job in story.ends:
            assert found == merged
        else:
            # What a job does that never ends is told up to its last change of pace.
            assert found in (merged, merged[:-1])


def compare_violations(
    instance: MakespanInstance, schedule: Schedule, verdict: Verdict, story: Story
) -> None:
    expected = [*entry_faults(instance, schedule, story)]
    for server, begin, end, worst in crowding(instance, schedule, story):
        shown = ["..." if x is None else moment_text(x) for x in (begin, end)]
        expected.append(("capacity", f"server {server}, slots [{shown[0]}, {shown[1]})", worst))
    if schedule.makespan is not None and len(story.ends) == len(instance.jobs):
        off = abs(Fraction(schedule.makespan) - max(story.ends.values()))
        expected += [("makespan", "makespan", off)] if off else []
    assert sorted(breaches(verdict)) == sorted(expected)
    assert verdict.valid == (not expected)


def entry_faults(
    instance: MakespanInstance, schedule: Schedule, story: Story
) -> Iterator[tuple[str, str, Any]]:
    jobs = {job.name: job for job in instance.jobs}
    for i, entry in enumerate(schedule.assignments):
        where, asked = f"assignments[{i}], job {entry.job}", jobs[entry.job]
        held = sum(dict(entry.gpus).values())
        if held != asked.gpus:
            yield "gang", where, abs(held - asked.gpus)
        if entry.start_slot < asked.release_slot:
            yield "release", where, Fraction(asked.release_slot - entry.start_slot)
        if entry.job in story.left:
            yield "completes", where, story.left[entry.job]
        elif entry.end_slot is not None and entry.end_slot != story.ends[entry.job]:
            yield "completion", where, abs(Fraction(entry.end_slot) - story.ends[entry.job])


def moment_text(moment: Fraction) -> str:
    return str(moment) if moment.denominator < 10**6 else f"about {float(moment):.6f}"
