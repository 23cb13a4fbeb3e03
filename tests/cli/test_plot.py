"""`ringyard plot`: every kind of figure from the folder of a campaign, and what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from figures.painted import row
from gantt.drawing import RINGS, TOGETHER
from gantt.slotted import INSTANCE, PLAN, RING_PLAN
from gantt.slotted import RINGS as RESERVED

from ringyard.campaigns.journal import Writer
from ringyard.instances import digest, save

SERVED = (
    (RINGS, TOGETHER, {"family": "makespan"}, ("sjf-bco", "random", "linearised:highs")),
    (INSTANCE, PLAN, {"family": "online", "sense": "max"}, ("pd-ors", "fifo")),
    (RESERVED, RING_PLAN, {"family": "reserved", "sense": "max"}, ("gadget",)),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small campaign, its rows by hand."""
    folder = tmp_path_factory.mktemp("campaign")
    for name in ("journal", "instances", "schedules"):
        (folder / name).mkdir()
    writer = Writer(folder / "journal")
    for instance, schedule, columns, methods in SERVED:
        key = digest(instance)
        save(instance, folder / "instances" / f"{key}.json.gz")
        save(schedule, folder / "schedules" / f"{instance.name}.json.gz")
        for i, method in enumerate(methods):
            usual = {"key": f"{instance.name} {method}", "digest": key, "bound_kind": "dual"}
            value = {"objective": 24 + i, "bound": 20 if columns["family"] == "makespan" else 99}
            found = {"schedule": f"schedules/{instance.name}.json.gz", "seconds": 0.1 + i}
            path = {"trajectory": [[0.05, 30, 20], [0.1, 24 + i, 20]], "status": "optimal"}
            writer.add(row(instance.name, method, **usual, **columns, **value, **found, **path))
    failed = {"valid": False, "objective": None, "status": "crashed", "bound_kind": "none"}
    last = {"key": "crash", "digest": digest(RINGS), **failed}
    writer.add(row("yard", "first-fit", **last))
    writer.close()
    return folder


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("gantt", ["--instance", "yard", "--method", "sjf-bco"]),
        ("gantt", ["--instance", "small", "--method", "fifo"]),
        ("gantt", ["--family", "reserved"]),
        ("ecdf", ["--instance", "y*", "--method", "sjf-bco", "--method", "random"]),
        ("ecdf", ["--family", "online"]),
        ("profile", ["--family", "makespan"]),
        ("profile-ratio", ["--family", "online"]),
        ("convergence", ["--instance", "yard"]),
        ("convergence", ["--instance", "small", "--log-time"]),
        ("tradeoff", ["--family", "online", "--seed", "0"]),
        ("ratios", ["--where", "sense=min"]),
        ("factors", ["--method", "sjf-bco"]),
    ],
)
def test_every_kind_of_figure_is_drawn(
    kind: str, words: list[str], folder: Path, tmp_path: Path, ringyard: Callable[..., Any]
) -> None:
    out = tmp_path / "figure.svg"
    done = ringyard("plot", folder, "--kind", kind, "--out", out, *words)
    assert (done.code, done.out) == (0, "")
    assert done.err == f"wrote {out}\n"
    text = out.read_text(encoding="utf-8")
    assert text.startswith("<svg ")
    names = words[words.index("--method") + 1 :: 2] if "--method" in words else []
    assert all(name in text or kind == "gantt" for name in names)


def test_names_of_the_legend_are_those_wanted(
    folder: Path, tmp_path: Path, ringyard: Callable[..., Any]
) -> None:
    words = ("--kind", "ratios", "--family", "makespan", "--rename", "sjf-bco=SJF-BCO")
    assert ringyard("plot", folder, *words, "--out", tmp_path / "a.svg").code == 0
    text = (tmp_path / "a.svg").read_text()
    assert "SJF-BCO" in text
    assert "sjf-bco" not in text


@pytest.mark.parametrize("suffix", [".png", ".pdf", ".html"])
def test_a_figure_is_written_in_the_format_of_its_name(
    suffix: str, folder: Path, tmp_path: Path, ringyard: Callable[..., Any]
) -> None:
    out = tmp_path / f"figure{suffix}"
    words = ["--family", "reserved"] if suffix == ".html" else ["--instance", "yard"]
    kind = "gantt" if suffix == ".html" else "convergence"
    assert ringyard("plot", folder, "--kind", kind, "--out", out, *words).code == 0
    start = {".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!DOCTYPE"}[suffix]
    assert out.read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--kind", "profle"], "Did you mean 'profile'?"),
        (["--kind", "ratios"], "--family: found 3 of them: makespan, online, reserved"),
        (["--kind", "gantt"], "--instance: found 3 of them: rings, small, yard"),
        (
            ["--kind", "gantt", "--instance", "yard"],
            "linearised:highs, random, sjf-bco, expected a",
        ),
        (["--kind", "gantt", "--method", "first-fit"], "found no schedule"),
        (["--kind", "ratios", "--method", "magic"], "expected one of fifo, first-fit, gadget"),
        (["--kind", "ratios", "--seed", "7"], "--seed: found '7', expected one of 0"),
        (["--kind", "ratios", "--seed", "-1"], "--seed: found '-1', expected one of 0"),
        (["--kind", "ecdf", "--family", "reserved"], "jobs without individual completion times"),
        (["--kind", "tradeoff", "--method", "first-fit"], "a case that every method answered"),
        (["--kind", "convergence", "--method", "first-fit"], "found no run to draw"),
        (["--kind", "ratios", "--rename", "fifo"], "--rename: found 'fifo', expected OLD=NEW"),
        (["--kind", "gantt", "--rename", "a=b"], "--rename: found --kind gantt, expected a figure"),
        (["--kind", "ecdf", "--family", "online", "--rename", "a=b"], "rename: found 'a'"),
        (["--kind", "groups", "--rename", "a=b"], "--rename: found --kind groups, expected"),
        (["--kind", "groups", "--out", "x.html"], "expected one of .svg, .png, .pdf, .csv"),
        (["--kind", "groups", "--family", "reserved"], "cannot have groups. Choose a trace."),
        (["--kind", "ratios", "--out", "x.gif"], "expected one of .svg, .pdf, .png"),
        (["--kind", "ratios", "--out", "x.html"], "expected one of .svg, .pdf, .png"),
        (["--kind", "ratios", "--out", "no/such/x.svg"], "a writable folder"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    words: list[str], error: str, folder: Path, tmp_path: Path, ringyard: Callable[..., Any]
) -> None:
    out = [] if "--out" in words else ["--out", tmp_path / "x.svg"]
    done = ringyard("plot", folder, *words, *out)
    assert done.code == 2
    assert error in done.err
    assert not (tmp_path / "x.svg").exists()


def test_more_methods_than_can_be_told_apart_are_listed(
    tmp_path: Path, ringyard: Callable[..., Any]
) -> None:
    (tmp_path / "journal").mkdir()
    writer = Writer(tmp_path / "journal")
    for i in range(1, 10):
        method = f"sjf-bco:kappa={i}"
        writer.add(row("i", method, key=method, options=f"kappa={i}", bound=1, bound_kind="dual"))
    writer.close()
    out = tmp_path / "x.svg"
    done = ringyard("plot", tmp_path, "--kind", "ratios", "--out", out)
    assert done.code == 2
    assert "--method: found 9 of them: sjf-bco:kappa=1, sjf-bco:kappa=2" in done.err
    words = ["--method", "sjf-bco:kappa=[1-8]"]
    assert ringyard("plot", tmp_path, "--kind", "ratios", "--out", out, *words).code == 0


def test_a_folder_without_rows_says_how_to_make_some(
    tmp_path: Path, ringyard: Callable[..., Any]
) -> None:
    done = ringyard("plot", tmp_path / "none", "--kind", "ratios", "--out", tmp_path / "x.svg")
    assert done.code == 2
    assert "Create it: `ringyard run" in done.err


@pytest.mark.parametrize(
    ("instance", "method"), [("hand-online-turn", "fifo"), ("hand-gadget-root", "ring-fifo")]
)
def test_solve_draws_schedules_in_slots(
    instance: str, method: str, tmp_path: Path, ringyard: Callable[..., Any]
) -> None:
    out = tmp_path / "plan.svg"
    done = ringyard("solve", instance, "--method", method, "--gantt", out)
    assert done.code == 0
    assert f"wrote {out}" in done.err
    assert f"{instance} · {method} · " in out.read_text(encoding="utf-8")
