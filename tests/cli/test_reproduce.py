"""`ringyard reproduce`: what can be made again, tables and figures, and going on after Ctrl-C."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from campaigns.runs_at_hand import Here

from ringyard.campaigns import reproductions as results
from ringyard.campaigns.perform import perform
from ringyard.campaigns.runs import BOUND, Task
from ringyard.campaigns.store import Store
from ringyard.campaigns.study_pages import read_records
from ringyard.cli import reproduce
from ringyard.instances import digest
from ringyard.instances.generate import generate
from ringyard.instances.writing import UnwrittenError
from ringyard.papers.reproductions import REPRODUCTIONS
from ringyard.run import solve

DOCS = Path(__file__).parents[2] / "docs"
PART = re.compile(r"<!-- (?!end)(\S+) -->\n(.*?)<!-- end -->", re.DOTALL)
QUICK = ("--figure", 4, "--seeds", 1, "--time-limit", 0.2)
Call = Callable[..., Any]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Here:
    """Do all runs in this process."""
    does = Here()

    @contextmanager
    def executor(*_: Any) -> Iterator[Here]:
        yield does

    monkeypatch.setattr(reproduce, "executor", executor)
    return does


def test_alone_it_lists_what_there_is(ringyard: Call) -> None:
    shown, said = ringyard("reproduce"), ringyard("reproduce", "--json")
    names = [row["name"] for row in said.json["reproductions"]]
    assert names == [one.name for one in REPRODUCTIONS]
    assert all(name in shown.out for name in names)


def test_tables_that_cannot_be_written_are_shown(
    ringyard: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(target: Path, data: bytes) -> None:
        raise UnwrittenError(target, OSError(28, "No space left on device"), data)

    words = ("reproduce", "coded", "--smoke", "--out", tmp_path)
    shown = ringyard(*words)
    monkeypatch.setattr(results, "write_whole", full)
    again = ringyard(*words)
    assert (again.code, again.out) == (2, shown.out)
    assert "no space left on device" in again.err


def test_a_figure_is_tables_pictures_and_sentences_of_rows_as_of_solve(
    ringyard: Call, here: Here, tmp_path: Path
) -> None:
    done = ringyard("reproduce", "mobihoc", "--out", tmp_path, *QUICK)
    assert done.code == 0
    folder = tmp_path / "mobihoc"
    assert {path.name for path in folder.iterdir() if path.suffix} == {
        "statements.md",
        *(f"figure-4.{suffix}" for suffix in ("tex", "md", "csv", "svg", "pdf")),
    }
    assert (folder / "figure-4.md").read_text(encoding="utf-8").strip() in done.out
    for line in (folder / "statements.md").read_text(encoding="utf-8").splitlines():
        assert line in done.out

    rows = {(row["digest"], row["method"]): row for row in Store(folder).rows()}
    instance = generate("mobihoc", seed=0)
    for method in ("sjf-bco", "list-scheduling", "first-fit", "random"):
        answer = solve(instance, method, seed=0)
        assert rows[digest(instance), method]["objective"] == answer.objective
    assert sum(row["method"] == BOUND for row in rows.values()) == 1


def test_it_goes_on_where_it_was_interrupted(
    ringyard: Call, here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(task: Task) -> dict[str, Any]:
        if len(here.done) == 3:
            raise KeyboardInterrupt
        return perform(task)

    words = ("reproduce", "mobihoc", "--out", tmp_path, *QUICK, "--json")
    monkeypatch.setattr(here, "_does", stops)
    stopped = ringyard(*words)
    assert (stopped.code, stopped.out) == (130, "")
    assert "interrupted, 3 runs are missing" in stopped.err
    here.close()
    monkeypatch.setattr(here, "_does", perform)
    whole = ringyard(*words)
    assert len(here.done) == len(set(here.done)) == 6
    assert [one["name"] for one in whole.json["reproduced"]] == ["mobihoc"]
    assert all(Path(name).is_file() for name in whole.json["reproduced"][0]["files"])
    assert ringyard(*words).json == whole.json
    assert len(here.done) == 6


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mobihock"], "Did you mean 'mobihoc'"),
        (["mobihoc", "--figure", "3"], "--figure: found 3, expected one of 4, 5, 6, 7"),
        (["sensitivity", "--figure", "4"], "--figure: found 4, expected no value"),
        (["all", "--figure", "4"], "--figure: found 4, expected no value"),
        (["mobihoc", "--figure", "4", "--docs", "."], "--docs: found '.', expected all figures"),
        (["mobihoc", "--docs", "nowhere"], "the folder of the pages"),
        (["mobihoc", "--seeds", "0"], "--seeds: found 0"),
        (["mobihoc", "--time-limit", "0"], "--time-limit: found 0"),
        (["mobihoc", "--workers", "0"], "--workers: found 0"),
        (["mobihoc", "--seeds", "1.5"], "1.5"),
    ],
)
def test_what_cannot_be_made_is_refused(
    ringyard: Call, words: list[str], said: str, tmp_path: Path
) -> None:
    done = ringyard("reproduce", *words, "--out", tmp_path / "out")
    assert done.code == 2
    assert said in done.err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_is_refused(ringyard: Call, here: Here, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x", encoding="utf-8")
    done = ringyard("reproduce", "mobihoc", "--out", tmp_path / "taken")
    assert done.code == 2
    assert "a writable folder" in done.err


def parts(docs: Path) -> dict[tuple[str, str], str]:
    """Return what stands between marks, by page and name."""
    return {
        (page, name): text
        for one in REPRODUCTIONS
        for page in one.pages
        for name, text in PART.findall((docs / page).read_text(encoding="utf-8"))
    }


@pytest.mark.slow
def test_a_little_of_everything_comes_into_the_pages(
    ringyard: Call, here: Here, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    shutil.copytree(DOCS, docs)
    words = ("--smoke", "--out", tmp_path / "out", "--docs", docs, "--json")
    made = ringyard("reproduce", "all", *words).json["reproduced"]
    assert [one["name"] for one in made] == [one.name for one in REPRODUCTIONS]
    assert all(Path(name).is_file() for one in made for name in one["files"])

    before, after = parts(DOCS), parts(docs)
    whole = {
        (page, path.stem)
        for one in REPRODUCTIONS
        if one.smoke == one.settings
        for page in one.pages
        for path in (tmp_path / "out" / one.name).glob("*.md")
    }
    assert before.keys() == after.keys()
    followed = {page for one in REPRODUCTIONS if one.summary for page in one.pages}
    """What follows from the others follows from their small versions here, as far as these say."""
    same = {
        (page, name)
        for (page, name), text in after.items()
        if text == before[page, name] and page not in followed
    }
    computed = {("studies/boa.md", name) for name in ("bent", "oracle", "whole")}
    computed.add(("studies/sjf-bco-argument.md", "example"))
    licensed = {("studies/solvers.md", f"{name}-licensed") for name in ("ip", "lp", "milp")}
    dated = (name.partition("#") for name in read_records(DOCS))
    kept = {(f"studies/{page}.md", part) for page, _, part in dated if part}
    empty = {key for key in same if "| none |" in before[key]}
    assert same - licensed - kept - empty == (whole | computed) - empty, (
        "a small version differs, but where it is all there is"
    )
    pictures = {path.name for path in (docs / "pictures").iterdir()}
    assert pictures == {path.name for path in (DOCS / "pictures").iterdir()}

    done = list(here.done)
    again = ringyard("reproduce", "frontier", *words).json["reproduced"]
    assert again == [one for one in made if one["name"] == "frontier"]
    assert here.done == done
    assert parts(docs) == after
