"""A user's theorem from a file: refuted, held and silent as ours are, and never proved."""

import json
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from house.test_commands import install

import ringyard
from ringyard.analysis.guarantees import FactorVerdict, Guarantee, Hypothesis, find_guarantee
from ringyard.campaigns.verifying.theorems import verify
from ringyard.cli import main
from ringyard.instances import InputError
from ringyard.instances.errors import MethodError

THEOREM = """from fractions import Fraction
from ringyard.analysis.guarantees import Guarantee, Hypothesis

def released_later(instance, options):
    late = [job.name for job in instance.jobs if job.release_slot]
    return f"{late[0]} is released later" if late else None

T = Guarantee(
    name="twice", statement="2", source="my thesis", proved=True,
    hypotheses=(Hypothesis(name="all jobs at the start", unmet=released_later),),
    factor=lambda instance: Fraction(2), methods=("list-scheduling",),
)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")
    (tmp_path / "mine.py").write_text(THEOREM)
    return tmp_path


def rows(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    assert main(["verify", *words, "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["rows"]
    return found


def test_a_file_and_an_entry_point_give_equal_rows(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(
        '[project]\nname = "mine"\nversion = "1"\n'
        '[project.entry-points."ringyard.theorems"]\ntwice = "mine:T"\n',
        folder,
    )
    monkeypatch.syspath_prepend(str(folder))
    sys.modules.pop("mine", None)
    instances = ("hand-theorem5", "hand-contend")
    installed = rows(capsys, *instances, "--theorem", "twice")
    filed = rows(capsys, *instances, "--theorem", "mine.py:T")
    assert [row.pop("guarantee") for row in installed + filed] == ["twice"] * 2 + ["mine.py:T"] * 2
    assert installed == filed
    assert [row["proved"] for row in filed] == [False, False]


def test_a_theorem_says_that_nothing_proves_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", "hand-theorem5", "--theorem", "mine.py:T"]) == 0
    done = capsys.readouterr()
    assert "mine.py:T: held on 1 run" in done.out
    assert "mine.py:T: no page of Ringyard proves it, so a violation is only reported" in done.err


def test_a_false_theorem_is_violated_and_no_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On hand-theorem5 list scheduling ends at 7, and a schedule that ends at 6 is known."""
    (folder / "false.py").write_text(THEOREM.replace("Fraction(2)", "Fraction(1)"))
    assert main(["verify", "hand-theorem5", "--theorem", "false.py:T"]) == 0
    said = capsys.readouterr().out
    assert "false.py:T is violated on hand-theorem5:\n  list-scheduling ends at 7, 6" in said


def test_a_hypothesis_that_is_not_met_silences_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unmet = THEOREM.replace("if job.release_slot", "if job.gpus")
    (folder / "never.py").write_text(unmet)
    assert main(["verify", "hand-theorem5", "--theorem", "never.py:T"]) == 0
    said = capsys.readouterr().out
    assert "needs all jobs at the start: " in said
    assert "never.py:T: hypothesis not met on 1 run" in said


FACTOR = "expected a Fraction or a whole number of at least 1"


@pytest.mark.parametrize(
    ("old", "new", "code", "told"),
    [
        ("Fraction(2)", "2.5", 2, f"factor of hand-theorem5: found 2.5 (float), {FACTOR}"),
        (
            "Fraction(2)",
            "Fraction(1, 2)",
            2,
            f"factor of hand-theorem5: found 1/2 (Fraction), {FACTOR}",
        ),
        ("Fraction(2)", "True", 2, FACTOR),
        (
            "lambda instance: Fraction(2)",
            "lambda instance: 1 / 0",
            1,
            "ZeroDivisionError: division",
        ),
        ("lambda instance: Fraction(2)", "2", 2, "found the factor 2, expected a function"),
        ("if late else None", "if late else True", 2, "found a bool, expected a str or a NoneType"),
        ('("list-scheduling",)', "()", 2, "found no methods, expected the methods that it is abo"),
        ('("list-scheduling",)', '("list-scheduing",)', 2, "expected one of"),
        ('("list-scheduling",)', '"list-scheduling"', 2, "methods of another type, expected a tup"),
        ("hypotheses=(Hypothesis(", "hypotheses=(dict(", 2, "found hypotheses of another type"),
    ],
)
def test_what_is_wrong_in_a_theorem_is_said(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    code: int,
    told: str,
) -> None:
    assert old in THEOREM
    (folder / "bad.py").write_text(THEOREM.replace(old, new))
    assert main(["verify", "hand-theorem5", "--theorem", "bad.py:T"]) == code
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error


def test_python_checks_an_object_against_a_function() -> None:
    """One job after the other, far apart, is more than twice the optimum of hand-spread."""

    def apart(instance: Any) -> Any:
        start, plan = 0, {}
        for job in instance.jobs:
            left, pieces = job.gpus, {}
            for server in instance.cluster.servers:
                pieces[server.name] = min(left, server.gpus)
                left -= pieces[server.name]
            plan[job.name] = (start, pieces)
            start += 1000
        return plan

    mine = Guarantee(
        name="mine",
        statement="2",
        source="a test",
        proved=True,
        factor=lambda instance: Fraction(2),
        methods=("apart",),
    )
    (row,) = verify(ringyard.load("hand-spread"), [apart], theorems=[find_guarantee(mine)])
    assert (row.verdict, row.guarantee.proved, row.broken) == (FactorVerdict.VIOLATED, False, False)
    with pytest.raises(InputError, match="expected a Fraction or a whole number"):
        find_guarantee(replace(mine, factor=lambda instance: 1.5)).factor(ringyard.load("hand-lpt"))
    raising = Hypothesis(name="raises", unmet=lambda instance, options: 1 / 0)  # type: ignore
    with pytest.raises(MethodError, match="ZeroDivisionError"):
        find_guarantee(replace(mine, hypotheses=(raising,))).unmet(None)
