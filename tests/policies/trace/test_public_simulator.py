"""Methods that obey the rules of Tiresias' public simulator end every job when it does."""

import re
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest
from check.trace.small import job, make_instance
from policies.trace.played import ends

from policies.trace import public_gandiva, public_simulator
from ringyard.instances import RefusedError, TraceInstance
from ringyard.instances.catalogue import load_as
from ringyard.instances.importers import ImportChoices, read_trace
from ringyard.run import solve

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from public_tiresias import AFTER, METHODS

TRACE = Path(__file__).parents[4] / "shared/traces/tiresias"
"""The trace of 60 jobs is not part of the repository."""

schedules = pytest.mark.parametrize("schedule", METHODS)


def counted(instance: TraceInstance) -> TraceInstance:
    """Return an instance in which only GPUs count."""
    jobs = tuple(replace(one, communication=Decimal(0)) for one in instance.jobs)
    return replace(instance, jobs=jobs, restart_s=Decimal(0), resume_s=None, contention=None)


def drawn(seed: int) -> TraceInstance:
    """Return jobs of which many pass the thresholds, on 1 to 4 servers."""
    rng, at, jobs = Random(seed), 0, []
    servers = {f"a{k}": 4 for k in range(rng.randint(1, 4))}
    widths = [gpus for gpus in (1, 1, 2, 4, 8, 16) if gpus <= 4 * len(servers)]
    for k in range(rng.randint(8, 16)):
        longest = rng.choice([300, 1500, 4000])
        jobs.append(job(f"j{k}", rng.choice(widths), rng.randint(1, longest), arrival=at))
        at += rng.choice([0, rng.randint(1, 100), rng.randint(100, 1000)])
    return make_instance(servers, *jobs)


def agree(instance: TraceInstance, schedule: str) -> bool:
    """Return True if all jobs end with our method when they do there."""
    if schedule == "gandiva":
        there = public_gandiva.seen_ends(instance)
    else:
        there = public_simulator.ends(instance, schedule)
    ours, most = ends(instance, METHODS[schedule]), AFTER.get(schedule, 1)
    return ours.keys() == there.keys() and all(0 <= there[j] - ours[j] < most for j in ours)


@schedules
def test_made_up_traces(schedule: str) -> None:
    for seed in range(2):
        instance = drawn(seed)
        assert agree(instance, schedule)


@schedules
@pytest.mark.skipif(not TRACE.is_dir(), reason="no ../shared/traces")
def test_the_trace_of_60_jobs(schedule: str) -> None:
    choices = ImportChoices(name="x")
    read = read_trace("tiresias", TRACE / "simulator__60_job.csv", choices, servers="3x4")
    instance = counted(read.instance)
    assert agree(instance, schedule)


@pytest.mark.parametrize("schedule", ["fifo", "fjf", "sjf", "shortest", "shortest-gpu"])
def test_ends_on_the_testbed_are_those_of_the_public_simulator(schedule: str) -> None:
    instance = counted(load_as(TraceInstance, "tiresias-testbed"))
    assert agree(instance, schedule)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", ["dlas-gpu", "dlas-gpu-05"])
def test_the_queues_on_the_testbed(schedule: str) -> None:
    instance = counted(load_as(TraceInstance, "tiresias-testbed"))
    assert agree(instance, schedule)


UNLIKE = {
    "unequal servers": make_instance({"a": 4, "b": 2}, job("x", 1, 4)),
    "a bound job": make_instance(
        {"a": 4, "b": 4}, job("x", 1, 4, allowed_regions=("east",)), regions={"a": "east"}
    ),
}


@pytest.mark.parametrize("wrong", UNLIKE)
def test_its_gandiva_refuses_what_the_simulator_does_not_have(wrong: str) -> None:
    with pytest.raises(RefusedError, match="equal servers and jobs that may run everywhere"):
        solve(UNLIKE[wrong], "gandiva:rules=released")


def test_the_rules_of_the_paper_are_others() -> None:
    """`tiresias-l` leaves a queue in time, and serves it by first starts."""
    instance = drawn(1)
    paper = "tiresias-l:placement=pack:thresholds=[3250,7200]"
    assert ends(instance, paper) != public_simulator.ends(instance, "dlas-gpu")


def test_the_page_has_the_same_methods() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/trace-rules.md").read_text(encoding="utf-8")
    page = page.partition("## The public simulator of Gavel")[0]
    rows = re.findall(r"^\| (`[\w-]+`(?:, `[\w-]+`)*) \| (`.*`) \|$", page, re.MULTILINE)
    shown = {}
    for schedules_there, methods in rows:
        first, *others = re.findall(r"`([^`]+)`", methods)
        # An option alone, such as promote=2, is one of the first method.
        home, whole = first.partition(":")[0], [other.partition(":")[0] for other in others]
        others = [
            f"{home}:{o}" if "=" in name else o for o, name in zip(others, whole, strict=True)
        ]
        texts = [first, *others]
        shown |= dict(zip(re.findall(r"`([^`]+)`", schedules_there), texts, strict=True))
    assert shown == METHODS
