"""Quality against time: what is made of solutions of other tools, and of their curves."""

from importlib.util import find_spec
from typing import Any

import pytest

from ringyard.analysis.check import check
from ringyard.campaigns.reproductions import Settings
from ringyard.instances.catalogue import load
from ringyard.instances.generate import generate
from ringyard.papers.anytime import study
from ringyard.papers.anytime.rivals import schedule_of
from ringyard.papers.anytime.study import RIVALS, GapsOverTime
from ringyard.papers.sides import blind
from ringyard.run import solve
from ringyard.search.makespan.bounds.counting import tasks_of
from ringyard.simulation import build_model, to_schedule


def made(instance: Any, starts: list[int], pieces: list[dict[str, int]]) -> tuple[Any, float]:
    found = {"starts": starts, "pieces": pieces}
    plan, makespan = schedule_of(build_model(instance), instance, found)
    return check(instance, to_schedule(instance, plan, "made")), makespan


@pytest.mark.parametrize("name", ["small-06x3", "hand-contend", "hand-lpt"])
def test_solutions_become_schedules_whatever_they_forget(name: str) -> None:
    """All jobs at once, on the servers of a schedule or on none: the engine puts them in a row."""
    instance = load(name)
    known = solve(instance, "gang-lpt")
    places = {server.name: str(s) for s, server in enumerate(instance.cluster.servers)}
    held = {one.job: one for one in known.schedule.assignments}
    pieces = [{places[s]: n for s, n in held[job.name].gpus} for job in instance.jobs]
    starts = [int(held[job.name].start_slot) for job in instance.jobs]
    for some, where in (
        (starts, pieces),
        ([0] * len(starts), pieces),
        (starts, [{}] * len(starts)),
    ):
        verdict, makespan = made(instance, some, where)
        assert verdict.valid
        assert verdict.makespan == makespan
    assert made(instance, starts, pieces)[1] <= known.objective


def test_a_plan_of_the_relaxation_is_kept_as_it_is() -> None:
    """One job after the other ends with the sum of least slots, unless it is started earlier."""
    instance = blind(generate("knot", seed=1, jobs=4, servers=2))
    slots, starts = [int(task.slots) for task in tasks_of(instance)], list[int]()
    for own in slots:
        starts.append(sum(slots[: len(starts)]))
        assert own > 0
    verdict, makespan = made(instance, starts, [{} for _ in slots])
    assert verdict.valid
    assert max(slots) <= makespan <= sum(slots)


def row(trajectory: list[Any], objective: float, **more: Any) -> dict[str, Any]:
    kept = {"instance": "x", "method": "m", "bound": 100, "certificate": "area", "valid": True}
    return {**kept, "trajectory": trajectory, "objective": objective, "status": "feasible", **more}


def test_a_curve_is_the_mean_once_all_have_a_schedule() -> None:
    one = GapsOverTime(
        {
            "a": [
                row([[0.1, 150, None], [2.0, 120, 100]], 120),
                row([[0.5, 110, None], [1.0, 100, 100]], 100, status="optimal"),
            ],
            "b": [row([], 0, valid=False, status="unknown"), row([[0.2, 130, None]], 130)],
        }
    )
    assert dict(one.curve("a")) == pytest.approx({0.5: 0.3, 1.0: 0.25, 2.0: 0.1})
    assert one.curve("b") == []
    assert one.at("a", 0.3) is None
    assert one.at("a", 1.5) == pytest.approx(0.25)
    assert (one.proofs("a"), one.proofs("b")) == (1, 0)


def test_a_tool_that_is_not_there_is_left_out_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = study.find_spec
    monkeypatch.setattr(
        study, "find_spec", lambda name: None if name == "pyjobshop" else wanted(name)
    )
    asked = {run.method for run in study.runs(Settings(seeds=1, points=1))}
    assert f"{RIVALS}:pyjobshop" not in asked
    assert f"{RIVALS}:greedy" in asked
    (said,) = [text for text in study.tools() if "PyJobShop" in text]
    assert said.startswith("PyJobShop is left out")
    assert "pip install 'ringyard[pyjobshop]'" in said


def test_the_greedy_list_scheduler_gives_valid_schedules() -> None:
    assert solve(load("small-08x4"), f"{RIVALS}:greedy").valid


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "package"), [("interval_model", "ortools"), ("pyjobshop", "pyjobshop")]
)
def test_other_tools_find_schedules_in_processes_of_their_own(name: str, package: str) -> None:
    if find_spec(package) is None:  # Importing it here would keep HiGHS from being loaded.
        pytest.skip(f"{package} is not installed")
    answer = solve(load("small-06x3"), f"{RIVALS}:{name}", time_limit=20.0, threads=2)
    assert answer.valid
    assert answer.trajectory
