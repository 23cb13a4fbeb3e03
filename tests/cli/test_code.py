"""`ringyard code`: schemes, curve, simulation, decoding, files, and what it refuses."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.campaigns import coded
from ringyard.instances import CodedPlan, load_schedule

Call = Callable[..., Any]


@pytest.fixture
def ten(ringyard: Call, tmp_path: Path) -> Path:
    """An instance of 10 workers."""
    path = tmp_path / "ten.json"
    assert ringyard("generate", "coded", "--seed", 0, "--out", path).code == 0
    return path


def test_values_of_the_paper(ringyard: Call, ten: Path) -> None:
    """With 1 + Exp(1), by Lee et al. 2018."""
    run = ringyard("code", ten)
    assert run.code == 0
    for line in (
        "uncoded         10      0.39290   1.00",
        "mds              7      0.29938^  1.31",
    ):
        assert line in run.out
    assert "0.6822 n parts of n workers, and 3.14619/n s" in run.out
    assert "grows as ln n / 3.1462" in run.out


def test_everything_as_json(ringyard: Call, ten: Path) -> None:
    words = ("--curve", "--points", 4, "--simulate", "--trials", 2000, "--seed", 1, "--decode")
    told = ringyard("code", ten, *words, "--rows", 20, "--columns", 3, "--json").json
    by_name = {one["method"]: one for one in told["schemes"]}
    assert by_name["mds"]["expected_s"] == told["bound"]
    for one in told["schemes"]:
        assert one["valid"]
        assert one["trials"] == 2000
        assert one["low_s"] < one["mean_s"] < one["high_s"]
    assert {one["parts"] for one in told["curve"]} == {1, 4, 7, 10}
    assert told["curve"][2]["mds_s"] == pytest.approx(told["bound"])
    assert told["decoded"]["plans"]["uncoded"]["same"]
    assert told["decoded"]["plans"]["mds"]["error"] < 1e-9
    assert {one["parts"] for one in told["decoded"]["codes"]} == {1, 2, 5, 7, 8, 9}


def test_tables_for_people(ringyard: Call, ten: Path) -> None:
    run = ringyard("code", ten, "--curve", "--simulate", "--trials", 100, "--decode")
    assert "simulated, s (95 % interval)" in run.out
    assert "repeated, s" in run.out
    assert "Gaussian" in run.out
    assert "uncoded      error 0e+00, each part bitwise equal" in run.out


def test_every_file_asked_for_is_written(ringyard: Call, ten: Path, tmp_path: Path) -> None:
    names = {"--csv": "t.csv", "--latex": "t.tex", "--plot": "t.svg", "--out": "plan.json"}
    words = [word for option, name in names.items() for word in (option, tmp_path / name)]
    assert ringyard("code", ten, "--curve", "--points", 2, *words).code == 0
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines[0] == 'parts,"MDS, s","repeated, s"'
    assert len(lines) == 4
    assert "\\label{tab:code}" in (tmp_path / "t.tex").read_text()
    assert "MDS code, best: 0.2994 s with 7" in (tmp_path / "t.svg").read_text()
    plan = load_schedule(tmp_path / "plan.json")
    assert isinstance(plan, CodedPlan)
    assert ringyard("check", ten, tmp_path / "plan.json").code == 0


def test_infinite_times_are_told(ringyard: Call, tmp_path: Path) -> None:
    path, law = tmp_path / "heavy.json", ("--set", "law=pareto", "--set", "tail=0.8")
    ringyard("generate", "coded", "--seed", 0, "--set", "workers=2", *law, "--out", path)
    run = ringyard("code", path, "--simulate", "--trials", 10, "--curve")
    assert "infinite  expected time of uncoded\n" in run.out
    assert "warning   replication, mds: the variance is infinite" in run.out
    told = ringyard("code", path, "--curve", "--json").json
    assert told["curve"][1] == {"parts": 2, "mds_s": None, "repeated_s": None}
    path.unlink()
    ringyard("generate", "coded", "--seed", 0, *law[:3], "tail=0.05", "--out", path)
    run = ringyard("code", path, "--decode", "--out", tmp_path / "plan.json")
    assert run.code == 0
    assert "infinite  expected time of uncoded, replication, mds\n" in run.out
    assert "plan.json is not written" in run.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--trials", 5), "--trials: found no --simulate"),
        (("--rows", 5), "--rows: found no --decode"),
        (("--seed", 5), "--seed: found no --simulate"),
        (("--points", 5), "--points: found no --curve"),
        (("--simulate", "--trials", 1), "--trials: found 1, expected an integer from 2"),
        (("--curve", "--points", 1), "--points: found 1, expected an integer at least 2"),
        (("--decode", "--columns", 0), "--columns: found 0, expected an integer at least 1"),
        (("--decode", "--columns", 10**6), "a matrix of at most 100,000,000 numbers"),
        (("--out", "plan.txt"), "--out: found 'plan.txt'"),
        (("--plot", "plan.doc"), "plan.doc"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    ringyard: Call, ten: Path, words: tuple[Any, ...], told: str
) -> None:
    run = ringyard("code", ten, *words)
    assert run.code == 2
    assert told in run.err


def test_other_families_are_refused(ringyard: Call) -> None:
    run = ringyard("code", "hand-lpt")
    assert run.code == 2
    assert "expected 'coded'" in run.err


def test_a_law_comes_from_times_or_a_trace(ringyard: Call, tmp_path: Path) -> None:
    """Given times, times of a trace, and the same from the same seed."""
    words = ("generate", "coded-measured", "--seed", 3)
    assert '"times_s": [1, 2.5]' in ringyard(*words, "--set", "times_s=[1, 2.5]").out
    drawn = ringyard(*words, "--set", "trace=tiresias-example", "--set", "samples=3").out
    assert '"times_s": [2, 8, 8]' in drawn
    assert ringyard(*words).out == ringyard(*words).out
    run = ringyard(*words, "--set", "trace=hand-lpt")
    assert run.code == 2
    assert "expected 'trace'" in run.err


def test_show_names_the_law(ringyard: Call, tmp_path: Path) -> None:
    said = {
        "coded": "1 s and an exponential time of rate 1 per second",
        "coded-pareto": "more than t s with probability (1/t)^2",
        "coded-bimodal": "1 s, or 10 s with probability 0.1",
        "coded-measured": "one of 20 measured times, from ",
    }
    for family, text in said.items():
        path = tmp_path / f"{family}.json"
        ringyard("generate", family, "--seed", 0, "--out", path)
        assert text in ringyard("show", path).out


def test_an_interrupt_leaves_the_exact_times(
    ringyard: Call, ten: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = coded.simulate

    def interrupted(instance: Any, plan: CodedPlan, **named: Any) -> Any:
        if plan.points:
            raise KeyboardInterrupt
        return true(instance, plan, **named)

    monkeypatch.setattr(coded, "simulate", interrupted)
    done = ringyard("code", ten, "--simulate", "--trials", 10, "--json")
    assert done.code == 130
    uncoded, _, mds = done.json["schemes"]
    assert "mean_s" in uncoded
    assert "mean_s" not in mds
    assert mds["expected_s"] < uncoded["expected_s"]
