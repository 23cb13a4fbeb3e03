"""What a campaign costs beside its runs: driving them, going on, and many writers in one folder."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis.rows import whole_row
from ringyard.campaigns.drive import drive
from ringyard.campaigns.runs import Run
from ringyard.campaigns.store import Store, prepared, to_lines

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from campaigns.runs_at_hand import Here, made_up, some_runs

FILES = 200
SIZES = (1_000, 20_000)


def write(folder: Path, runs: list[Run]) -> None:
    """Let the rows of runs lie there, spread over the files of many writers."""
    store = prepared(folder)
    rows = [whole_row({**run.stated(), **made_up(run.task())["columns"]}) for run in runs]
    for i in range(FILES):
        path = store.folder / "journal" / f"{i}.jsonl"
        path.write_bytes(to_lines(rows[i::FILES]))


@pytest.mark.benchmark(group="go on where all is done")
@pytest.mark.parametrize("count", SIZES)
def test_go_on(benchmark: Any, tmp_path: Path, size: Callable[[int], int], count: int) -> None:
    count = size(count)
    write(tmp_path, some_runs(count))

    def run() -> int:
        return drive(prepared(tmp_path), some_runs(count), Here(made_up), lambda _: None).done

    assert benchmark.pedantic(run, rounds=3) == count


@pytest.mark.benchmark(group="drive runs that take no time, without the disk")
@pytest.mark.parametrize("count", SIZES)
def test_drive(
    benchmark: Any,
    tmp_path: Path,
    size: Callable[[int], int],
    count: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.fsync", lambda _: None)
    runs = some_runs(size(count))

    def run() -> int:
        return drive(prepared(tmp_path), runs, Here(made_up), lambda _: None).done

    assert benchmark.pedantic(run, rounds=1) == len(runs)


@pytest.mark.benchmark(group="look for new rows")
def test_look(benchmark: Any, tmp_path: Path) -> None:
    write(tmp_path, some_runs(1_000))
    store = Store(tmp_path)
    assert benchmark(store.refresh) == []
