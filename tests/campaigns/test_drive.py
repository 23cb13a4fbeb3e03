"""Driving a campaign: only what is missing, once, whoever else is at it."""

import json
import os
import platform
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from campaigns.runs_at_hand import Here, made_up, some_runs

from ringyard.analysis.rows import whole_row
from ringyard.campaigns.drive import Claims, drive
from ringyard.campaigns.executors import Finished
from ringyard.campaigns.runs import Run, Task
from ringyard.campaigns.state import CampaignState, elsewhere
from ringyard.campaigns.store import existing, prepared
from ringyard.instances import digest, load_instance
from ringyard.instances.catalogue import load
from ringyard.instances.errors import InputError


def quiet(state: CampaignState) -> None:
    state.take_news()


def lines(folder: Path) -> list[dict[str, Any]]:
    """Return every row of every journal, doubled ones too."""
    texts = [path.read_text(encoding="utf-8") for path in (folder / "journal").glob("*.jsonl")]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    runs, first, second = some_runs(5), Here(made_up), Here(made_up)
    drive(prepared(tmp_path), runs[:3], first, quiet)
    state = drive(prepared(tmp_path), runs, second, quiet)
    assert second.done == [run.key for run in runs[3:]]
    assert (state.done, state.total, state.before) == (5, 5, 3)
    assert sorted(row["key"] for row in lines(tmp_path)) == sorted(run.key for run in runs)


def test_a_folder_holds_all_that_a_row_is_about(tmp_path: Path) -> None:
    run = Run(instance=load("hand-lpt"), method="gang-lpt")
    drive(prepared(tmp_path), [run], Here(), quiet)
    store = existing(tmp_path)
    (row,) = store.rows()
    assert load_instance(store.instance_file(row["digest"])) == run.instance
    schedule = store.schedule(row)
    assert schedule is not None
    assert schedule.digest == digest(run.instance)
    assert row["writer"] in {path.stem for path in (tmp_path / "journal").iterdir()}
    assert row["started"] <= row["finished"]
    assert not list((tmp_path / "status").iterdir())


def test_what_another_process_has_claimed_is_awaited(tmp_path: Path) -> None:
    """Another process holds one run; when its row is there, nothing is left to do."""
    runs, here, seen = some_runs(3), Here(made_up), []
    other = prepared(tmp_path)

    class Taken(Claims):
        def take(self, key: str) -> bool:
            return key != runs[1].key

    def tell(state: CampaignState) -> None:
        seen.append(state.done)
        if state.done == 2 and not other.has(runs[1]):
            text = json.dumps(whole_row({**made_up({"seed": 1})["columns"], **runs[1].stated()}))
            (tmp_path / "journal" / "other.jsonl").write_text(text + "\n", encoding="utf-8")
            other.refresh()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ringyard.campaigns.drive.Claims", Taken)
        patch.setattr("ringyard.campaigns.drive.TURN_S", 0.01)
        state = drive(prepared(tmp_path), runs, here, tell)
    assert here.done == [runs[0].key, runs[2].key]
    assert state.done == 3


def test_a_row_that_came_before_the_claim_is_noticed(tmp_path: Path) -> None:
    """Between the last look and the claim another process does the run."""
    (run,) = some_runs(1)
    here = Here(made_up)

    class Late(Claims):
        def take(self, key: str) -> bool:
            drive(prepared(tmp_path), [run], Here(made_up), quiet)
            return super().take(key)

    with pytest.MonkeyPatch.context() as patch:
        late = iter([Late])
        patch.setattr("ringyard.campaigns.drive.Claims", lambda path: next(late, Claims)(path))
        drive(prepared(tmp_path), [run], here, quiet)
    assert not here.done
    assert len(lines(tmp_path)) == 1


def test_slots_are_kept_to(tmp_path: Path) -> None:
    under_way: list[int] = []

    class Counting(Here):
        def finished(self, timeout: float) -> list[Finished]:
            under_way.append(len(self._tasks))
            return super().finished(timeout)

    drive(prepared(tmp_path), some_runs(7), Counting(made_up, slots=3), quiet)
    assert max(under_way) == 3


@pytest.mark.parametrize(("threads", "most"), [(1, 3), (2, 1), (5, 1)])
def test_runs_of_several_threads_do_not_share_processors(
    threads: int, most: int, tmp_path: Path
) -> None:
    under_way: list[int] = []

    class Processors(Here):
        slot_is_processor = True

        def finished(self, timeout: float) -> list[Finished]:
            under_way.append(len(self._tasks))
            return super().finished(timeout)

    runs = [replace(run, threads=threads) for run in some_runs(7)]
    drive(prepared(tmp_path), runs, Processors(made_up, slots=3), quiet)
    assert max(under_way) == most


def test_an_interrupt_keeps_what_was_written(tmp_path: Path) -> None:
    runs = some_runs(4)

    def stopped(task: Task) -> dict[str, Any]:
        if task["key"] == runs[2].key:
            raise KeyboardInterrupt
        return made_up(task)

    with pytest.raises(KeyboardInterrupt):
        drive(prepared(tmp_path), runs, Here(stopped), quiet)
    again = Here(made_up)
    drive(prepared(tmp_path), runs, again, quiet)
    assert again.done == [run.key for run in runs[2:]]
    assert len(lines(tmp_path)) == 4


def test_failures_and_contradictions_are_told_as_they_happen(tmp_path: Path) -> None:
    def odd(task: Task) -> dict[str, Any]:
        found = made_up(task)
        if task["seed"] == 1:
            found["columns"] |= {"status": "crashed", "note": "SIGSEGV", "valid": False}
        if task["seed"] == 2:
            found["columns"] |= {"bound": 11, "objective": 12}
        return found

    news: list[str] = []
    state = drive(prepared(tmp_path), some_runs(3), Here(odd), lambda s: news.extend(s.take_news()))
    assert news[0] == "random on hand-lpt, seed 1: crashed: SIGSEGV"
    assert "a valid value of 10.0, below the combinatorial bound 11.0" in news[1]
    assert (state.failed, len(state.contradictions)) == (1, 1)
    assert len(lines(tmp_path)) == 3


def test_others_can_see_what_is_under_way(tmp_path: Path) -> None:
    def looking(task: Task) -> dict[str, Any]:
        ((what, _),) = elsewhere(tmp_path / "status").values()
        assert what == "random on hand-lpt"
        return made_up(task)

    here = Here(looking)
    drive(prepared(tmp_path), some_runs(1), here, quiet)
    assert len(here.done) == 1
    assert not elsewhere(tmp_path / "status")


def test_rows_come_in_an_order_that_nobody_s_speed_changes(tmp_path: Path) -> None:
    runs = some_runs(6)
    drive(prepared(tmp_path / "a"), runs, Here(made_up), quiet)
    drive(prepared(tmp_path / "b"), runs[::-1], Here(made_up), quiet)
    keys = [[row["key"] for row in existing(tmp_path / name).rows()] for name in "ab"]
    assert keys[0] == keys[1]


def test_many_at_once_double_nothing(tmp_path: Path) -> None:
    """Drivers in threads share a process and so its claims: here the re-reading alone decides."""
    runs = some_runs(20)
    locks = {run.key: threading.Lock() for run in runs}

    class Shared(Claims):
        def take(self, key: str) -> bool:
            return locks[key].acquire(blocking=False)

        def drop(self, key: str) -> None:
            locks[key].release()

    helpers = [Here(made_up) for _ in range(3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ringyard.campaigns.drive.Claims", Shared)
        patch.setattr("ringyard.campaigns.drive.TURN_S", 0.01)
        threads = [
            threading.Thread(target=drive, args=(prepared(tmp_path), runs, one, quiet))
            for one in helpers
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert sorted(row["key"] for row in lines(tmp_path)) == sorted(run.key for run in runs)
    assert sum(len(one.done) for one in helpers) == len(runs)


def test_a_folder_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"found nothing, .*ringyard run"):
        existing(tmp_path / "none")
    with pytest.raises(InputError, match="found no rows"):
        existing(tmp_path)


def test_a_run_that_crosses_its_own_bound_is_a_contradiction(tmp_path: Path) -> None:
    def crossed(task: Task) -> dict[str, Any]:
        found = made_up(task)
        note = "ContradictionError: 3, below the bound 4"
        found["columns"] |= {"status": "error", "note": note, "valid": False}
        return found

    state = drive(prepared(tmp_path), some_runs(1), Here(crossed), quiet)
    assert state.contradictions == ["ContradictionError: 3, below the bound 4"]


def test_a_method_that_ended_worse_than_it_told_is_rejected(tmp_path: Path) -> None:
    def faulty(task: Task) -> dict[str, Any]:
        found = made_up(task)
        found["columns"]["rejection"] = "it ended without a schedule; handed on is one of value 3"
        return found

    state = drive(prepared(tmp_path), some_runs(1), Here(faulty), quiet)
    assert (state.rejected, state.contradictions) == (1, [])


def test_instances_and_schedules_are_safe_before_their_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names of files too: what is synced, in order, file and then folder."""
    synced: list[str] = []
    monkeypatch.setattr(
        "os.fsync", lambda file: synced.append(os.readlink(f"/proc/self/fd/{file}"))
    )
    run = Run(instance=load("hand-lpt"), method="gang-lpt")
    drive(prepared(tmp_path), [run], Here(), quiet)
    names = [Path(name).relative_to(tmp_path).as_posix().split(".")[0] for name in synced]
    (row,) = existing(tmp_path).rows()
    journal = f"journal/{row['writer']}"
    assert names[1::2] == ["instances", "code", "schedules", journal]
    assert names[-2:] == ["journal", journal]


def test_a_row_in_two_files_counts_once(tmp_path: Path) -> None:
    drive(prepared(tmp_path / "a"), some_runs(2), Here(made_up), quiet)
    watched = prepared(tmp_path / "b")
    (file,) = (tmp_path / "a" / "journal").iterdir()
    for name in ("one", "two"):
        copy(file, tmp_path / "b" / "journal" / f"{name}.jsonl")
    assert len(watched.refresh()) == 2


def test_who_says_something_in_the_future_is_not_taken_for_alive(tmp_path: Path) -> None:
    told = {"at": time.time() + 3600, "running": {"key": ["what", time.time()]}}
    (tmp_path / "gone.json").write_text(json.dumps(told), encoding="utf-8")
    assert not elsewhere(tmp_path)


def test_what_killed_drivers_left_is_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ringyard.campaigns.state.FRESH_S", 1000.0)
    status, now = prepared(tmp_path).folder / "status", time.time()
    ended = subprocess.Popen(["true"])
    ended.wait()
    here = {"host": platform.node(), "at": now, "running": {"key": ["what", now]}}
    told = {
        "killed": here | {"pid": ended.pid},
        "alive": here | {"pid": os.getpid()},
        "elsewhere": here | {"pid": ended.pid, "host": "another"},
        "long-ago": here | {"pid": os.getpid(), "at": now - 3600},
        "no-times": here | {"running": {"key": "what"}},
        "no-object": [1],
    }
    for name, content in told.items():
        (status / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (status / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    (status / "folder.json").mkdir()
    os.mkfifo(status / "pipe.json")
    draft = status / ".killed.json.12345678.draft"
    draft.touch()
    os.utime(draft, (0, 0))
    assert elsewhere(status).keys() == {"key"}
    drive(prepared(tmp_path), some_runs(1), Here(made_up), quiet)
    left = {path.name for path in status.iterdir()}
    assert left == {"alive.json", "elsewhere.json", "folder.json"}


def test_who_can_do_nothing_still_ends_when_others_have_done_it(tmp_path: Path) -> None:
    """A cluster without workers; meanwhile another process does all runs."""
    runs, none = some_runs(3), Here(made_up, slots=0)

    def tell(_: CampaignState) -> None:
        drive(prepared(tmp_path), runs, Here(made_up), quiet)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ringyard.campaigns.drive.TURN_S", 0.01)
        state = drive(prepared(tmp_path), runs, none, tell)
    assert (state.done, none.done) == (3, [])
