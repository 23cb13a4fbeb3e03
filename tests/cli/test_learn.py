"""`ringyard corpus learn`: points and claims of a benchmark enter the index, wrong ones do not."""

import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from campaigns.runs_at_hand import Does, Here

from ringyard.analysis.rows import whole_row
from ringyard.campaigns.drive import drive
from ringyard.campaigns.perform import perform
from ringyard.campaigns.runs import Task
from ringyard.campaigns.store import Store, prepared
from ringyard.engines.engine import engine_of
from ringyard.engines.learn_rows import learn_program
from ringyard.engines.program_run import run_of
from ringyard.formulations.corpus import record
from ringyard.formulations.corpus.history import HistoryLine
from ringyard.formulations.corpus.index import HERE, INDICES, corpus, find_entry
from ringyard.formulations.corpus.record import IndexFiles
from ringyard.formulations.solver_interface import call
from ringyard.formulations.solver_interface.child import attempt
from ringyard.instances.reading.decode import read_text

Ringyard = Callable[..., Any]

NAME = "hand-contend.linearised.h7"
"""Its least value is 7, which is known and certified."""

FOUND, DAY = 7.0, "2026-01-01"


@pytest.fixture(name="index")
def an_index_that_knows_less(tmp_path: Path) -> Path:
    """Return a folder with an index that knows a point of value 9 and no bound."""
    folder, entry = tmp_path / "index", find_entry(NAME)
    folder.mkdir()
    (folder / "history.jsonl").write_text("")
    IndexFiles(folder).put(replace(entry, claims=()))
    IndexFiles(folder).append([line(value=9.0)])
    return folder


def line(side: Any = "point", **others: Any) -> HistoryLine:
    """Return a line about the program."""
    digest = find_entry(NAME).digest[:16]
    return HistoryLine(program=NAME, digest=digest, date=DAY, side=side, **others)


def lied(task: Task) -> dict[str, Any]:
    """Return the result of a run whose row claims one less than its point has."""
    found = perform(task)
    found["columns"]["objective"] -= 1
    return found


def bench(out: Path, *solvers: str, known: float = 9.0, does: Does = perform) -> Store:
    """Run solvers that know of a value, and return the folder."""
    entry, store = replace(find_entry(NAME), value=known), prepared(out)
    runs = [run_of(engine_of(solver), entry, 0, 60.0) for solver in solvers]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(call, "run_apart", attempt)
        drive(store, runs, Here(does), lambda state: None)
    store.refresh()
    return store


@pytest.fixture(name="done", scope="module")
def a_benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a benchmark in which two solvers find the optimum."""
    folder = tmp_path_factory.mktemp("learn") / "out"
    bench(folder, "highs", "scip")
    return folder


@pytest.fixture(name="out")
def a_copy_of_it(done: Path, tmp_path: Path) -> Path:
    """Return a copy of this folder."""
    return shutil.copytree(done, tmp_path / "out")


def point_of(out: Path) -> Path:
    (file,) = (out / "points").iterdir()
    return file


def change(out: Path, old: str, new: str) -> None:
    """Change the text of the one stored point."""
    text = read_text(point_of(out))
    assert old in text
    point_of(out).write_bytes(gzip.compress(text.replace(old, new).encode()))


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_the_better_of_two_equal_points_is_kept_and_none_that_is_known(
    out: Path, tmp_path: Path
) -> None:
    assert len(Store(out)) == 2
    assert f"=obj= {FOUND:g}" in read_text(point_of(out))
    known = bench(tmp_path / "known", "highs", known=FOUND)
    assert len(known) == 1
    assert not (tmp_path / "known/points").exists()


def test_a_better_point_and_its_proofs_are_learned(
    ringyard: Ringyard, out: Path, index: Path
) -> None:
    done = ringyard("corpus", "learn", out, "--index", index)
    assert done.code == 0, done.err
    entry = IndexFiles(index).entries()[NAME]
    assert (entry.value, entry.bound, entry.optimum) == (FOUND, FOUND, "certified")
    assert {"highs", "scip"} <= {*entry.provers}
    assert IndexFiles(index).point(NAME) is not None
    assert f"{NAME}: point 7, highs" in done.out
    assert "2 rows about 1 program of the corpus: 1 point, 1 certified bound, 2 claims" in done.out
    before = files(index)
    again = ringyard("corpus", "learn", out, "--index", index)
    assert again.out == "2 rows about 1 program of the corpus: nothing learned\n"
    assert files(index) == before


def test_dry_writes_nothing(ringyard: Ringyard, out: Path, index: Path) -> None:
    before, package = files(index), files(HERE)
    done = ringyard("corpus", "learn", out, "--index", index, "--dry", "--json")
    assert done.code == 0
    (lesson,) = done.json["programs"]
    assert [line["side"] for line in lesson["lines"]] == ["point", "proof", "proof", "bound"]
    assert files(index) == before
    assert ringyard("corpus", "learn", out, "--dry").code == 0
    assert files(HERE) == package


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("makespan_slots 7", "makespan_slots 6", "it violates makespan"),
        ("makespan_slots 7", "makespan_slut 7", "a column of the program"),
        ("makespan_slots 7", "makespan_slots seven", "a column and a number"),
    ],
)
def test_a_point_that_breaks_its_promise_is_refused(
    old: str, new: str, reason: str, ringyard: Ringyard, out: Path, index: Path
) -> None:
    change(out, old, new)
    done = ringyard("corpus", "learn", out, "--index", index, "--time-limit", 0)
    assert done.code == 1
    assert "REFUSED" in done.out
    assert reason in done.out
    entry = IndexFiles(index).entries()[NAME]
    assert (entry.value, entry.proofs) == (9.0, ())
    assert not (index / "points.json.gz").exists()


def test_a_point_that_is_worse_than_its_row_claims_is_refused(
    ringyard: Ringyard, tmp_path: Path, index: Path
) -> None:
    bench(tmp_path / "out", "highs", does=lied)
    done = ringyard("corpus", "learn", tmp_path / "out", "--index", index, "--time-limit", 0)
    assert done.code == 1
    assert "its value is 7, not 6 as its row claims" in done.out
    assert IndexFiles(index).entries()[NAME].value == 9.0


def test_a_damaged_file_and_a_point_below_a_certified_bound_are_refused(
    ringyard: Ringyard, out: Path, index: Path
) -> None:
    IndexFiles(index).append([line("bound", value=8.0, certificate="dual")])
    done = ringyard("corpus", "learn", out, "--index", index)
    assert done.code == 1
    assert "its value 7 is below the certified bound 8" in done.out
    point_of(out).write_bytes(b"\x1f\x8b damaged")
    assert ringyard("corpus", "learn", out, "--index", index).code == 1


def test_a_better_value_without_its_point_teaches_nothing(
    ringyard: Ringyard, out: Path, index: Path
) -> None:
    point_of(out).unlink()
    before = files(index)
    done = ringyard("corpus", "learn", out, "--index", index, "--time-limit", 0)
    assert done.code == 0
    assert "has 7, but its point is not in the folder. Rerun it." in done.out
    assert files(index) == before


HARD = "rental-power@types=400,seed=0.cones"


def claimed(limit: float, **columns: Any) -> dict[str, Any]:
    """Return a row of an engine that proves the value 3 of a program of the hard tier."""
    run = run_of(engine_of("cvxpy-clarabel"), find_entry(HARD), 0, limit)
    said = {"status": "optimal", "solution_status": "optimal", "termination": "done"}
    known = {"objective": 3.0, "valid": True, "violations": 0, "seconds": 7.04, "bound": 3.0}
    started = {"started": "2026-01-02T00:00:00.000Z"}
    return whole_row({**run.stated(), **said, **known, **started, **columns})


def test_the_hard_tier_gets_claims(index: Path) -> None:
    digest, files = find_entry(HARD).digest[:16], IndexFiles(index)
    files.append([HistoryLine(program=HARD, digest=digest, date=DAY, side="point", value=3.0)])

    def learn(*rows: dict[str, Any]) -> list[str]:
        lesson = learn_program(files.entries()[HARD], rows, None, files)
        return [claim.solver for claim in lesson.claims]

    others = claimed(60.0), claimed(600.0, seed=1), claimed(600.0, threads=2)
    assert learn(*others, claimed(600.0, status="refused")) == []
    assert learn(*others, claimed(600.0)) == ["cvxpy-clarabel"]
    entry = files.entries()[HARD]
    (claim,) = entry.claims
    assert (claim.status, claim.value, claim.bound, claim.seconds) == ("optimal", 3.0, 3.0, 7.0)
    assert (entry.limit_s, entry.difficulty, entry.provers) == (600.0, "easy", ("cvxpy-clarabel",))
    assert learn(claimed(600.0)) == []
    assert learn(claimed(600.0, solver_version="2")) == ["cvxpy-clarabel"]
    assert [claim.version for claim in files.entries()[HARD].claims] == ["2"]


def test_an_index_written_anew_is_the_same(tmp_path: Path) -> None:
    for tier, path in INDICES.items():
        for entry in list(corpus(tier).values())[:2]:
            IndexFiles(tmp_path).put(entry)
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_the_kept_rows_teach_nothing_new(ringyard: Ringyard) -> None:
    done = ringyard("corpus", "learn", "kept", "--dry", "--time-limit", 0)
    assert done.code == 0
    assert done.out.endswith("programs of the corpus: nothing learned, nothing written (--dry)\n")


def test_an_index_that_cannot_be_written_says_what_to_do(
    ringyard: Ringyard, out: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests may run as root, whom no folder refuses."""

    def refused(folder: Path) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(record, "reserve", refused)
        done = ringyard("corpus", "learn", out)
    assert done.code == 2
    words = " ".join(done.err.split())
    assert str(HERE) in words
    assert "--index" in words
    assert ringyard("corpus", "learn", out, "--index", point_of(out) / "x").code == 2


def test_a_folder_without_programs_of_the_corpus_is_said(
    ringyard: Ringyard, out: Path, index: Path
) -> None:
    (journal,) = (out / "journal").glob("*.jsonl")
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert {line["instance"] for line in lines} == {NAME}
    text = INDICES["standard"].read_text().replace(find_entry(NAME).digest, "0" * 64)
    (index / "index.json").write_text(text)
    done = ringyard("corpus", "learn", out, "--index", index)
    assert "2 rows of programs that are not in the corpus left out" in done.err
    assert "0 rows about 0 programs of the corpus: nothing learned" in done.out
    assert ringyard("corpus", "learn", index).code == 2
