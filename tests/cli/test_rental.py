"""`ringyard show`, `generate` and `import pollux` for rented GPUs: what is told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ringyard.instances import load_instance

Ringyard = Callable[..., Any]
PROFILE = "placement,local_bsz,step_time\n1,8,0.5\n2,8,0.4\n"


def test_measured_profiles_become_an_instance(ringyard: Ringyard, tmp_path: Path) -> None:
    (tmp_path / "p/net").mkdir(parents=True)
    (tmp_path / "p/net/placements.csv").write_text(PROFILE)
    out = tmp_path / "x.json"
    words = ("--budget-gpus", "30", "--source", "me", "--json", "--out", out)
    row = ringyard("import", "pollux", tmp_path / "p", *words)
    assert (row.code, row.err) == (0, f"wrote {out}\n")
    assert (row.json["instance"], row.json["types"], row.json["budget_gpus"]) == ("p", ["net"], 30)
    made = load_instance(out)
    assert (made.kind, made.name, made.source) == ("rental", "p", "me")


def test_a_workload_on_a_cluster_becomes_a_trace(ringyard: Ringyard, tmp_path: Path) -> None:
    """An hour of work is assumed, 8 examples per 0.5 s on one GPU. On two GPUs 16 take 0.4 s."""
    (tmp_path / "p/net").mkdir(parents=True)
    (tmp_path / "p/net/placements.csv").write_text(PROFILE)
    (tmp_path / "jobs.csv").write_text("name,time,application,num_replicas\na,5,net,2\n")
    out, words = tmp_path / "x.json", ("--workload", tmp_path / "jobs.csv", "--rescale-s", "30")
    servers = ("--servers", "1x2", "--name", "small", "--json", "--out", out)
    row = ringyard("import", "pollux", tmp_path / "p", *words, *servers)
    assert (row.json["types"], row.json["budget_gpus"]) == (["net 2"], None)
    made = load_instance(out)
    assert (made.kind, made.name, made.restart_s) == ("trace", "small", 30)
    assert [(one.gpus, float(one.duration_s)) for one in made.jobs] == [(2, 3600 * 0.4)]
    for more in (("--batches", "tuned"), (*words, "--batches", "workload")):
        row = ringyard("import", "pollux", tmp_path / "p", *more, "--out", out)
        assert (row.code, "expected --servers as well" in row.err) == (2, True)


def test_import_refuses_to_guess(ringyard: Ringyard, tmp_path: Path) -> None:
    row = ringyard("import", "pollux", tmp_path, "--out", tmp_path / "x.json")
    assert row.code == 2
    assert "expected a folder with APPLICATION/placements.csv" in row.err
    assert not (tmp_path / "x.json").exists()


def test_measurements_on_kinds_become_a_trace(ringyard: Ringyard, tmp_path: Path) -> None:
    (tmp_path / "p/net").mkdir(parents=True)
    timed = "placement,local_bsz,step_time,sync_time\n1,8,0.5,0\n"
    (tmp_path / "p/net/placements-v.csv").write_text(timed)
    trained = "progress,grad_sqr,grad_var\n100,1,1\n"
    (tmp_path / "p/net/validation-8.csv").write_text(trained)
    jobs, out = tmp_path / "w.csv", tmp_path / "x.json"
    jobs.write_text("name,time,application,num_replicas\na,0,net,1\n")
    words = ("import", "pollux", tmp_path / "p", "--workload", jobs, "--rescale-s", "7")
    row = ringyard(*words, "--servers", "2x2:v", "--json", "--out", out)
    assert (row.code, row.json["types"], row.json["budget_gpus"]) == (0, ["net 1"], None)
    made = load_instance(out)
    assert (made.kind, made.name, made.restart_s, made.jobs[0].duration_s) == ("trace", "p", 7, 50)
    row = ringyard(*words, "--servers", "2x2:v,1x1", "--out", tmp_path / "y.json")
    assert row.code == 2
    assert "--servers: found '2x2:v,1x1', expected a kind of GPUs for every server" in row.err
    row = ringyard(*words, "--servers", "2x2:w", "--out", tmp_path / "y.json")
    assert row.code == 2
    assert "expected APPLICATION/placements-w.csv for an application" in row.err


def test_show_lists_types_and_what_the_theorem_needs(ringyard: Ringyard) -> None:
    lines = ringyard("show", "rental-stepped", "--jobs", "1").out.splitlines()
    assert any(line.startswith("  concave speed-ups: not met: the table of 't0'") for line in lines)
    assert "  free changes of width: met" in lines
    assert "  ... and 5 more (--jobs N shows more)" in lines


def test_show_tells_of_epochs_leases_and_jobs(ringyard: Ringyard) -> None:
    text = ringyard("show", "tiny-fleet-4-delays").out
    assert "a job pauses for 60 s when its GPUs change" in text
    assert "leases of any size, available after 120 s, billed in multiples of 60 s" in text
    assert "jobs: 4, arriving from 0 s to" in text
    assert ringyard("show", "tiny-fleet-4", "--jobs", "0").code == 0


def test_an_option_that_is_none_lists_all(ringyard: Ringyard) -> None:
    row = ringyard("generate", "fleet-pollux", "--seed", 0, "--set", "x=1")
    assert row.code == 2
    for option in ("arrivals", "sizes", "provision_s", "node_gpus", "budget_gpus"):
        assert option in row.err
