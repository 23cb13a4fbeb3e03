"""`ringyard run` of a graph: its end, its exit code, and its drawing."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaigns.graph.graphs_at_hand import HEAD, WHOLE, node, run

from ringyard.campaigns.store import Store

Call = Callable[..., Any]

PROGRAM = "import sys; from ringyard.cli import main; sys.exit(main())"

KILLED = """
import os, sys
import ringyard.campaigns.graph.step, ringyard.campaigns.journal
from ringyard.cli import main
usual = ringyard.campaigns.{what}
def once(*words):
    usual(*words)
    os.kill(os.getpid(), 9)
ringyard.campaigns.{what} = once
sys.exit(main())
"""


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    path = tmp_path / "try.toml"
    path.write_text(WHOLE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the place of a graph that has run."""
    folder = tmp_path_factory.mktemp("done")
    run(folder, WHOLE)
    return folder


def test_the_end_lists_nodes_and_files(ringyard: Call, done: Path) -> None:
    shown = ringyard("run", done / "try.toml", "--out", done / "out")
    assert shown.code == 0
    assert "quick   solve     done   6 of 6 runs" in shown.out
    for end in ("tex", "md", "csv"):
        assert f"see {done}/out/nodes/best.{end}" in shown.out
        assert (done / f"out/nodes/best.{end}").exists()


def test_a_failed_node_ends_in_1_and_others_are_done(ringyard: Call, tmp_path: Path) -> None:
    """In processes of their own, steps too."""
    bad = node("quick", "solve", methods=["linearised:cplex"], instances=["hand-lpt"])
    good = node("good", "solve", methods=["gang-lpt"], instances=["hand-lpt"])
    check, best = node("check", "verify", "good"), node("best", "table", "check", kind="runs")
    text = HEAD + bad + node("t", "table", "quick") + good + check + best
    path = tmp_path / "try.toml"
    path.write_text(text, encoding="utf-8")
    shown = ringyard("run", path, "--out", tmp_path / "out", "--workers", 1, "--json")
    assert shown.code == 1
    ended = {row["node"]: (row["state"], row["about"]) for row in shown.json["nodes"]}
    assert ended["t"] == ("not run", "because quick failed")
    assert ended["check"][0] == "done"
    assert ended["check"][1].startswith("1 schedule, 1 bound, ")
    assert ended["best"] == ("done", "runs, 1 line")
    assert "node t: not run, because quick failed" in shown.err


def test_the_drawing_says_what_is_done(
    ringyard: Call, campaign: Path, done: Path, tmp_path: Path
) -> None:
    shown = ringyard("run", campaign, "--graph", "--out", tmp_path / "none")
    assert "draw ─┬─> quick" in shown.out
    assert "quick   solve     missing  draw           0 of 6 runs" in shown.out
    assert not (tmp_path / "none").exists()
    rows = ringyard("run", campaign, "--graph", "--out", done / "out", "--json").json["nodes"]
    assert [row["state"] for row in rows] == ["done"] * 6


@pytest.mark.parametrize("end", ["svg", "dot", "txt"])
def test_the_drawing_becomes_a_file(
    end: str, ringyard: Call, campaign: Path, tmp_path: Path
) -> None:
    path = tmp_path / f"graph.{end}"
    shown = ringyard("run", campaign, "--out", tmp_path / "none", "--picture", path)
    assert (shown.code, shown.err) == (0, f"wrote {path}\n")
    assert "check" in path.read_text(encoding="utf-8")


def test_a_plain_campaign_draws_what_it_implies(ringyard: Call, tmp_path: Path) -> None:
    path = tmp_path / "plain.toml"
    path.write_text(HEAD + "instances = ['hand-lpt']\nmethods = ['random', 'bound']\n")
    shown = ringyard("run", path, "--graph", "--out", tmp_path / "none")
    assert "instances ─┬─> methods" in shown.out
    assert "bounds     bound  missing  instances  0 of 1 run" in shown.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--picture", "x.gif"], "--picture: found 'x.gif'; expected one of .svg, .pdf"),
        (["--picture", "no/such/x.svg"], "a file in a folder that can be written"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    words: list[str], said: str, ringyard: Call, campaign: Path
) -> None:
    shown = ringyard("run", campaign, *words)
    assert (shown.code, said in shown.err) == (2, True)


def test_watching_a_graph_that_is_done_says_how_it_went(ringyard: Call, done: Path) -> None:
    shown = ringyard("run", done / "try.toml", "--out", done / "out", "--watch")
    assert (shown.code, "check   verify    done" in shown.out) == (0, True)


@pytest.mark.slow
def test_a_killed_graph_goes_on_where_it_was(tmp_path: Path, done: Path) -> None:
    """Killed at the first row, and at the first record of a node."""
    (tmp_path / "try.toml").write_text(WHOLE, encoding="utf-8")
    words = ["run", "try.toml", "--out", "out", "--workers", "2"]
    known: dict[str, Any] = {}
    for what in ("journal.Writer.add", "graph.step.NodeStep.keep"):
        done_by = [sys.executable, "-c", KILLED.format(what=what), *words]
        killed = subprocess.run(done_by, cwd=tmp_path, check=False)
        assert killed.returncode == -signal.SIGKILL
        rows = {row["key"]: row for row in Store(tmp_path / "out").rows()}
        assert rows.items() >= known.items()
        known = rows
    subprocess.run([sys.executable, "-c", PROGRAM, *words], cwd=tmp_path, check=True)
    stable = ("instance", "method", "seed", "objective", "status")
    seen = [
        [[row[name] for name in stable] for row in Store(place / "out").rows()]
        for place in (tmp_path, done)
    ]
    assert seen[0] == seen[1]
    assert known.items() <= {row["key"]: row for row in Store(tmp_path / "out").rows()}.items()
    assert (tmp_path / "out/nodes/best.csv").exists()
