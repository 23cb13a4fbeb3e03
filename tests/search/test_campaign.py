"""The campaign of agreement goes on where it stopped, and shrinks what it finds."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from injected import inject, pessimist

from ringyard.cli.shrink import disagreement
from ringyard.instances import load_instance

FILE = Path(__file__).parents[2] / "benchmarks/exact_agreement.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script as a module."""
    spec = spec_from_file_location("exact_agreement", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def indices(script: ModuleType, *words: str) -> list[int]:
    options = script.arguments(None, ["6", "3", "--methods", "enumeration", *words])
    rows = script.run(options, script.examine)
    return sorted(row["index"] for row in rows)


def test_shards_together_are_everything(script: ModuleType) -> None:
    halves = [indices(script, "--shard", f"{part}/2") for part in (1, 2)]
    assert halves == [[0, 2, 4], [1, 3, 5]]


def test_what_is_in_the_log_is_not_done_again(script: ModuleType, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    assert indices(script, "--shard", "1/2", "--log", str(log)) == [0, 2, 4]
    first = log.read_text()
    assert indices(script, "--log", str(log)) == list(range(6))
    assert log.read_text().startswith(first)
    assert len(log.read_text().splitlines()) == 6


def test_a_disagreement_is_shrunk_to_a_file(
    script: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    inject(monkeypatch, pessimist=pessimist)
    monkeypatch.setattr(script, "OUT", tmp_path / "out")
    methods = ["enumeration", "pessimist"]
    options = script.arguments(None, ["1", "3", "--methods", ",".join(methods)])
    rows = script.run(options, script.examine)
    assert "instance 0: pessimist claims" in capsys.readouterr().out
    smallest = load_instance(tmp_path / "out/disagreement-3-0.json")
    assert [(job.gpus, job.iterations) for job in smallest.jobs] == [(1, 1), (1, 1)]
    found = disagreement(smallest, methods, None)
    assert found is not None
    assert smallest.notes == found.text
    script.report(rows)
    assert "1 instances, 1 disagreements" in capsys.readouterr().out
