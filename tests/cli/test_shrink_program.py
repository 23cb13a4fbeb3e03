"""`ringyard shrink --program` makes small what a solver gets wrong, and writes an issue."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from solvers.test_wrong import INVALID, large, smallest

from ringyard.formulations.files.mps_reader import read_mps
from ringyard.formulations.files.write import write_matrix
from ringyard.formulations.program import Matrix, Solution
from ringyard.formulations.shrink import fingerprint
from ringyard.formulations.solver_interface import solve as solver_interface
from ringyard.testing.programs import TINY


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the faulty solver be known by name, and one that is interrupted."""
    monkeypatch.setattr(solver_interface, "SOLVERS", (*solver_interface.SOLVERS, INVALID))


@pytest.mark.usefixtures("faulty")
def test_the_command_writes_program_record_and_issue(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    file, out = tmp_path / "large.mps", tmp_path / "small.mps"
    write_matrix(file, large())
    words = ("shrink", "--program", file, "--solver", "fault", "--against", "highs")
    done = ringyard(*words, "--out", out, "--json")
    assert (done.code, done.json["kind"], done.json["shown"]) == (0, "infeasible", "exact")
    assert fingerprint(read_mps(out)) == fingerprint(smallest().program)
    issue = out.with_suffix(".md").read_text()
    assert "a feasible program is called infeasible" in issue
    assert "Made smaller from: large.mps, 12 rows, 9 columns" in issue
    sound = ringyard("shrink", "--program", file, "--solver", "highs", "--out", out)
    assert sound.code == 3
    assert "no answer of highs is shown to be wrong" in sound.out


@pytest.mark.usefixtures("faulty")
@pytest.mark.parametrize("suffix", ["lp", "lp.gz"])
def test_a_program_may_be_given_as_lp(
    suffix: str, ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    plain, file, out = (tmp_path / name for name in ("large.lp", f"given.{suffix}", "small.mps"))
    write_matrix(plain, large())
    file.write_bytes(gzip.compress(plain.read_bytes()) if suffix == "lp.gz" else plain.read_bytes())
    words = ("shrink", "--program", file, "--solver", "fault", "--against", "highs")
    done = ringyard(*words, "--out", out, "--json")
    assert (done.code, done.json["kind"], done.json["shown"]) == (0, "infeasible", "exact")
    assert len(read_mps(out).rows) == len(smallest().program.rows)


@pytest.mark.usefixtures("faulty")
def test_an_interrupt_keeps_the_smallest_program(
    ringyard: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def impatient(program: Matrix, *given: Any) -> Solution:
        calls.append(len(program.rows))
        if len(calls) > 30:
            raise KeyboardInterrupt
        return INVALID.run(program, *given)

    monkeypatch.setattr(
        solver_interface,
        "SOLVERS",
        (*solver_interface.SOLVERS[:-1], replace(INVALID, run=impatient)),
    )
    file, out = tmp_path / "large.mps", tmp_path / "small.mps"
    write_matrix(file, large())
    words = ("--program", file, "--solver", "fault", "--against", "highs", "--out", out)
    assert ringyard("shrink", *words).code == 130
    assert len(read_mps(out).rows) < 12


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--out", "a.mps"), "INSTANCE: found nothing"),
        (("small-05x2", "--program", "a.mps", "--out", "b.mps"), "no value with --program"),
        (("--program", "a.mps", "--out", "b.json"), "a name that ends in .mps"),
        (("--program", "a.nl", "--out", "b.mps"), "a name that ends in .mps, .lp or one of"),
        (("--program", "none.lp", "--out", "b.mps"), "an existing file"),
        (("--program", "a.mps", "--out", "a.mps"), "another file than the"),
        (("--program", "none.mps", "--out", "b.mps"), "an existing file"),
        (("--program", "a.mps", "--solver", "higs", "--out", "b.mps"), "Did you mean 'highs'"),
    ],
)
def test_bad_words_are_told(
    ringyard: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_matrix(Path("a.mps"), TINY)
    done = ringyard("shrink", *words)
    assert done.code == 2
    assert told in done.err
