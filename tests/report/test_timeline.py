"""Schedules as data for the page: what the judge computed, on lanes that do not overlap."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from typing import Any

import online_small
import pytest
import reserved_small
from gantt.test_trace import INSTANCE as TRACE
from gantt.test_trace import PLAN as RUNS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import makespan_instances, makespan_schedules

from ringyard.analysis.check import check
from ringyard.analysis.gantt import chart_of
from ringyard.analysis.report.schedules import plain
from ringyard.analysis.timeline import Bar, Life, Lives
from ringyard.instances import Admission, MakespanInstance, OnlineSchedule, SlotPlan

from .made import TOGETHER, make_instance


def lives_of(instance: Any, schedule: Any, bound: Fraction | None = None) -> Lives:
    """Judge a schedule and return what its jobs do."""
    make, verdict = chart_of(instance).timeline, check(instance, schedule)
    return make(instance, schedule, verdict, bound).lives()


def bars_of(lives: Lives) -> list[tuple[int, Bar]]:
    """Return all bars, with the place of their job."""
    return [(i, bar) for i, life in enumerate(lives.jobs) for bar in life.bars]


def together() -> Lives:
    """Return the timeline of two rings that share their uplinks for a while."""
    return lives_of(make_instance(), TOGETHER, Fraction(12))


def test_a_job_has_the_rate_and_the_contention_of_each_of_its_spans() -> None:
    alpha, beta, gamma = together().jobs
    assert [job.name for job in (alpha, beta, gamma)] == ["alpha", "beta", "gamma"]
    # An iteration takes 1 s on the uplink for each ring there, and 1 s of reduction.
    assert [float(span.rate) for span in alpha.spans] == pytest.approx([1 / 3, 1 / 2])
    assert "2 rings on its busiest server, slowdown 2" in alpha.spans[0].contention
    assert "1 ring on its busiest server, slowdown 1" in alpha.spans[1].contention
    assert [span.lost for span in alpha.spans] == [0.5, 0.0]
    assert gamma.spans[0].contention == "no contention: the ring stays inside its server"


def test_gangs_are_bars_on_every_server_they_use() -> None:
    held = [(job, bar.machine, bar.what) for job, bar in bars_of(together())]
    assert held == [
        (0, 0, "1 GPU"), (0, 1, "1 GPU"), (1, 0, "1 GPU"), (1, 1, "1 GPU"), (2, 0, "1 GPU"),
    ]  # fmt: skip


def no_overlaps(data: dict[str, Any]) -> None:
    """Hold all bars of a band against each other."""
    bands = defaultdict(list)
    for bar in data["bars"]:
        assert bar["lanes"][-1] <= data["bands"][bar["band"]]["lanes"]
        end = data["end"] if bar["end"] is None else bar["end"]
        for low, high in zip(bar["lanes"][::2], bar["lanes"][1::2], strict=True):
            bands[bar["band"]].append((bar["start"], end, low, high))
    for boxes in bands.values():
        for i, (start, end, low, high) in enumerate(boxes):
            for other in boxes[:i]:
                apart = end <= other[0] or other[1] <= start
                assert apart or high <= other[2] or other[3] <= low


@settings(max_examples=25)
@given(st.data(), makespan_instances())
def test_rates_add_up_to_all_iterations_and_bars_do_not_overlap(
    data: st.DataObject, instance: MakespanInstance
) -> None:
    schedule = data.draw(makespan_schedules(instance))
    lives = lives_of(instance, schedule)
    for job in lives.jobs:
        entity = next(one for one in instance.jobs if one.name == job.name)
        done = sum(float(span.end - span.start) * span.rate for span in job.spans)
        if job.end is not None:
            assert done >= entity.iterations * (1 - 1e-9)
            last = float(job.spans[-1].rate)
            assert done <= entity.iterations + last + 1e-6, "less than a slot is left over"
    no_overlaps(plain(lives))


def test_what_never_ends_is_drawn_to_the_end_of_a_longer_picture() -> None:
    bars = (
        Bar(machine=0, start=0, end=None, units=2, what="2 GPUs"),
        Bar(machine=0, start=0, end=10, units=1, what="1 GPU"),
    )
    jobs = (Life(name="j", about="", start=0, end=None, bars=bars, spans=()),)
    data = plain(Lives(machines=(("m", 3),), jobs=jobs, unit="slots", rate="per slot"))
    assert data["end"] == 11
    assert data["bars"][0]["end"] is None
    no_overlaps(data)


def test_machines_that_do_nothing_are_drawn_unless_there_are_very_many() -> None:
    few = Lives(machines=(("a", 1), ("b", 2)), jobs=(), unit="slots", rate="")
    assert [band["name"] for band in plain(few)["bands"]] == ["a", "b"]
    bar = Bar(machine=777, start=0, end=1, units=1)
    machines = tuple((f"m{i}", 1) for i in range(1000))
    job = Life(name="j", about="", start=0, end=1, bars=(bar,), spans=())
    many = Lives(machines=machines, jobs=(job,), unit="slots", rate="")
    data = plain(many)
    assert [band["name"] for band in data["bands"]] == ["m777"]
    assert data["bars"][0]["band"] == 0


def test_online_jobs_have_bars_of_slots_that_follow_each_other() -> None:
    machines = [
        online_small.machine("m0", cpu=4, port=1),
        online_small.machine("m1", cpu=4, port=1),
    ]
    job = online_small.training_job("j", samples=10, **online_small.with_rates("2", "1"))
    instance = online_small.online(machines, [job], 8)
    one, two = (("m0", 2),), (("m0", 1), ("m1", 1))
    plan = [(0, one), (1, one), (3, one), (4, two)]
    entries = tuple(SlotPlan(slot=s, workers=w, servers=(("m0", 1),)) for s, w in plan)
    schedule = OnlineSchedule(instance="small", admissions=(Admission(job="j", plan=entries),))
    lives = lives_of(instance, schedule)
    bars = {(b.machine, b.start, b.end, b.units, b.what) for _, b in bars_of(lives)}
    assert bars == {
        (0, 0, 2, 3, "2 workers and 1 parameter server"),
        (0, 3, 4, 3, "2 workers and 1 parameter server"),
        (0, 4, 5, 2, "1 worker and 1 parameter server"),
        (1, 4, 5, 1, "1 worker"),
    }
    spans = [(span.start, span.end, span.rate, span.contention) for span in lives.jobs[0].spans]
    assert spans == [
        (0, 2, 4, "contention: none, all inside one machine"),
        (3, 4, 4, "contention: none, all inside one machine"),
        (4, 5, 2, "contention: none, across machines"),
    ]
    assert "utility 10" in lives.jobs[0].about
    no_overlaps(plain(lives))


def test_reserved_rings_have_the_rate_of_their_workers() -> None:
    machines = [reserved_small.machine("m0", 2), reserved_small.machine("m1", 2)]
    jobs = [reserved_small.ring("a", 4), reserved_small.ring("b", 2)]
    instance = reserved_small.make_instance(machines, jobs, 3)
    held = [("a", 0, {"m0": 2, "m1": 1}), ("a", 1, {"m0": 2}), ("b", 1, {"m1": 2})]
    schedule = reserved_small.schedule(instance, *held)
    lives = lives_of(instance, schedule)
    assert [(s.start, s.end, s.rate) for s in lives.jobs[0].spans] == [(0, 1, 3), (1, 2, 2)]
    assert {(job, b.machine, b.start, b.end, b.what) for job, b in bars_of(lives)} == {
        (0, 0, 0, 2, "2 workers"),
        (0, 1, 0, 1, "1 worker"),
        (1, 1, 1, 2, "2 workers"),
    }
    assert Fraction(lives.jobs[1].start) == 1
    no_overlaps(plain(lives))


def test_runs_of_a_trace_are_bars_in_half_gpus_and_restarts_are_told() -> None:
    """Job a restarts from 10 to 12; b takes half of a GPU for as long as it works at half speed."""
    lives = lives_of(TRACE, RUNS)
    a, b = lives.jobs[:2]
    assert [(bar.start, bar.end, bar.units, bar.what) for _, bar in bars_of(lives)[:3]] == [
        (0, 3, 4, "2 GPUs"), (10, 13, 4, "2 GPUs"), (0, 6, 1, "half of 1 GPU"),
    ]  # fmt: skip
    assert [(span.start, span.end, span.rate, span.contention) for span in a.spans] == [
        (0, 3, 2, "inside one server"),
        (10, 12, 0, "restarts"),
        (12, 13, 2, "inside one server"),
    ]
    assert (b.end * lives.tick if b.end else None, b.about) == (
        6,
        "1 GPU, arrives at 0, 1 run, took 6 s",
    )
    assert lives.machines == (("s0", 4), ("s1", 4))
    no_overlaps(plain(lives))


def test_jobs_of_a_trace_that_never_run_have_no_line() -> None:
    nothing = replace(RUNS, jobs=())
    assert lives_of(TRACE, nothing).jobs == ()
