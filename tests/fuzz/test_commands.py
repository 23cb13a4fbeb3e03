"""Whatever stands in a file, every command ends with an exit code and no traceback."""

import itertools
import json
from collections import Counter
from pathlib import Path

import pytest
from fuzz.mutate import SEEDS, mutants

from ringyard.cli import main
from ringyard.methods import all_methods

POLICIES = [method.name for method in all_methods() if method.kind == "policy"]


def commands(instance: str, file: str) -> list[list[str]]:
    """Return a command line for each way in which a command reads a file, and each policy."""
    readers = [
        ["show", file],
        ["bound", file, "--json"],
        ["check", file, file],
        ["check", instance, file, "--json"],
    ]
    solves = [["solve", file, "--method", policy, "--json"] for policy in POLICIES]
    return [words for solve in solves for words in (*readers, solve)]


def feed(folder: Path, count: int, seed: int, capsys: pytest.CaptureFixture[str]) -> Counter[int]:
    """Give mutants of every seed file to the commands in turn; count the exit codes."""
    instance = folder / "instance.json"
    instance.write_bytes(SEEDS["uplink"])
    file = folder / "mutant.json"
    turns = itertools.cycle(commands(str(instance), str(file)))
    codes: Counter[int] = Counter()
    for mutant, words in zip(mutants(tuple(SEEDS.values()), count, seed), turns, strict=False):
        file.write_bytes(mutant)
        code = main(words)
        out, err = capsys.readouterr()
        assert code in (0, 1, 2, 3), (words, err)
        assert "Traceback" not in err
        assert (code == 2) == ("error:" in err), (words, code, err)
        if "--json" in words:
            json.loads(out)
        codes[code] += 1
    return codes


def test_commands_end_some_mutants_with_a_code_and_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = feed(tmp_path, 500, 1, capsys)
    assert codes[0] > 0
    assert codes[2] > 0


@pytest.mark.slow
def test_commands_end_more_mutants_with_a_code_and_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = feed(tmp_path, 1_000, 2, capsys)
    assert sum(codes.values()) == 1_000
    assert min(codes[0], codes[1], codes[2]) > 0
