"""Campaign files with nodes: what edges bring, and what is said of faulty ones."""

from pathlib import Path

import pytest
from campaigns.graph.graphs_at_hand import (
    BEST,
    CHECK,
    DRAW,
    EXACT,
    HEAD,
    LIMITS,
    QUICK,
    WHOLE,
    node,
    plan_of,
)

from ringyard.campaigns.plan import named_campaigns, read_plan
from ringyard.instances.errors import InputError

PLAIN = HEAD + (
    'methods = ["gang-lpt", "random", "bound", "enumeration"]\nseeds = 2\n'
    '[[generate]]\nfamily = "small"\nseeds = 2\nset = ["jobs=4", "servers=2"]\n'
)


def test_a_graph_makes_the_runs_of_the_plain_campaign(tmp_path: Path) -> None:
    keys = {run.key for run in plan_of(tmp_path, WHOLE).runs}
    assert keys == {run.key for run in plan_of(tmp_path, PLAIN).runs}


def test_nodes_stand_behind_those_that_they_need(tmp_path: Path) -> None:
    stages = plan_of(tmp_path, HEAD + BEST + EXACT + CHECK + LIMITS + QUICK + DRAW).stages
    seen = set[str]()
    for stage in stages:
        assert set(stage.needs) <= seen
        seen.add(stage.name)
    assert len(seen) == 6


def test_edges_bring_instances_and_rows(tmp_path: Path) -> None:
    stages = {stage.name: stage for stage in plan_of(tmp_path, WHOLE).stages}
    assert [run.instance for run in stages["limits"].runs] == list(stages["draw"].instances)
    own = [run.key for name in ("quick", "limits") for run in stages[name].runs]
    assert list(stages["check"].takes) == own
    exact = [run.key for run in stages["exact"].runs]
    assert list(stages["best"].takes) == [*own, *exact]


def test_named_instances_join_drawn_ones_and_limits_come_from_the_top(tmp_path: Path) -> None:
    solve = node("quick", "solve", "draw", methods=["gang-lpt"], instances=["hand-lpt"])
    runs = plan_of(tmp_path, HEAD + "time_limit = 7\n" + DRAW + solve).runs
    assert [run.instance.name for run in runs][-1] == "hand-lpt"
    assert ([run.time_limit for run in runs], len(runs)) == ([7.0] * 3, 3)


def test_the_named_graph_is_one() -> None:
    types = {stage.type for stage in read_plan(named_campaigns()["graph"]).stages}
    assert types == {"generate", "solve", "bound", "verify", "table"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (DRAW + QUICK.replace("['draw']", "['drawn']"), "needs: found 'drawn'; .*mean 'draw'"),
        (
            DRAW + QUICK.replace("['draw']", "['draw', 'check']") + CHECK + LIMITS,
            "nodes: found 'quick' -> 'check' -> 'quick'; expected no way .*; remove one",
        ),
        (DRAW + node("check", "verify", "draw"), "'check': needs: found 'draw' of type 'generate'"),
        (
            DRAW + QUICK + node("t", "table", "quick") + node("u", "table", "t"),
            "'u': needs: found 't' of type 'table'; expected what .* can take: solve or bound",
        ),
        (node("quick", "solve", methods=["random"]), "'quick': needs: found nothing; .*instances"),
        (node("check", "verify"), "'check': needs: found nothing; expected a node of type solve"),
        (DRAW, "node 'draw': found no node that needs it"),
        (DRAW + node("quick", "solve", "draw"), "'quick': methods: found nothing; .*add "),
        (node("d", "generate") + node("b", "bound", "d"), "'d': family: found nothing"),
        (DRAW + LIMITS + "seeds = 3\n", "'limits': seeds: found 3; expected a field of .*'bound'"),
        (DRAW + QUICK + QUICK, "'quick': name: found 'quick'; expected a name that no other"),
        (DRAW + QUICK.replace("'quick'", "'../q'"), "name: found '../q'; expected no /"),
        (DRAW + QUICK.replace("solve", "sovle"), "type: found 'sovle'; .*did you mean 'solve'"),
        (DRAW + QUICK.replace("gang-lpt", "drf"), "node 'quick': methods: found 'drf'"),
        (DRAW.replace("small", "smal") + LIMITS, "node 'draw': generate: .*did you mean 'small'"),
        (DRAW.replace("jobs", "jops") + LIMITS, "jops: found an unknown key"),
        (
            DRAW + QUICK + node("t", "table", "quick", kind="solver"),
            "'t': kind: found 'solver'; .*did you mean 'solvers'",
        ),
        ("methods = ['random']\n" + DRAW + QUICK, "methods: .*expected none beside .*nodes"),
    ],
)
def test_a_faulty_graph_is_refused_with_the_place(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said) as found:
        plan_of(tmp_path, HEAD + text)
    assert str(tmp_path / "try.toml") in str(found.value)
