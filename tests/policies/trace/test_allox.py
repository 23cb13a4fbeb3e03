"""`allox` on cases whose assignment follows by hand."""

from itertools import product
from random import Random

import pytest
from check.trace.small import job, make_instance
from policies.trace.played import ends, played
from policies.trace.test_gavel_kinds import on, two_kinds

from ringyard.methods import find_method

METHOD = "allox:round_s=1:least_s=1"


def test_on_one_gpu_the_shortest_job_is_first() -> None:
    jobs = (job("a", 1, 30), job("b", 1, 10), job("c", 1, 20))
    found = ends(make_instance({"s0": 1}, *jobs), METHOD)
    assert found == {"b": 10, "c": 30, "a": 60}


def test_a_job_that_has_a_gpu_keeps_it() -> None:
    """The short job comes when the long one has begun. Under SRTF it would be first."""
    jobs = (job("a", 1, 30), job("b", 1, 5, arrival=3))
    assert ends(make_instance({"s0": 1}, *jobs), METHOD) == {"a": 30, "b": 35}


def test_a_part_of_the_waiting_jobs_is_assigned() -> None:
    """Half of four jobs are a and b, and b is the shorter one. Then half of a, c, d: a alone."""
    jobs = [job(name, 1, seconds) for name, seconds in (("a", 9), ("b", 5), ("c", 1), ("d", 2))]
    found = ends(make_instance({"s0": 1}, *jobs), f"{METHOD}:part=0.5")
    assert found == {"b": 5, "a": 14, "c": 15, "d": 17}


@pytest.mark.parametrize("seed", range(6))
def test_the_first_jobs_are_those_of_the_least_sum_of_completion_times(seed: int) -> None:
    """Six jobs on two GPUs: all ways to divide them are tried, and queues go by time."""
    rng = Random(seed)
    times = {f"j{k}": (rng.randint(50, 900), rng.choice([1, 2, 5])) for k in range(6)}
    jobs = [on(name, 1, time, {"y": 1 / slow}) for name, (time, slow) in times.items()]

    def queues(sides: tuple[int, ...]) -> list[list[tuple[int, str]]]:
        found: list[list[tuple[int, str]]] = [[], []]
        for side, (name, (time, slow)) in zip(sides, times.items(), strict=True):
            found[side].append((time * slow if side else time, name))
        return [sorted(queue, reverse=True) for queue in found]

    def total(sides: tuple[int, ...]) -> int:
        return sum(k * time for queue in queues(sides) for k, (time, _) in enumerate(queue, 1))

    best = queues(min(product((0, 1), repeat=6), key=total))
    firsts = {
        server: queue[-1][1] for server, queue in zip(("a0", "a1"), best, strict=True) if queue
    }
    begun = {
        entry.runs[0].gpus[0][0]: entry.job
        for entry in played(two_kinds(*jobs), "allox:round_s=100").jobs
        if entry.runs[0].start_s == 0
    }
    assert firsts.items() <= begun.items()


def test_jobs_of_several_gpus_are_refused() -> None:
    refused = find_method("allox", "trace").refuses(make_instance({"s0": 2}, job("a", 2, 9)))
    assert refused == "job 'a' needs 2 GPUs, and AlloX has a queue for each GPU. Use gavel."
