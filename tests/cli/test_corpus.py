"""`ringyard corpus`: the list, the exported folder, and points of solvers used without us."""

import csv
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ringyard.formulations.corpus import index

Ringyard = Callable[..., Any]

OUTSIDE = """
import csv, sys
import highspy
for row in csv.DictReader(open("index.csv")):
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(row["file"]) == highspy.HighsStatus.kOk
    solver.run()
    values, lp = solver.getSolution().col_value, solver.getLp()
    with open(row["name"] + ".mine", "w") as file:
        for name, value in zip(lp.col_names_, values):
            file.write(f"{name} {value!r}\\n")
    assert not any(name.startswith("ringyard") for name in sys.modules)
"""
"""A user's script: it has HiGHS and the folder, and nothing of this project."""


def test_an_outside_solver_solves_the_folder_and_its_points_are_judged(
    ringyard: Ringyard, tmp_path: Path
) -> None:
    names = ["hand-contend.linearised.h7", "hand-contend.columns.h7", "pdors-s0.slot.j1.relaxed"]
    assert ringyard("corpus", "export", *names, "--out", tmp_path).code == 0
    script = [sys.executable, "-I", "-c", OUTSIDE]
    subprocess.run(script, cwd=tmp_path, check=True, timeout=600)
    for name in names:
        found = ringyard("corpus", "check", tmp_path / f"{name}.mine", "--program", name, "--json")
        assert (found.code, found.json["says"]) == (0, "equal"), name
        assert found.json["holds_to_1e-6"]
    plan = ringyard("corpus", "check", tmp_path / f"{names[0]}.mine", "--program", names[0])
    assert "valid\nmakespan 7 slots" in plan.out


def command_line() -> tuple[str, list[str]]:
    """Return a solver's own program, and the words that write its point of a file."""
    cbc = ["-solve", "-solution", "mine.sol"]
    for name, words in (
        ("highs", ["--solution_file", "mine.sol"]),
        ("glpsol", ["--freemps", "-w", "mine.sol"]),
        ("cbc", cbc),
    ):
        if program := shutil.which(name):
            return program, words
    box = pytest.importorskip("cbcbox", reason="there is no highs, glpsol or cbc on the PATH")
    return str(box.cbc_bin_path()), cbc


def test_a_point_of_a_solvers_own_program_is_judged(ringyard: Ringyard, tmp_path: Path) -> None:
    name = "hand-contend.linearised.h7"
    assert ringyard("corpus", "export", name, "--out", tmp_path).code == 0
    with (tmp_path / "index.csv").open() as file:
        exported = next(csv.DictReader(file))["file"]
    program, words = command_line()
    subprocess.run([program, exported, *words], cwd=tmp_path, check=True, timeout=600)
    plan = ringyard("corpus", "check", tmp_path / "mine.sol", "--program", name)
    assert plan.code == 0
    assert "valid\nmakespan 7 slots" in plan.out


def test_exported_points_hold_and_the_index_has_a_line_for_each(
    ringyard: Ringyard, tmp_path: Path
) -> None:
    assert ringyard("corpus", "export", "hand-contend.*.h7", "--out", tmp_path).code == 0
    rows = list(csv.DictReader((tmp_path / "index.csv").read_text().splitlines()))
    assert {row["formulation"] for row in rows} > {"linearised", "nonconvex", "columns"}
    for row in rows:
        assert (tmp_path / row["file"]).stat().st_size > 0
        found = ringyard("corpus", "check", tmp_path / row["sol"], "--program", row["name"])
        assert found.code == 0, row["name"]
        assert "as good as the best known" in found.out


def test_the_list_is_cut_by_class_family_and_difficulty(ringyard: Ringyard) -> None:
    every = ringyard("corpus", "--json").json["programs"]
    chosen = ("corpus", "--class", "LP", "--family", "online", "--json")
    found = ringyard(*chosen).json["programs"]
    assert found == [row for row in every if (row["class"], row["family"]) == ("LP", "online")]
    words = ringyard("corpus", "--difficulty", "open").out
    assert words.endswith(f"of {len(every)} programs\n")


def test_the_hard_tier_is_asked_for_by_name(ringyard: Ringyard) -> None:
    found = ringyard("corpus", "--tier", "hard", "--family", "rental", "--json").json["programs"]
    assert {row["tier"] for row in found} == {"hard"}
    words = ("rental-*", "--tier", "hard", "--solvers", "cvxpy-clarabel", "--plan")
    assert ringyard("bench", *words).out.startswith(f"{len(found)} runs, ")
    assert ringyard("bench", *words[:1], *words[3:]).code == 0
    assert ringyard("bench", found[0]["name"], *words[3:]).code == 2


@pytest.fixture
def point(ringyard: Ringyard, tmp_path: Path) -> Path:
    """Return the best point of a program, as exported."""
    assert ringyard("corpus", "export", NAME, "--out", tmp_path).code == 0
    return tmp_path / f"{NAME}.sol"


NAME = "hand-contend.linearised.h7"


def judged(ringyard: Ringyard, path: Path) -> tuple[int, str]:
    found = ringyard("corpus", "check", path, "--program", NAME, "--json")
    return found.code, found.json["says"]


def test_a_point_that_misses_a_row_is_refused(ringyard: Ringyard, point: Path) -> None:
    lines = point.read_text().splitlines()
    point.write_text("\n".join(line for line in lines if not line.startswith("start(")))
    assert judged(ringyard, point) == (1, "none")


def test_a_solvers_tolerance_is_told_from_a_point_that_holds(
    ringyard: Ringyard, point: Path
) -> None:
    text = point.read_text()
    point.write_text(text.replace("makespan_slots 7", "makespan_slots 6.9999999"))
    found = ringyard("corpus", "check", point, "--program", NAME, "--json")
    assert (found.code, found.json["holds_exactly"], found.json["holds_to_1e-6"]) == (
        0,
        False,
        True,
    )
    assert found.json["value_exact"] == "69999999/10000000"
    assert found.json["miss_of_rows"]["where"].startswith("makespan")


def test_records_and_contradictions_are_told(
    ringyard: Ringyard, point: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = index.corpus()[NAME]

    def suppose(**change: Any) -> tuple[int, str]:
        changed = {**index.corpus(), NAME: replace(known, **change)}
        with monkeypatch.context() as patch:
            patch.setattr(index, "corpus", lambda *_: changed)
            return judged(ringyard, point)

    assert suppose() == (0, "equal")
    assert suppose(value=8.0) == (0, "record")
    assert suppose(value=6.0, bound=5.0) == (0, "worse")
    assert suppose(value=None) == (0, "first")
    assert suppose(value=9.0, bound=8.0) == (1, "contradiction")
    assert suppose(value=None, bound=None, certificate="judge") == (1, "contradiction")


def test_a_lead_within_the_tolerance_is_no_record(
    ringyard: Ringyard, point: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The point misses a row by 1e-7, and nobody can say what that is worth."""
    known = replace(index.corpus()[NAME], value=8.0, bound=5.0)
    monkeypatch.setattr(index, "corpus", lambda *_: {NAME: known})
    assert judged(ringyard, point) == (0, "record")
    text = point.read_text()
    point.write_text(text.replace("makespan_slots 7", "makespan_slots 6.9999999"))
    assert judged(ringyard, point) == (0, "inexact")


ROUNDED = """\
share(0,2) 1
share(1,25) 1
share(2,0) 0.3175676396745
share(2,2) 0.6824323603255
share(3,8) 1
share(4,10) 1
"""
"""What HiGHS prints of an optimum of `rental-whole-s1.shares`, to 13 digits."""


@pytest.mark.parametrize(("left", "code"), [("0.6824323603255", 0), ("0.6824", 1)])
def test_a_schedule_that_breaks_a_limit_by_rounding_only_is_not_called_invalid(
    left: str, code: int, ringyard: Ringyard, tmp_path: Path
) -> None:
    path, name = tmp_path / "mine.sol", "rental-whole-s1.shares"
    path.write_text(ROUNDED.replace("0.6824323603255", left))
    done = ringyard("corpus", "check", path, "--program", name)
    assert done.code == code
    if code:
        assert "the point is infeasible" in done.out
        return
    assert "it violates row budget by 2.23e-15" in done.out
    assert "valid to 1e-6: 1 violation\n  budget at budget_gpus by 4.5" in done.out
    schedule = ringyard("corpus", "check", path, "--program", name, "--json").json["schedule"]
    assert (schedule["valid"], schedule["valid_to_1e-6"]) == (False, True)


def test_points_are_read_as_cbc_writes_them(ringyard: Ringyard, point: Path) -> None:
    lines = [line for line in point.read_text().splitlines() if not line.startswith("=")]
    rows = [f"{number:>7} {line} 0" for number, line in enumerate(lines)]
    point.write_text("\n".join(["Optimal - objective value 7.00000000", *rows]) + "\n")
    assert judged(ringyard, point) == (0, "equal")


@pytest.mark.parametrize(
    "words",
    [
        ("check", "none.sol", "--program", NAME),
        ("check", "none.sol", "--program", "hand-contend.linearised.h99"),
        ("export", "nothing-like-this", "--out", "folder"),
        ("--family", "makespans"),
    ],
)
def test_bad_words_are_refused(ringyard: Ringyard, words: tuple[str, ...]) -> None:
    found = ringyard("corpus", *words)
    assert (found.code, found.err.startswith("error")) == (2, True)


def test_a_point_of_another_program_is_refused(ringyard: Ringyard, point: Path) -> None:
    found = ringyard("corpus", "check", point, "--program", "hand-contend.columns.h7")
    assert (found.code, "a column of the program" in found.err) == (2, True)


def test_programs_in_cones_are_written_and_their_points_judged(
    ringyard: Ringyard, tmp_path: Path
) -> None:
    name = "boa-two-types.cones"
    for words in ((), ("--format", "cbf")):
        done = ringyard("corpus", "export", name, *words, "--out", tmp_path / "some")
        assert done.code == 0
    assert "POWCONES" in (tmp_path / "some" / f"{name}.cbf").read_text()
    found = ringyard("corpus", "check", tmp_path / "some" / f"{name}.sol", "--program", name)
    assert found.code == 0
    assert "as good as the best known" in found.out
    point = tmp_path / "short.sol"
    point.write_text("h[0] 0.5\nz[0] 1\nh[1] 0.5\nz[1] 1\nu[0] 2\nv[0] 1\n")
    found = ringyard("corpus", "check", point, "--program", name)
    assert found.code == 1
    # A square root at half its hours: 1 less the root of a half.
    assert "it violates row work[1] by 0.293" in found.out
    refused = ringyard(
        "corpus", "export", "hand-contend.columns.h7", "--format", "cbf", "--out", tmp_path
    )
    assert (refused.code, "--class conic" in refused.err) == (2, True)


def test_programs_in_bounded_whole_numbers_are_written_as_opb(
    ringyard: Ringyard, tmp_path: Path
) -> None:
    names = ["hand-contend.occupancy.h7", "hand-contend.columns.h7"]
    done = ringyard("corpus", "export", *names, "--format", "opb", "--out", tmp_path / "some")
    assert "left out: 1 program" in done.err
    text = (tmp_path / "some" / "hand-contend.occupancy.h7.opb").read_text()
    assert text.startswith("* #variable= ")
    refused = ringyard("corpus", "export", names[1], "--format", "opb", "--out", tmp_path / "none")
    assert refused.code == 2
    assert "`ringyard corpus --class ip`" in refused.err


def test_the_history_of_a_program_ends_with_what_the_index_says(ringyard: Ringyard) -> None:
    found = ringyard("corpus", "history", NAME)
    assert found.code == 0
    assert re.search(r"\d{4}-\d\d-\d\d +point +7 +catalogue", found.out)
    assert re.search(r"certified bound +7 +the instance's bound", found.out)
    assert found.out.endswith("optimum: certified\n")
    row = ringyard("corpus", "history", NAME, "--json").json
    assert {line["side"] for line in row["lines"]} == {"point", "bound"}
    unknown = ringyard("corpus", "history", "hand-contend.linearised.h8")
    assert unknown.code == 2
    assert NAME in unknown.err
