"""Branch and bound alone on larger instances: what a line says; from made-up rows."""

from typing import Any

from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.papers import far

SETTINGS = Settings(seeds=2, time_limit=9.0, points=1)


def answers(run: Run) -> dict[str, Any]:
    """Return a row: the first instance is proved by a search, the other by no one."""
    first = run.instance.name.endswith("-s0")
    return {
        "instance": run.instance.name,
        "digest": run.instance.name,
        "method": run.method,
        "status": "optimal" if first else "feasible",
        "valid": True,
        "objective": 14 if first else 13,
        "bound": 14 if first else 12,
        "bound_kind": "searched" if first else "dual",
        "seconds": 2.0,
    }


def test_a_line_says_how_many_are_proved_and_how_many_by_a_search() -> None:
    (line,) = far.report(SETTINGS, answers).tables["far"].rows
    assert line == ("24x8", 24, 8, "13-14 ?", "1/2 2 s", "1")


def test_every_size_is_asked_for_whatever_is_known() -> None:
    runs = list(far.runs(Settings(seeds=1)))
    sizes = [(len(run.instance.jobs), len(run.instance.cluster.servers)) for run in runs]
    assert [f"{jobs}x{servers}" for jobs, servers in sizes] == list(far.SIZES)
