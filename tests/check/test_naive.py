"""The judge against the plain loops of naive.py, over all options, also on bad schedules."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from check.cases import breaches
from check.naive import Story, crowding, tell
from check.tiny import cases
from hypothesis import given, settings

from ringyard.analysis.check import check
from ringyard.analysis.check.contention import Verdict
from ringyard.instances import MakespanInstance, Schedule


@settings(max_examples=100)
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
