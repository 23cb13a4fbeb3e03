"""Who gets idle GPUs, and who goes first of equal rank; all cases worked out by hand."""

import pytest
from check.trace.small import job, make_instance
from policies.trace.played import ends

TWO = {"a0": 2, "a1": 2}


@pytest.mark.parametrize(
    ("ties", "over"), [("number", {"b": 6, "a": 10}), ("stable", {"a": 6, "b": 10})]
)
def test_equal_jobs_go_by_number_or_stay_as_they_stand(ties: str, over: dict[str, int]) -> None:
    """Both have four seconds left when `b`, the first of the file, arrives."""
    instance = make_instance({"a0": 2}, job("b", 2, 4, arrival=2), job("a", 2, 6))
    assert ends(instance, f"srtf:ties={ties}") == over


@pytest.mark.parametrize(("idle", "end"), [("kept", 30), ("offered", 22)])
def test_gpus_wait_for_a_job_or_are_used_meanwhile(idle: str, end: int) -> None:
    """From 2 to 10 a GPU of each server is free, and the wide job wants two of one server."""
    jobs = (
        job("x", 1, 10),
        job("short", 1, 2),
        job("y", 1, 10),
        job("wide", 2, 9, arrival=2),
        job("long", 1, 20, arrival=2),
    )
    over = ends(make_instance(TWO, *jobs), f"srtf:placement=consolidate:idle={idle}")
    assert over == {"x": 10, "short": 2, "y": 10, "wide": 19, "long": end}


@pytest.mark.parametrize(
    ("idle", "over"), [("kept", {"wide": 13, "long": 30}), ("offered", {"wide": 5, "long": 25})]
)
def test_a_job_takes_the_servers_of_those_behind_it(idle: str, over: dict[str, int]) -> None:
    """The wide job is the shortest: `y` leaves a server to it, and moves to the other."""
    jobs = (
        job("x", 1, 10),
        job("short", 1, 2),
        job("y", 1, 10),
        job("wide", 2, 3, arrival=2),
        job("long", 1, 20, arrival=2),
    )
    found = ends(make_instance(TWO, *jobs), f"srtf:placement=consolidate:idle={idle}")
    assert found == {"x": 10, "short": 2, "y": 10} | over
