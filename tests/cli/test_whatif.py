"""`ringyard whatif`: a trace replayed, the table, and what changes with the network."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from whatif_trace import crowded

from ringyard.analysis.whatif.goal import next_change
from ringyard.campaigns import journal
from ringyard.campaigns.store import existing
from ringyard.cli import main
from ringyard.cli.whatif.replays import WIDTH
from ringyard.instances import save

Call = Callable[..., Any]

PACK, CONSOLIDATE = "fifo:placement=pack", "fifo:placement=consolidate"
UPLINK = "uplink:degradation=10"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the trace, and in `out` the replay that is asked for below."""
    folder = tmp_path_factory.mktemp("whatif")
    save(crowded(), folder / "crowded.json")
    assert main(words(folder)) == 0
    return folder


def words(folder: Path, *more: str) -> list[str]:
    """Return a command line: two placements without contention, and with much of it."""
    what = ["--policies", f"{PACK},{CONSOLIDATE}", "--contention", f"none,{UPLINK}"]
    where = ["--out", str(folder / "out"), "--workers", "1"]
    return ["whatif", str(folder / "crowded.json"), *what, *where, *more]


def test_contention_reverses_a_conclusion(ringyard: Call, done: Path) -> None:
    """Side by side the wide jobs take 13 s each, or 40 s where they slow each other down.

    One after the other, each within a server, they are done 24 s after they arrived. The others
    take 48 s together.
    """
    told = ringyard(*words(done, "--json")).json
    means = {(row["policy"], row["contention"]): row["objective"] for row in told["rows"]}
    assert means == {
        (PACK, "none"): (48 + 2 * 13) / 8,
        (CONSOLIDATE, "none"): (48 + 2 * 24) / 8,
        (PACK, UPLINK): (48 + 2 * 40) / 8,
        (CONSOLIDATE, UPLINK): (48 + 2 * 24) / 8,
    }
    (change,) = told["changes"]
    assert (change["kind"], change["first"], change["second"]) == ("reversed", PACK, CONSOLIDATE)
    assert change["sentence"] == (
        f"Without contention, {PACK} beats {CONSOLIDATE} by 22.9 % (9.25 s, 12 s), but "
        f"under {UPLINK}, {CONSOLIDATE} beats {PACK} by 25 % (12 s, 16 s)."
    )
    assert told["summaries"] == [
        "Adding contention reversed 1 of 1 policy comparison by mean JCT (ties: within 1 %)."
    ]


def test_a_wide_margin_counts_both_as_equal(ringyard: Call, done: Path) -> None:
    told = ringyard(*words(done, "--margin", "24", "--json")).json
    assert [change["kind"] for change in told["changes"]] == ["appeared"]
    assert ringyard(*words(done, "--margin", "25", "--json")).json["changes"] == []


def test_the_terminal_shows_metrics_order_and_sentence(ringyard: Call, done: Path) -> None:
    shown = ringyard(*words(done)).out
    heads, lines = shown.splitlines()[3], shown.splitlines()[5:9]
    assert heads.split()[:4] == ["contention", "policy", "mean", "p95"]
    assert [line.split()[2] for line in lines] == ["9.25^", "12.00", "16.00", "12.00^"]
    assert f"none                   {PACK} < {CONSOLIDATE}" in shown
    assert f"{UPLINK}  {CONSOLIDATE} < {PACK}" in shown
    assert "by 25 %" in shown


def test_the_same_command_does_nothing_again(ringyard: Call, done: Path) -> None:
    rows = existing(done / "out").rows()
    ringyard(*words(done))
    assert existing(done / "out").rows() == rows
    assert len(rows) == 4


def test_the_folder_is_a_campaign(ringyard: Call, done: Path) -> None:
    """Its file asks for the same runs, and its rows make tables."""
    out = done / "out"
    ringyard(*words(done))
    plan = ringyard("run", out / "campaign.toml", "--out", out, "--plan").out
    assert plan.endswith("4 of 4 runs are done\n")
    assert "crowded: own, none" in ringyard("table", out, "--kind", "runs").out
    assert {"whatif.tex", "whatif.csv", "orders.md", "answers.svg", "parts.csv"} <= {
        path.name for path in out.iterdir()
    }


def test_the_page_has_the_findings(ringyard: Call, done: Path) -> None:
    page = done / "what-if.html"
    assert ringyard(*words(done, "--html", str(page))).code == 0
    text = page.read_text(encoding="utf-8")
    assert "by 25 %" in text
    assert text.index("<h2>What if</h2>") < text.index("<h2>Methods</h2>")
    assert "Waits and mean JCT by contention" in text


def test_one_policy_alone_has_nothing_to_change(ringyard: Call, done: Path) -> None:
    alone = ["--policies", PACK, "--contention", "none", "--workers", "1"]
    shown = ringyard("whatif", done / "crowded.json", *alone, "--out", done / "out").out
    assert "What if: crowded (contention none)" in shown
    assert "best to worst" not in shown
    assert "comparisons" not in shown


def test_refused_runs_are_rows_with_their_reason(ringyard: Call, tmp_path: Path) -> None:
    run = ("tiresias-testbed", "--policies", "state-search", "--first", "20", "--workers", "1")
    found = ringyard("whatif", *run, "--contention", "none", "--out", tmp_path, "--json")
    assert found.code == 3
    (row,) = found.json["rows"]
    assert (row["status"], row["objective"], row["gap"]) == ("refused", None, None)
    assert "12 jobs" in row["note"]


def test_ctrl_c_says_how_to_go_on(
    ringyard: Call, done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ringyard.cli.whatif.replays.drive", interrupted)
    found = ringyard(*words(done, "--policies", PACK)[:2], "--policies", PACK, "--out", tmp_path)
    assert found.code == 130
    assert "0 of 2 runs are done. Rerun the command to resume." in found.err


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--policies", "tiresias", "Did you mean 'tiresias-l'?"),
        ("--policies", "gadget", "found 'gadget', expected one of"),
        ("--policies", "fifo,", "names separated by commas"),
        ("--placements", "spred", "Did you mean 'spread'?"),
        ("--clusters", "3y4", "servers x GPUs"),
        ("--clusters", "0x4", "servers x GPUs"),
        ("--clusters", "own-4x4", "at most 3 servers of 4 GPUs, because the cluster has no more"),
        ("--clusters", "own-1x8", "a size that the cluster has: 3 servers of 4 GPUs"),
        ("--clusters", "own-3x4", "nothing would remain of the 3 servers"),
        ("--clusters", "own-s9", "a server of the cluster: s0, s1, s2"),
        ("--clusters", "own-s22", "Did you mean own-s2?"),
        ("--clusters", "own-s0-s0", "a server of the cluster: s1, s2"),
        ("--clusters", "own+100000x4", "at most 100,000 servers. Add fewer."),
        ("--clusters", "own+s1", "such as own+2x8"),
        ("--goal", "p95 wait", "Write for example --goal 'p95 wait 1h'"),
        ("--goal", "p95 wait 1 week", "a time in s, min, h or d"),
        ("--goal", "p50 slowdown 2", "mean or p95 of slowdown"),
        ("--add", "8", "expected --goal as well"),
        ("--goal=p95 wait 1h", "--margin=1", "no value with --goal"),
        ("--clusters", "4x4/5", "servers x GPUs"),
        ("--clusters", "own+2", "servers x GPUs"),
        ("--clusters", "own+2x8/2", "Drop the /"),
        ("--clusters", "2x1", "'x' (3), 'y' (3) need more than its 2 GPUs"),
        ("--clusters", "hand-lpt", "expected 'trace'"),
        ("--contention", "uplinks", "Did you mean 'uplink'?"),
        ("--contention", "none:share=1", "none alone"),
        ("--contention", "uplink:degradaton=1", "Did you mean 'degradation'?"),
        ("--load", "0", "a number above 0, at most 1000. Give 1"),
        ("--load", "-1", "a number above 0, at most 1000. Give 1"),
        ("--load", "much", "a number above 0, at most 1000"),
        ("--communication", "VGG19=1", "Did you mean 'VGG16'?"),
        ("--margin", "100", "per cent from 0 to 100"),
        ("--html", "page.pdf", "ends in .html"),
        ("--first", "0", "at least 1"),
    ],
)
def test_what_cannot_be_meant_is_said(
    ringyard: Call, done: Path, tmp_path: Path, option: str, value: str, said: str
) -> None:
    usual = () if option == "--policies" else ("--policies", "fifo")
    asked = ("whatif", done / "crowded.json", option, value, *usual, "--out", tmp_path / "out")
    found = ringyard(*asked)
    assert found.code == 2
    assert said in found.err
    assert not (tmp_path / "out").exists()


def test_json_says_what_was_done_to_the_trace(ringyard: Call, done: Path) -> None:
    told = ringyard(*words(done, "--json"))
    assert told.json["dropped"] == 0
    assert told.json["folder"] == str(done / "out")
    assert json.loads(told.out)["trace"] == "crowded"


def test_conclusions_are_shown_where_the_tables_cannot_be_written(
    ringyard: Call, done: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = ringyard(*words(done))
    write = Path.write_bytes

    def refuse(self: Path, data: bytes) -> int:
        if b"reversed" in data:
            raise OSError(28, "No space left on device")
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", refuse)
    again = ringyard(*words(done))
    assert (again.code, again.out) == (2, shown.out)
    assert "no space left on device" in again.err
    assert "Free some space, then rerun the command to write it" in again.err


def test_a_run_that_cannot_be_written_is_kept_and_told(
    ringyard: Call, done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal.Writer, "_append", refuse)
    shutil.copy(done / "crowded.json", tmp_path)
    told = ringyard(*words(tmp_path))
    assert told.code == 2
    assert (
        "a run could not be written: 1 of 4 runs are done. Rerun the command to resume." in told.err
    )


def test_networks_that_cannot_differ_are_replayed_once(ringyard: Call, tmp_path: Path) -> None:
    run = ("tiresias-example", "--policies", "fifo", "--workers", "1", "--out", tmp_path)
    found = ringyard("whatif", *run, "--json")
    assert "so uplink would have no effect" in found.json["remarks"][0]
    assert len(found.json["rows"]) == 1


@pytest.mark.parametrize("more", [(), ("--goal", "p95 wait 1d")])
def test_a_network_without_effect_is_told_even_alone(
    ringyard: Call, tmp_path: Path, more: tuple[str, ...]
) -> None:
    run = ("tiresias-example", "--policies", "fifo", "--workers", "1", "--out", tmp_path)
    found = ringyard("whatif", *run, "--contention", "uplink", *more)
    assert "note: no job of the trace communicates, so uplink would have no effect" in found.err


@pytest.mark.parametrize("command", ["whatif", "solve", "show"])
def test_a_log_has_to_be_imported_first(ringyard: Call, tmp_path: Path, command: str) -> None:
    log, jobs = tmp_path / "slurm.txt", tmp_path / "jobs.csv"
    log.write_text("JobID|Submit|Elapsed|State|AllocTRES\n7|x|y|COMPLETED|gres/gpu=1\n")
    jobs.write_text("job,submit,gpus\na,1,2\n")
    found = ringyard(command, log)
    assert (found.code, f"`ringyard import sacct {log} --out trace.json`" in found.err) == (2, True)
    log.write_text("JOBID|STATE|TIME\n7|RUNNING|1:00\n")
    assert "`ringyard import squeue " in ringyard(command, log).err
    assert "`ringyard import FORMAT " in ringyard(command, jobs).err
    jobs.write_text('[{"jobid": "1", "attempts": []}]')
    assert "`ringyard import philly " in ringyard(command, jobs).err


def goal(folder: Path, text: str, *more: str) -> tuple[str, ...]:
    """Return a command line that searches the number of servers for a goal."""
    trace = folder / "crowded.json"
    where = ("--out", str(folder / "goal"), "--workers", "1")
    return ("whatif", str(trace), "--policies", CONSOLIDATE, "--goal", text, *where, *more)


def test_the_fewest_servers_for_a_goal_are_found(ringyard: Call, done: Path) -> None:
    """The two wide jobs, of 3 GPUs within a server, find 2 idle GPUs on each of 3 servers.

    On a fourth server of 4 GPUs one of them runs from 1 s to 11 s, and then the other, which has
    waited 10 s. A fifth server lets both start at once.
    """
    found = ringyard(*goal(done, "p99 wait 0s", "--json")).json
    (answer,) = found["answers"]
    assert (found["server_gpus"], answer["change"], answer["gpus"]) == (4, 2, 20)
    tried = {size["change"]: size["reached"] for size in answer["tried"]}
    assert tried == {0: False, 1: False, 2: True}
    assert [size["value"] for size in answer["tried"]][1:] == [10, 0]
    shown = ringyard(*goal(done, "p99 wait 0s")).out
    assert "Goal: p99 wait at most 0 s (crowded)" in shown
    assert "reached with 2 more servers of 4 GPUs (20 GPUs in all): p99 wait 0 s" in shown
    assert "With 1 more server of 4 GPUs (16 GPUs in all), it is 10 s." in shown
    assert {"goal.csv", "statements.md", "answers.svg"} <= {
        path.name for path in (done / "goal").iterdir()
    }
    other = ringyard(*goal(done, "p99 wait 0s", "--clusters", "own+1x4")).out
    assert "cluster own+1x4: the goal is reached with 1 more server of 4 GPUs (20 GPUs" in other


def test_fewer_servers_may_be_enough(ringyard: Call, done: Path) -> None:
    """Any schedule reaches a very lax goal: only the widest job, of 3 GPUs, needs a server of 4."""
    found = ringyard(*goal(done, "p95 wait 1d", "--json"))
    (answer,) = found.json["answers"]
    assert (found.code, answer["change"], answer["gpus"]) == (0, -2, 4)
    assert "The jobs leave no smaller cluster to try." in answer["sentence"]


def test_a_goal_that_jobs_alone_do_not_reach_is_refused(ringyard: Call, tmp_path: Path) -> None:
    save(crowded(), tmp_path / "crowded.json")
    found = ringyard(*goal(tmp_path, "mean jct 1s"))
    assert (found.code, (tmp_path / "goal").exists()) == (2, False)
    assert "--goal: found 'mean jct 1s', expected at least 8.5 s" in found.err


def test_a_goal_that_no_cluster_reaches_is_missed(ringyard: Call, done: Path) -> None:
    """Spread over servers, the wide jobs take 13 s each, and all eight 48 + 26 s."""
    how = ("--policies", "fifo:placement=spread", "--goal", "mean jct 9s", "--add", "2", "--json")
    where = ("--out", done / "missed", "--workers", "1")
    found = ringyard("whatif", done / "crowded.json", *how, *where)
    assert found.code == 3
    (answer,) = found.json["answers"]
    assert (answer["change"], found.json["server_gpus"]) == (None, 2)
    assert "the goal is missed even with" in answer["sentence"]


def test_each_question_keeps_its_answers(ringyard: Call, done: Path, tmp_path: Path) -> None:
    """Answers to another question move to a folder of its name. A repeated one replaces its own."""
    trace, out = done / "crowded.json", tmp_path / "out"
    where = ("--policies", "fifo", "--out", out, "--workers", "1")
    first = ringyard("whatif", trace, "--contention", "none", *where)
    again = ringyard("whatif", trace, "--contention", "none", *where)
    assert "earlier" not in first.err + again.err
    table = (out / "whatif.csv").read_text()
    second = ringyard("whatif", trace, "--goal", "p95 wait 1d", *where)
    (earlier,) = (out / "earlier").iterdir()
    assert f"the answers to the earlier question are now in {earlier}" in second.err
    assert (earlier / "whatif.csv").read_text() == table
    assert (earlier / "question.txt").read_text() == "crowded --policies fifo\n"
    assert not (out / "whatif.csv").exists()
    assert (out / "question.txt").read_text() == "crowded --goal p95 wait 1d --policies fifo\n"
    ringyard("whatif", trace, "--contention", "none", *where)
    assert (out / "whatif.csv").read_text() == table
    assert len(list((out / "earlier").iterdir())) == 2


def test_the_sentences_say_what_is_not_counted(ringyard: Call, done: Path, tmp_path: Path) -> None:
    how = ("--contention", "none", "--clusters", "own,1x2", "--largest", "drop", "--workers", "1")
    shown = ringyard("whatif", done / "crowded.json", "--policies", "fifo", *how, "--out", tmp_path)
    said = "2 jobs too large for the smallest cluster are in no replay, and in none of these"
    assert f"- {said}" in shown.out
    assert said in (tmp_path / "statements.md").read_text()


def test_notes_of_methods_and_of_the_import_are_told(ringyard: Call, tmp_path: Path) -> None:
    save(replace(crowded(), notes=IMPORTED), tmp_path / "crowded.json")
    how = ("--policies", "fifo,quotas", "--contention", "none", "--workers", "1")
    for more in ((), ("--goal", "p95 wait 1d")):
        found = ringyard("whatif", tmp_path / "crowded.json", *how, *more, "--out", tmp_path / "o")
        assert "note: the import took 8 jobs from 9 records and left out 1 (no GPUs)\n" in found.err
        assert found.err.count("note: quotas: no group has a quota, so quotas serves like") == 1


IMPORTED = "Imported: 8 jobs from 9 records; left out: 1 (no GPUs); not used: name."


def test_jobs_that_are_left_out_are_an_axis(ringyard: Call, done: Path, tmp_path: Path) -> None:
    """Without the wide jobs, of VGG16, the six others start at once, as they also do with them."""
    how = ("--policies", "fifo", "--contention", "none", "--workers", "1", "--out", tmp_path)
    found = ringyard("whatif", done / "crowded.json", "--without", "model=VGG16", *how, "--json")
    assert [row["jobs"] for row in found.json["rows"]] == ["all", "without model=VGG16"]
    (effect,) = found.json["effects"]
    assert effect["sentence"].startswith("Without model=VGG16 (2 of 8 jobs), counting only the oth")
    assert effect["mean_jct_s"] == [8, 8]


def test_lines_of_tables_stay_readable(ringyard: Call, done: Path) -> None:
    lines = ringyard(*words(done)).out.splitlines()
    ruled = [line for line in lines if line.startswith("---")]
    assert max(map(len, ruled)) <= WIDTH
    hidden = " ".join(lines).partition("hidden, because a line has at most 120 characters: ")[2]
    assert "GPU-time, %: fragments" in hidden.partition("Waits by")[0]


def test_a_goal_is_searched_from_one_cluster(ringyard: Call, done: Path) -> None:
    found = ringyard(*goal(done, "p95 wait 1s", "--clusters", "own,2x8"))
    assert (found.code, "one cluster with --goal" in found.err) == (2, True)


@pytest.mark.parametrize(
    "limits", [(-5, 40, 9), (-5, 40, 40), (-5, 40, -5), (-5, 40, 0), (0, 1, 1)]
)
def test_the_search_ends_at_the_least_change_that_reaches_a_goal(
    limits: tuple[int, int, int],
) -> None:
    least, most, wanted = limits
    met: dict[int, bool] = {}
    while (change := next_change(met, least, most, 3)) is not None:
        assert least <= change <= most
        assert change not in met
        met[change] = change >= wanted
    assert min(change for change, reached in met.items() if reached) == wanted
    assert wanted == least or not met[wanted - 1]
