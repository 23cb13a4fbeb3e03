"""Execution of a campaign's missing runs: claim, run, record, alongside other processes.

A claim is a lock on one byte of one file, at an offset given by the run's key. Locks need no files
and no cleanup, and the system releases the claims of a killed process. Claims work between machines
if the file system has POSIX locks.
"""

import fcntl
import gzip
import os
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path

from ..analysis.rows import whole_row
from ..families.registry import family_of
from ..instances.errors import InputError, Problem, reason
from ..instances.reading.encode import to_text
from ..instances.writing import write_whole
from .executors import Executor, Finished
from .journal import Writer, cut_torn_ends, seal
from .runs import METHOD_CHANGED, Run, Task, now
from .state import Beacon, CampaignState, clear, title
from .store import Store

TURN_S = 0.5
"""Seconds to wait for a result before reading other processes' results."""

Report = Callable[[CampaignState], None]


def drive(store: Store, runs: Iterable[Run], executor: Executor, report: Report) -> CampaignState:
    """Perform the missing runs and return a summary. Call `report` about twice per second.

    Several processes can drive one folder, and the first process to claim a run performs it. An
    interrupt keeps all written rows. The next call repeats the interrupted runs.
    """
    wanted = {run.key: run for run in runs}
    state = CampaignState(keys=frozenset(wanted))
    cut_torn_ends(store.folder / "journal")
    clear(store.folder / "status")
    store.refresh()
    state.saw([store.row(run) for run in wanted.values() if store.has(run)], news=False)
    with ExitStack() as stack:
        driver = _Driver(store, executor, state, stack)
        driver.pending.extend(run for run in wanted.values() if not store.has(run))
        while driver.busy:
            driver.turn()
            report(state)
    return state


class _Driver:
    """The state of a process that drives a campaign."""

    def __init__(
        self, store: Store, executor: Executor, state: CampaignState, stack: ExitStack
    ) -> None:
        self.store, self.executor, self.state = store, executor, state
        self.pending: deque[Run] = deque()
        self.taken: deque[Run] = deque()
        """Runs that another process has claimed."""
        self.mine: dict[str, Run] = {}
        self.claims = Claims(store.folder / "claims")
        self.writer = Writer(store.folder / "journal")
        self.beacon = Beacon(store.folder / "status" / f"{self.writer.name}.json")
        stack.callback(self.claims.close)
        stack.callback(self.writer.close)
        stack.callback(self.beacon.out)

    @property
    def busy(self) -> bool:
        """True if any run is still missing."""
        return bool(self.pending or self.taken or self.mine)

    def turn(self) -> None:
        """Submit runs that fit, record results, and read results of other processes."""
        self._hand_out()
        self.beacon.show(self.state)
        if self.mine:
            for finished in self.executor.finished(TURN_S):
                self._write(finished)
        else:
            time.sleep(TURN_S if self.busy else 0)
        self.state.news += self.executor.notices()
        self._look()
        if not self.pending:  # The process that claimed these may be gone, and its claims with it.
            self.pending, self.taken = self.taken, deque()

    def _hand_out(self) -> None:
        while self.pending:
            if self.store.has(self.pending[0]):
                self.pending.popleft()
            elif self._has_room_for(self.pending[0]):
                self._begin(self.pending.popleft())
            else:
                return

    def _has_room_for(self, run: Run) -> bool:
        if not self.executor.slot_is_processor:
            return len(self.mine) < self.executor.slots
        threads = sum(one.threads for one in self.mine.values())
        return not self.mine or threads + run.threads <= self.executor.slots

    def _begin(self, run: Run) -> None:
        if not self.claims.take(run.key):
            self.taken.append(run)
            return
        self._look()
        if self.store.has(run):  # Written between our last look and our claim.
            self.claims.drop(run.key)
            return
        if run.instance is not None:  # A program from a file has none.
            self.store.keep(run.instance)
        self.store.keep_code(run.code)
        self.executor.submit(_task(run, self.store))
        self.mine[run.key] = run
        self.state.running[run.key] = (title(run), time.monotonic())

    def _look(self) -> None:
        """Read new rows of all writers."""
        self.state.saw(self.store.refresh())

    def _write(self, finished: Finished) -> None:
        run, place, written = self.mine.pop(finished.key), None, None
        del self.state.running[finished.key]
        if finished.columns["status"] == METHOD_CHANGED:
            self.state.news.append(f"{title(run)}: {finished.columns['note']}")
            self.claims.drop(finished.key)
            return
        if finished.schedule is not None:
            place = f"schedules/{finished.key}.json.gz"
            text = finished.schedule.encode()
            written = seal(text)
            write_whole(self.store.folder / place, gzip.compress(text, mtime=0), own=True)
        if finished.certificate is not None:
            data = gzip.compress(finished.certificate.encode(), mtime=0)
            write_whole(self.store.certificate_file(finished.key), data, own=True)
        if finished.point is not None:
            value, digest = finished.columns["objective"], run.stated()["digest"]
            self.store.keep_point(finished.key, digest, value, finished.point)
        row = {
            **run.stated(),
            **finished.columns,
            "schedule": place,
            "schedule_digest": written,
            "workers": self.executor.slots,
            "writer": self.writer.name,
            "finished": now(),
        }
        self.writer.add(whole_row(row))
        self.claims.drop(finished.key)


def _task(run: Run, store: Store) -> Task:
    """Return the task of a run, with the schedule that it begins with if there is a valid one."""
    rows = [row for row in store.rows_of(run.begins) if row["valid"]]
    if not rows:
        return run.task()
    sign = -1 if family_of(run.instance).sense == "max" else 1
    best = min(rows, key=lambda row: (sign * row["objective"], row["key"]))
    return {**run.task(), "start": to_text(store.schedule(best))}


BITS = 62
"""File offsets go up to 2^63. Two keys on one byte would only wait for each other."""


class Claims:
    """The claims of this process on the runs of a campaign."""

    def __init__(self, path: Path) -> None:
        """Open the file, which stays empty."""
        # Closing any handle of the file would free all claims of the process: this is the only one.
        self._path = path
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise self._unusable(error) from None

    def take(self, key: str) -> bool:
        """Claim a run unless another process has."""
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte(key))
        except (BlockingIOError, PermissionError):
            return False
        except OSError as error:
            raise self._unusable(error) from None
        return True

    def drop(self, key: str) -> None:
        """Free a run."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _byte(key))

    def close(self) -> None:
        """Free all runs."""
        os.close(self._file)

    def _unusable(self, error: OSError) -> InputError:
        expected = "a writable file on a file system with POSIX locks"
        problem = Problem("file", reason(error), expected, "choose another folder")
        return InputError(str(self._path), [problem])


def _byte(key: str) -> int:
    return int(key[:16], 16) >> (64 - BITS)
