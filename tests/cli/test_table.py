"""`ringyard table`: every kind in every notation, chosen rows, and what it refuses."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from stats_rows import failed, run

from ringyard.analysis.rows import VERSION
from ringyard.analysis.table_kinds import KINDS
from ringyard.campaigns.campaign import TableKind, load_campaign
from ringyard.campaigns.journal import to_line
from ringyard.campaigns.store import Store
from ringyard.instances import digest, save
from ringyard.instances.catalogue import load

Call = Callable[..., Any]
NAMES = ("hand-lpt", "small-03x2")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign of two methods on two instances."""
    rows = []
    (tmp_path / "journal").mkdir()
    (tmp_path / "instances").mkdir()
    for name in NAMES:
        instance = load(name)
        save(instance, Store(tmp_path).instance_file(digest(instance)))
        common = {"digest": digest(instance), "termination": "done"}
        rows.append(run("sjf-bco", name, status="feasible", objective=12, seconds=0.5, **common))
        rows.append(run("branch-and-bound", name, **common))
    rows.append(failed("sjf-bco", "small-03x2", seed=1, digest=rows[-1]["digest"]))
    lines = b"".join(to_line(row | {"v": VERSION}) for row in rows)
    (tmp_path / "journal" / "1-a.jsonl").write_bytes(lines)
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("form", "part"),
    [("latex", r"\begin{table}"), ("markdown", "--:|"), ("csv", ","), ("html", "<table>")],
)
def test_every_kind_in_every_notation(
    ringyard: Call, folder: Path, kind: str, form: str, part: str
) -> None:
    done = ringyard("table", folder, "--kind", kind, "--format", form)
    assert (done.code, done.err) == (0, "")
    assert part in done.out
    assert "sjf-bco" in done.out or kind == "frontier"


def test_a_file_holds_what_would_be_printed_each_time_the_same(
    ringyard: Call, folder: Path
) -> None:
    words = ("table", folder, "--kind", "all", "--format", "latex", "--document")
    printed = ringyard(*words)
    assert printed.out.count(r"\begin{table}") == len(KINDS)
    assert printed.out.rstrip().endswith(r"\end{document}")
    for name in ("one.tex", "two.tex"):
        assert ringyard(*words, "--out", folder / name).out == ""
        assert (folder / name).read_text() == printed.out


def test_theorems_are_held_against_the_instances_of_the_folder(
    ringyard: Call, folder: Path
) -> None:
    done = ringyard("table", folder, "--kind", "verdicts", "--format", "csv")
    assert "optimal,yes,branch-and-bound,2,2,0,0,0,1.0,1.0" in done.out.splitlines()


def test_rows_can_be_chosen(ringyard: Call, folder: Path) -> None:
    words = ("--where", "instance=small-03x2", "--where", "seed=0", "--where", "time_limit=100")
    done = ringyard("table", folder, "--kind", "runs", "--format", "csv", *words)
    assert len(done.out.splitlines()) == 3


def test_rows_are_chosen_by_the_options_of_the_other_commands(ringyard: Call, folder: Path) -> None:
    words = ("--family", "makespan", "--instance", "small-*", "--method", "sjf-bco", "--seed", 1)
    done = ringyard("table", folder, "--kind", "runs", "--format", "csv", *words)
    assert [line.split(",")[:3] for line in done.out.splitlines()[1:]] == [
        ["small-03x2", "sjf-bco", "1"]
    ]


def test_methods_that_draw_no_lots_stand_for_every_seed(ringyard: Call, tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    rows = [run("random", seed=0), run("random", seed=1), run("sjf-bco:kappa=4")]
    lines = b"".join(to_line(row | {"v": VERSION}) for row in rows)
    (tmp_path / "journal" / "1-a.jsonl").write_bytes(lines)
    done = ringyard("table", tmp_path, "--kind", "solvers", "--format", "csv")
    assert [line.split(",")[1:3] for line in done.out.splitlines()] == [
        ["method", "cases"],
        ["random", "2"],
        ["sjf-bco:kappa=4", "2"],
    ]


@pytest.mark.parametrize(
    ("words", "name", "start"),
    [
        ([], "a.tex", "% needs"),
        ([], "a.md", "| instances"),
        ([], "a.csv", "instances,"),
        ([], "a.html", "<table>"),
        ([], "a.txt", "Comparison of methods\n\n"),
        (["--document"], "a.tex", r"\documentclass"),
        (["--format", "csv"], "a.tex", "instances,"),
    ],
)
def test_the_name_of_the_file_tells_the_notation(
    ringyard: Call, folder: Path, words: list[str], name: str, start: str
) -> None:
    assert ringyard("table", folder, *words, "--out", folder / name).code == 0
    assert (folder / name).read_text().startswith(start)


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--kind", "solver"], ["--kind: found 'solver'", "Did you mean 'solvers'?"]),
        (["--kind", "x"], ["one of ratios, solvers", "See `ringyard table --help`"]),
        (["--format", "latx"], ["--format: found 'latx'", "Did you mean 'latex'?"]),
        (["--document", "--format", "csv"], ["--format: found 'csv'", "latex, with --document"]),
        (["--where", "metod=x"], ["--where: found 'metod=x'", "Did you mean 'method'?"]),
        (["--instance", "x*"], ["--instance: found 'x*', expected one of hand-lpt, small-03x2"]),
        (["--seed", "7"], ["--seed: found '7', expected one of 0, 1"]),
        (
            ["--where", "method=x"],
            ["--where method: found 'x', expected one of branch-and-bound, sjf-bco"],
        ),
        (["--out", "/nowhere/at/all.md"], ["--out", "a file in a writable folder"]),
    ],
)
def test_what_cannot_be_is_refused_with_advice(
    ringyard: Call, folder: Path, words: list[str], parts: list[str]
) -> None:
    done = ringyard("table", folder, *words)
    assert (done.code, done.out) == (2, "")
    for part in parts:
        assert part in done.err


def test_a_folder_without_rows_is_refused(ringyard: Call, tmp_path: Path) -> None:
    done = ringyard("table", tmp_path / "nothing")
    assert (done.code, done.out) == (2, "")
    assert "the folder of a campaign" in done.err


def test_a_latex_table_fits_a_column(ringyard: Call, folder: Path) -> None:
    words = ("table", folder, "--kind", "solvers", "--format", "latex")
    wide, narrow = (ringyard(*words, *more) for more in ((), ("--width", 240)))
    assert wide.err == ""
    assert narrow.err == (
        "left out to fit 240 points: cases; feasible; crashed; seconds: PAR10; seconds: longest; "
        "MB. Name the columns that you want with --columns, or allow a larger --width.\n"
    )
    assert f"% {narrow.err}" in narrow.out
    assert narrow.out.count(r"\begin{tabular}") == 1
    assert ("MB" in wide.out, "{MB}" in narrow.out) == (True, False)
    chosen = ringyard(*words, "--width", 240, "--columns", "instances,method,solved,MB")
    every = ringyard("table", folder, "--kind", "all", "--document", "--width", 240).err
    assert f"tab:solvers: {narrow.err}" in every
    assert (chosen.err, r" & MB \\" in chosen.out) == ("", True)
    assert ringyard("table", folder, "--width", 0).code == 2


def test_footnotes_are_below_or_by_letter_or_left_out(ringyard: Call, folder: Path) -> None:
    words = ("table", folder, "--kind", "solvers", "--columns", "instances,method,solved,time")
    below, letters, none = (
        ringyard(*words, "--footnotes", place, "--format", "latex").out
        for place in ("below", "letters", "none")
    )
    assert "raggedright Solved: proved" in below
    assert r"{solved\textsuperscript{a}} & {time\textsuperscript{b}}" in letters
    assert r"\textsuperscript{a}Solved: proved" in letters
    assert r"\textsuperscript{b}Time: " in letters
    assert "raggedright" not in none
    assert r"Bold: the best" in none
    assert "| solvedᵃ |" in ringyard(*words, "--footnotes", "letters").out
    csv = ringyard(*words, "--footnotes", "letters", "--format", "csv").out
    assert csv.startswith("instances,method,solved,seconds: time\n")
    view = load_campaign(folder).table("solvers", columns="instances,method,solved,time")
    assert view.latex(footnotes="letters") == letters


def test_columns_names_and_methods_as_columns(ringyard: Call, folder: Path) -> None:
    words = ("table", folder, "--kind", "solvers", "--format", "csv", "--transpose")
    chosen = ("--columns", "instances,solved", "--rename", "sjf-bco=SJF-BCO", "--seed", 0)
    done = ringyard(*words, *chosen)
    assert done.out.splitlines() == [
        "instances,branch-and-bound,SJF-BCO",
        '"hand-lpt, small",2,0',
    ]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--columns", "tme"], "columns: found 'tme'"),
        (["--columns", "gap", "--kind", "all"], "--columns: found --kind all, expected one kind"),
        (["--rename", "time"], "--rename: found 'time', expected OLD=NEW"),
        (["--rename", "=x"], "--rename: found '=x', expected OLD=NEW"),
        (["--rename", "nothing=x"], "rename: found 'nothing'"),
        (["--kind", "failures", "--transpose", "--columns", "status"], "no measure"),
    ],
)
def test_arrangements_that_cannot_be_are_refused(
    ringyard: Call, folder: Path, words: list[str], part: str
) -> None:
    done = ringyard("table", folder, *words)
    assert (done.code, done.out) == (2, "")
    assert part in done.err


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_transposed_or_says_why_not(ringyard: Call, folder: Path, kind: str) -> None:
    for form in ("latex", "markdown", "csv", "html"):
        done = ringyard("table", folder, "--kind", kind, "--format", form, "--transpose")
        assert done.code == 0 or "expected one line of" in done.err


def test_a_terminal_shows_aligned_text(
    ringyard: Call, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("table", folder, "--kind", "runs")
    asked = ringyard(*words, "--format", "text")
    assert "|" not in asked.out
    assert "\n---" in asked.out
    assert ringyard(*words).out.startswith("| instance |")
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)
    monkeypatch.setenv("COLUMNS", "400")
    assert ringyard(*words).out == asked.out
    assert ringyard(*words, "--format", "markdown").out.startswith("| instance |")


def test_help_and_python_name_every_kind(ringyard: Call) -> None:
    text = " ".join(ringyard("table", "--help").out.split())
    assert [kind for kind in KINDS if f"({kind})" not in text] == []
    assert get_args(TableKind) == tuple(KINDS)


def test_a_file_in_an_unknown_notation_is_refused(ringyard: Call, folder: Path) -> None:
    done = ringyard("table", folder, "--out", folder / "t.xlsx")
    assert done.code == 2
    assert "--out: found '" in done.err
    assert "expected a name that ends in .tex, .md, .csv, .html, .txt" in done.err
    assert not (folder / "t.xlsx").exists()
    assert ringyard("table", folder, "--out", folder / "t.xlsx", "--format", "csv").code == 0


def test_who_names_the_campaign_file_learns_of_its_folder(
    ringyard: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gen.toml").write_text('format = "ringyard-campaign/1"\nname = "runs-of-gen"\n')
    before = ringyard("table", "gen.toml")
    assert "give its folder out/runs-of-gen" in before.err
    Path("out/runs-of-gen").mkdir(parents=True)
    for named in ("gen.toml", "runs-of-gen"):
        done = ringyard("table", named)
        assert done.code == 2
        assert "Give its folder out/runs-of-gen instead" in done.err
        assert "--out" not in done.err


def test_a_paper_has_its_own_caption_and_label(ringyard: Call, folder: Path) -> None:
    words = ("table", folder, "--caption", "Ours & theirs.", "--label", "tab:mine")
    text = ringyard(*words, "--format", "latex").out
    assert r"\caption[{Ours \& theirs}]{Ours \& theirs. Bold" in text
    assert r"\label{tab:mine}" in text
    assert ringyard(*words, "--format", "markdown").out.startswith("Ours \\& theirs\n\n| inst")
    document = ringyard(*words, "--document").out
    assert r"\label{tab:mine}" in document
    done = ringyard(*words, "--kind", "all")
    assert "--caption: found --kind all, expected one kind" in done.err
    assert "--label: found --kind all, expected one kind" in done.err
    view = load_campaign(folder).table()
    assert view.latex(label="tab:mine", caption="Ours & theirs.") == text
    narrow = ringyard("table", folder, "--format", "latex", "--width", 150).out
    assert view.latex(width=150) == narrow != view.latex()
